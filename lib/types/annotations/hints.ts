/**
 * Small facts that schemas note at properties and that other parts of the service ask for.
 */

import { memberOf } from '../schema/extension-keyword.js';
import type { Annotation } from '../../model/processed-content.js';

/** Text of the primary property (`preview.isPrimary`), from which an id may be derived; undefined when none is marked. */
export function primaryText(annotations: readonly Annotation[]): string | undefined {

    const primary = annotations.filter(({ keyword }) => memberOf(keyword, 'preview', 'isPrimary') === true).map(({ value }) => value);
    const found = primary.find((value) => typeof value !== 'object');
    return found === undefined ? undefined : String(found);
}

/** Media type in which the text at a pointer is to be answered (`response.mediaType`); undefined when none is noted. */
export function textMediaType(annotations: readonly Annotation[], pointer: string): string | undefined {

    const types = annotations.filter((annotation) => annotation.pointer === pointer)
        .map(({ keyword }) => memberOf(keyword, 'response', 'mediaType'));
    return types.find((type) => typeof type === 'string');
}
