/** The screens about types. */

import { lazy } from '../components/lazy.js';
import type { ScreenProps } from '../shell/app.js';

export { Types } from './list.js';

/** The editor of a type. */
export const TypeScreen = lazy<ScreenProps>(async () => (await import('./editor/type-screen.js')).TypeScreen);
