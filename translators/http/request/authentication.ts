/**
 * Copies the credentials of a request into the authentication object of the envelope (specification, "Authentication"). The gateway
 * verifies them, and rejects those that cannot be read.
 */

import { unreadableAuthentication } from '../../../lib/doip/envelope.js';
import { badRequest } from '../../../lib/errors/errors.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { decodeUtf8, parseJson } from '../../../lib/json/strict-parser.js';
import { decodeHeader } from '../../../lib/util/text/header-text.js';
import { header } from '../headers/decode.js';
import type { RequestHeaders } from '../headers/decode.js';

/** Credentials from parameters. */
export interface CredentialParameters {
    /** The parameter `authentication`. */
    readonly authentication?: JsonValue | undefined;
    /** The parameter `access_token`; used only without an Authorization header. */
    readonly accessToken?: string | undefined;
}

/**
 * Returns the authentication object: `{}` without credentials, otherwise `{username, password}`, `{token}` or the object of the Doip
 * scheme, with `asUserId` from the As-User header and the properties of the parameter. Of what cannot be read it says why.
 *
 * @throws DoipError 400 for a property that is given twice
 */
export function readAuthentication(headers: RequestHeaders, parameters: CredentialParameters = {}): JsonObject {

    try {
        const authorization = headers['authorization'];
        const authentication = typeof authorization === 'string' ? parseAuthorization(authorization.trim()) : fromAccessToken(parameters.accessToken);
        const asUser = header(headers, 'as-user')?.trim();
        if (asUser) {
            add(authentication, 'asUserId', asUser);
        }

        if (parameters.authentication !== undefined && parameters.authentication !== null) {
            addAll(authentication, parameters.authentication);
        }

        return authentication;
    }
    catch (error) {
        if (error instanceof Unreadable) {
            return unreadableAuthentication(error.message);
        }

        throw error;
    }
}

/** Credentials that cannot be read. */
class Unreadable extends Error {}

function fromAccessToken(accessToken: string | undefined): JsonObject {

    return accessToken === undefined || accessToken === '' ? {} : { token: accessToken };
}

function parseAuthorization(text: string): JsonObject {

    // Linear: the part after the scheme matches anything
    // eslint-disable-next-line regexp/no-super-linear-backtracking
    const [, scheme = '', credentials = ''] = /^(\S+)[ \t]*([^]*)$/.exec(text) ?? [];
    switch (scheme.toLowerCase()) {
        case 'basic':
            return parseBasic(credentials);
        case 'bearer':
            return parseBearer(credentials);
        case 'doip':
            return parseDoip(credentials);
        default:
            throw new Unreadable('the Authorization header must use the scheme Basic, Bearer or Doip');
    }
}

function parseBasic(credentials: string): JsonObject {

    const bytes = decodeBase64(credentials);
    const text = bytes && decodeHeader(bytes.toString('latin1'));
    const colon = text?.indexOf(':') ?? -1;
    if (text === null || colon < 0) {
        throw new Unreadable('the Authorization header is malformed: Basic needs the Base64 form of username:password');
    }

    return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function parseBearer(credentials: string): JsonObject {

    if (!/^[\x21-\x7e]+$/.test(credentials)) {
        throw new Unreadable('the Authorization header is malformed: Bearer needs one token');
    }

    return { token: credentials };
}

function parseDoip(credentials: string): JsonObject {

    const bytes = decodeBase64(credentials);
    const value = bytes && readJsonObject(bytes);
    if (!value) {
        throw new Unreadable('the Authorization header is malformed: Doip needs the Base64 form of a JSON object');
    }

    return value;
}

function readJsonObject(bytes: Buffer): JsonObject | null {

    try {
        const value = parseJson(decodeUtf8(bytes), { maxDepth: 16 });
        return isJsonObject(value) ? value : null;
    }
    catch {
        return null;                                        // The text may contain a secret, so the message does not quote it
    }
}

/** Decodes base64, plain or URL-safe, with or without padding; null when invalid. */
function decodeBase64(text: string): Buffer | null {

    return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function addAll(authentication: JsonObject, parameter: JsonValue): void {

    if (!isJsonObject(parameter)) {
        throw new Unreadable('parameter authentication must be a JSON object');
    }

    for (const [key, value] of Object.entries(parameter)) {
        add(authentication, key, value);
    }
}

function add(authentication: JsonObject, key: string, value: JsonValue): void {

    if (Object.hasOwn(authentication, key)) {
        throw badRequest(`authentication property ${key} is given more than once`);
    }

    authentication[key] = value;
}
