/** Reacting to a value that comes from outside of a component. */

import { useState } from 'preact/hooks';

/**
 * Calls back while the component is rendered with another value than before; not at its first rendering. An effect would come after the next frame, and
 * undo what the user has done until then.
 */
export function useChanged<T>(value: T, onChange: () => void): void {

    const [before, remember] = useState<{ readonly value: T }>({ value });
    if (!Object.is(before.value, value)) {
        remember({ value });
        onChange();
    }
}
