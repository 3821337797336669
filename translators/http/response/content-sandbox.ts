/**
 * Protection against active content. Payloads are untrusted files served from this origin: a page among them must not act on behalf of its
 * viewer.
 */

import type { ResponseObject } from '@hapi/hapi';

/** Types without active content, displayed without sandbox, which some viewers (PDF) do not support. */
const PASSIVE = /^(application\/(json|pdf|octet-stream)|[\w.+-]+\/[\w.+-]+\+json|text\/plain|image\/(?!svg)[\w.+-]+|(audio|video|font)\/[\w.+-]+)\s*(;|$)/i;

/**
 * Sets an untrusted media type on a response. Browsers must not guess another (`nosniff`); any type that may contain scripts (HTML, SVG,
 * XML, and unknown ones) is displayed in a sandbox, without scripts or origin. Files of administrators are trusted and only get `nosniff`.
 */
export function withForeignType(response: ResponseObject, mediaType: string, { isTrusted = false } = {}): ResponseObject {

    response.type(mediaType).header('x-content-type-options', 'nosniff');
    return isTrusted || PASSIVE.test(mediaType) ? response : response.header('content-security-policy', 'sandbox');
}
