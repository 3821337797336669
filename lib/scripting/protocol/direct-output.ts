/**
 * What scripts write through `directIo`, in one piece.
 */

import type { DirectOutput } from '../../objects/hooks/lifecycle.js';
import type { ScriptOutput } from './script-result.js';

/** The bytes that a script wrote, with what it said about them. */
export function outputOf({ bytes, filename, mediaType }: ScriptOutput): DirectOutput {

    return {
        bytes: Buffer.concat(bytes),
        ...filename === undefined ? {} : { filename },
        ...mediaType === undefined ? {} : { mediaType }
    };
}
