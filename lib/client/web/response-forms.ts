/** Forms of responses: what the client relies on is checked, so that a response of something else than the service is an error of its own. */

import { isJson } from './json.js';

/** True for a value of the form that a method returns. */
export type Form = (value: unknown) => boolean;

/** Any JSON. */
export const anything: Form = () => true;

export const record: Form = isJson;

/** An object of the repository, or a version of one. */
export const object: Form = (value) => isJson(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string';

export const text: Form = (value) => typeof value === 'string';

export const caller: Form = (value) => isJson(value) && typeof value['active'] === 'boolean';

/** A list of values of one form. */
export function listOf(form: Form): Form {

    return (value) => Array.isArray(value) && value.every(form);
}

/** A page of results of one form. */
export function pageOf(form: Form): Form {

    const results = listOf(form);
    return (value) => isJson(value) && typeof value['size'] === 'number' && results(value['results']);
}

const batchResults = listOf((value) => isJson(value) && typeof value['position'] === 'number' && typeof value['responseCode'] === 'number');

export const batch: Form = (value) => isJson(value) && typeof value['success'] === 'boolean' && batchResults(value['results']);

/** A response with an access token. */
export const token: Form = (value) => isJson(value) && typeof value['access_token'] === 'string';
