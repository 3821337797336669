/** PROVISIONAL, to be replaced as a whole by the real module; the names used by callers stay. */

import type { ContentFault } from '../doip/error.js';
import type { ContentReference } from './type-definition.js';

export function referenceFaults(references: readonly ContentReference[], types: ReadonlyMap<string, string>): ContentFault[] {

    return references.filter(({ id }) => !types.has(id)).map(({ pointer, id }) => ({ pointer, message: `Unexpected missing cordra object ${id} at ${pointer}` }));
}
