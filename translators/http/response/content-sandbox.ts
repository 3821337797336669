/**
 * Protection against active content. Payloads are untrusted files served from this origin: a page among them must not act on behalf of its
 * viewer.
 */

import type { ResponseObject } from '@hapi/hapi';

/**
 * Types without active content, displayed without sandbox, which some viewers (PDF) do not support. Not XML of any kind, which browsers display with
 * its scripts.
 */
const PASSIVE = /^(application\/(json|pdf|octet-stream)|[\w.+-]+\/[\w.+-]+\+json|text\/plain|image\/(?!svg)[\w.+-]+|(audio|video|font)\/[\w.+-]+)\s*(;|$)/i;

const XML = /^[^;,]*[+/]xml\b/i;

/** True if browsers display nothing active. Of several types in one value, separated by commas, they take the last one. */
function isPassive(mediaType: string): boolean {

    return PASSIVE.test(mediaType) && !XML.test(mediaType) && !mediaType.includes(',');
}

/**
 * Sets an untrusted media type on a response. Browsers must not guess another (`nosniff`); any type that may contain scripts (HTML, SVG,
 * XML, and unknown ones) is displayed in a sandbox, without scripts or origin. Files of administrators are trusted and only get `nosniff`.
 */
export function withForeignType(response: ResponseObject, mediaType: string, { isTrusted = false } = {}): ResponseObject {

    response.type(mediaType).header('x-content-type-options', 'nosniff');
    return isTrusted || isPassive(mediaType) ? response : response.header('content-security-policy', 'sandbox');
}
