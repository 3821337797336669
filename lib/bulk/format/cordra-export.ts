/**
 * Converts exports of the reference implementation: each object is one JSON value, `{"cordraObject": …, "payloads": …}` with payloads as
 * base64, on a line or in a file of its own. Hashes of passwords and of secure properties are in the internal metadata of the object.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { badRequest } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { isJsonObject } from '../../util/json-types.js';
import { importRecord } from '../../identity/passwords/password-hash.js';
import { secretKey } from '../../stores/credential-store.js';
import { DESIGN_TYPE, SCHEMA_TYPE } from '../../types/built-in-types.js';
import { decodeBase64, elementsOf } from '../batch/batch-item.js';
import { lineOf, CHUNK_BYTES, chunkLine } from './export-format.js';

/** An object of such an export. */
export interface ReferenceObject {
    readonly id: string;
    /** True for types and the design, which are imported first because other objects depend on them. */
    readonly isFirst: boolean;
    /** The object as lines of this service's export format. */
    lines(): Iterable<string>;
    /** Messages for the user about what is not imported, or does not work here. */
    readonly remarks: readonly string[];
}

const ALGORITHM = 'PBKDF2WithHmacSHA1';

/** Consequence of design code that cannot be loaded. */
const LOCKED = ': where it fails when it is loaded, only admin can log in';

/** Code that needs the Java runtime of the reference implementation. */
const JAVA = /\bJava\s*\.\s*type\b|\bjava\s*\.\s*(?:lang|util|io|nio|net)\b|\bPackages\s*\./;

/**
 * Reads an object of an export of the reference implementation.
 *
 * @throws DoipError 400 for any other value
 */
export function readReference(value: JsonValue): ReferenceObject {

    const object = isJsonObject(value) ? value['cordraObject'] : undefined;
    const payloads = isJsonObject(value) ? value['payloads'] ?? {} : {};
    if (!isJsonObject(object) || !isJsonObject(payloads) || typeof object['id'] !== 'string' || object['id'] === '') {
        throw badRequest('is no exported object: expected {"cordraObject": {"id": …}, "payloads": …}');
    }

    const { id, type } = object;
    const { internalMetadata, ...metadata } = isJsonObject(object['metadata']) ? object['metadata'] : {};
    const { secrets, lost } = id === DESIGN_ID ? NO_SECRETS : secretsOf(isJsonObject(internalMetadata) ? internalMetadata : {});
    const bytes = new Map(Object.entries(payloads).map(([name, base64]) => [name, decodeBase64(base64, name)]));
    const { elements, errors } = elementsWith(bytes, elementsOf({ payloads: object['payloads'] ?? [] }));
    const line = {
        id, type: type ?? '',
        attributes: { ...picked(object, 'content', 'acl', 'userMetadata'), metadata },
        elements,
        ...secrets ? { secrets } : {}
    };
    return {
        id,
        isFirst: type === SCHEMA_TYPE || type === DESIGN_TYPE,
        *lines() {

            yield lineOf(line);
            for (const { id: name } of elements) {
                yield *chunkLines(name as string, bytes.get(name as string) ?? Buffer.alloc(0));
            }
        },
        remarks: [...lost, ...errors, ...remarksOn(object)].map((remark) => `${id}: ${remark}`)
    };
}

/**
 * The elements of an object with their lengths. Bytes without a description become an element, too.
 *
 * @throws DoipError 400 for an element whose bytes are missing
 */
function elementsWith(bytes: ReadonlyMap<string, Buffer>, described: readonly JsonObject[]): { elements: JsonObject[]; errors: string[] } {

    const errors: string[] = [];
    const elements = described.map((element): JsonObject => {

        const { id, length: declared, base64Element } = element;
        if (base64Element !== undefined && base64Element !== null) {
            return element;
        }

        const length = bytes.get(id as string)?.byteLength ?? (declared === 0 ? 0 : undefined);
        if (length === undefined) {
            throw badRequest(`the bytes of payload ${typeof id === 'string' ? id : ''} are missing`);
        }

        if (declared !== undefined && declared !== null && declared !== length) {
            errors.push(`payload ${id as string} has ${length} bytes instead of ${JSON.stringify(declared)}`);
        }

        return { ...element, length };
    });
    const names = new Set(described.map(({ id }) => id));
    for (const [id, { byteLength: length }] of bytes) {
        if (!names.has(id)) {
            errors.push(`payload ${id} has bytes, but neither media type nor file name`);
            elements.push({ id, length });
        }
    }

    return { elements, errors };
}

interface Secrets {
    readonly secrets: JsonObject | null;
    readonly lost: readonly string[];
}

const NO_SECRETS: Secrets = { secrets: null, lost: ['the password of admin stays what it is here'] };

function secretsOf({ secureProperties, ...otherSecrets }: JsonObject): Secrets {

    const properties: JsonObject = {};
    const lost: string[] = [];
    for (const [pointer, secret] of Object.entries(isJsonObject(secureProperties) ? secureProperties : {})) {
        const record = recordOf(secret);
        if (record) {
            properties[secretKey(pointer)] = record;
        }
        else {
            lost.push(`the secret at ${pointer} is not hashed in a known way, and is lost`);
        }
    }

    const password = otherSecrets['hash'] === undefined ? null : recordOf(otherSecrets);
    if (otherSecrets['hash'] !== undefined && !password) {
        lost.push('the password is not hashed in a known way: it has to be set anew');
    }

    const secrets = { ...password ? { password } : {}, ...Object.keys(properties).length > 0 ? { properties } : {} };
    return { secrets: Object.keys(secrets).length > 0 ? secrets : null, lost };
}

/** Reads a password record. Numbers may be strings: older versions stored all internal metadata as strings. */
function recordOf(secret: JsonValue): JsonObject | null {

    if (!isJsonObject(secret) || (secret['algorithm'] ?? ALGORITHM) !== ALGORITHM) {
        return null;
    }

    const { iterations } = secret;
    const count = typeof iterations === 'string' && /^\d{1,9}$/.test(iterations) ? Number(iterations) : iterations;
    return importRecord({ ...secret, ...count === undefined || count === null ? {} : { iterations: count } }) as unknown as JsonObject | null;
}

function remarksOn({ type, content, payloads }: JsonObject): string[] {

    const isCode = type === SCHEMA_TYPE || type === DESIGN_TYPE;
    const hasJava = isCode && elementsOf({ payloads: payloads ?? [] }).some(({ id }) => id === 'java');
    return [
        ...hasJava ? ['hooks in Java (its payload java) are kept and not run'] : [],
        ...isCode && JAVA.test(JSON.stringify(codeIn(content))) ? [`its JavaScript uses classes of Java, which are not there${type === DESIGN_TYPE ? LOCKED : ''}`] : []
    ];
}

/** Members that hold code; one level deeper in the design. */
function codeIn(content: JsonValue | undefined): JsonValue[] {

    return isJsonObject(content) ? Object.entries(content).flatMap(([name, value]) => (
        name === 'javascript' ? [value] : ['handleMintingConfig', 'builtInTypes', SCHEMA_TYPE, DESIGN_TYPE].includes(name) ? codeIn(value) : []
    )) : [];
}

function picked(object: JsonObject, ...names: string[]): JsonObject {

    return Object.fromEntries(names.flatMap((name) => (object[name] === undefined || object[name] === null ? [] : [[name, object[name]]])));
}

function *chunkLines(name: string, bytes: Buffer): Generator<string> {

    for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES) {
        yield chunkLine({ name }, bytes.subarray(start, start + CHUNK_BYTES));
    }
}
