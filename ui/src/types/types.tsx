/** Not built yet. */

import type { JSX } from 'preact';
import type { ScreenProps } from '../shell/app.js';

export function Types({ route: { name } }: ScreenProps): JSX.Element {

    return <h1>{name}</h1>;
}

export function TypeScreen({ route: { name } }: ScreenProps): JSX.Element {

    return <h1>{name}</h1>;
}
