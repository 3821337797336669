/**
 * On whose behalf code is called.
 */

import type { HookFacts } from '../../objects/hooks/lifecycle.js';

/** On whose behalf code is called, and how. */
export type InvocationContext = Omit<HookFacts, 'members'>;
