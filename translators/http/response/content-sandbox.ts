/**
 * Bytes and texts that a browser might take for more than data. Payloads are files of strangers served under our own name: a
 * page among them must not act for whoever looks at it.
 */

import type { ResponseObject } from '@hapi/hapi';

/** Nothing that a browser runs: shown as it is, also by viewers that do not work in a sandbox (PDF). */
const PASSIVE = /^(application\/(json|pdf|octet-stream)|[\w.+-]+\/[\w.+-]+\+json|text\/plain|image\/(?!svg)[\w.+-]+|(audio|video|font)\/[\w.+-]+)\s*(;|$)/i;

/**
 * Gives a response a media type that somebody else chose. Types are taken at their word (`nosniff`); whatever may hold scripts
 * (HTML, SVG, XML and all that is not known to be passive) is shown in a sandbox: scripts do not run, and the page has no
 * origin. Bytes of the administrator are trusted, and only taken at their word.
 */
export function withForeignType(response: ResponseObject, mediaType: string, { isTrusted = false } = {}): ResponseObject {

    response.type(mediaType).header('x-content-type-options', 'nosniff');
    return isTrusted || PASSIVE.test(mediaType) ? response : response.header('content-security-policy', 'sandbox');
}
