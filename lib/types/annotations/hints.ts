/**
 * Annotations of single properties that other modules use.
 */

import { memberOf } from '../schema/extension-keyword.js';
import type { Annotation } from '../../model/processed-content.js';

/** Returns the text of the primary property (`preview.isPrimary`), from which an id may be derived; undefined if there is none. */
export function primaryText(annotations: readonly Annotation[]): string | undefined {

    const primary = annotations.filter(({ keyword }) => memberOf(keyword, 'preview', 'isPrimary') === true).map(({ value }) => value);
    const found = primary.find((value) => typeof value !== 'object');
    return found === undefined ? undefined : String(found);
}

/** Returns the media type in which the text at a JSON pointer is served (`response.mediaType`); undefined if there is none. */
export function textMediaType(annotations: readonly Annotation[], pointer: string): string | undefined {

    const types = annotations.filter((annotation) => annotation.pointer === pointer)
        .map(({ keyword }) => memberOf(keyword, 'response', 'mediaType'));
    return types.find((type) => typeof type === 'string');
}
