/**
 * Answers that a browser might take for more than data. Payloads are files of strangers served under our own name: a page
 * among them must not act for whoever looks at it.
 */

import type { Lifecycle } from '@hapi/hapi';

/** Nothing that a browser runs: shown as it is, also by viewers that do not work in a sandbox (PDF). */
const PASSIVE = /^(application\/(json|pdf|octet-stream)|[\w.+-]+\/[\w.+-]+\+json|text\/plain|image\/(?!svg)[\w.+-]+|(audio|video|font)\/[\w.+-]+)\s*(;|$)/i;

/**
 * For `onPreResponse`. Types are taken at their word (`nosniff`); whatever may hold scripts (HTML, SVG, XML and all that is not
 * known to be passive) is shown in a sandbox: scripts do not run, and the page has no origin.
 */
export const safeContent: Lifecycle.Method = (request, h) => {

    const { response } = request;
    if ('isBoom' in response) {
        response.output.headers['x-content-type-options'] = 'nosniff';
        return h.continue;
    }

    response.header('x-content-type-options', 'nosniff');
    const type: unknown = response.headers['content-type'];
    if (typeof type === 'string' && !PASSIVE.test(type)) {
        response.header('content-security-policy', 'sandbox');
    }

    return h.continue;
};
