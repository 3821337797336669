/**
 * Password records: a hash with all parameters needed to recompute it, as JSON text. New records use scrypt; PBKDF2 with
 * HMAC-SHA1 is supported for data imported from other repositories.
 */

import { pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { isJsonObject } from '../../util/json-types.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';

/** Cost of a hash: `cost` is scrypt's N; memory is 128 × cost × blockSize bytes. */
export interface ScryptCost {
    readonly cost: number;
    readonly blockSize: number;
    readonly parallelization: number;
}

/** Hash by scrypt. Salt and hash in base64url. */
export interface ScryptRecord extends ScryptCost {
    readonly algorithm: 'scrypt';
    readonly salt: string;
    readonly hash: string;
}

/** Imported hash by PBKDF2 with HMAC-SHA1. Salt and hash in hexadecimal, as imported. */
export interface Pbkdf2Record {
    readonly algorithm: 'PBKDF2WithHmacSHA1';
    readonly iterations: number;
    readonly salt: string;
    readonly hash: string;
}

/** A password hash with its parameters. */
export type PasswordRecord = ScryptRecord | Pbkdf2Record;

/** 16 MiB and some 0.1 s: as strong as the OWASP recommendations, with the least memory that is not slow. */
export const DEFAULT_COST: ScryptCost = { cost: 16_384, blockSize: 8, parallelization: 5 };

/** Iterations of old records, which do not contain the number. */
const LEGACY_ITERATIONS = 2048;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

const derivePbkdf2 = promisify(pbkdf2);

/** Hashes a password with a new salt. */
export async function makeRecord(password: string, cost: ScryptCost): Promise<ScryptRecord> {

    const salt = randomBytes(SALT_BYTES);
    const hash = await deriveScrypt(password, salt, HASH_BYTES, cost);
    const { cost: n, blockSize, parallelization } = cost;
    return {
        algorithm: 'scrypt', cost: n, blockSize, parallelization,
        salt: salt.toString('base64url'), hash: hash.toString('base64url')
    };
}

/** Recomputes the hash of a password and compares in constant time. */
export async function matchesRecord(password: string, record: PasswordRecord): Promise<boolean> {

    const encoding = record.algorithm === 'scrypt' ? 'base64url' : 'hex';
    const expected = Buffer.from(record.hash, encoding);
    const salt = Buffer.from(record.salt, encoding);
    const actual = record.algorithm === 'scrypt' ?
        await deriveScrypt(password, salt, expected.length, record) :
        await derivePbkdf2(password, salt, record.iterations, expected.length, 'sha1');
    return timingSafeEqual(actual, expected);
}

/** True if a record has this cost. */
export function hasCost(record: PasswordRecord, cost: ScryptCost): boolean {

    return record.algorithm === 'scrypt' && record.cost === cost.cost && record.blockSize === cost.blockSize &&
        record.parallelization === cost.parallelization;
}

/** Parses the text of a record; null if it is malformed. */
export function parseRecord(text: string): PasswordRecord | null {

    let value: JsonValue;
    try {
        value = JSON.parse(text) as JsonValue;
    }
    catch {
        return null;
    }

    if (!isJsonObject(value) || typeof value.salt !== 'string' || typeof value.hash !== 'string' || value.hash.length < 16) {
        return null;
    }

    const { algorithm } = value;
    const fits = algorithm === 'scrypt' && [value.cost, value.blockSize, value.parallelization].every(isCount) ||
        algorithm === 'PBKDF2WithHmacSHA1' && isCount(value.iterations);
    return fits ? value as unknown as PasswordRecord : null;
}

/** Converts a record of the reference implementation: `hash` and `salt` in hexadecimal, `iterations`, `algorithm`. Null if it is malformed. */
export function importRecord({ hash, salt, iterations = LEGACY_ITERATIONS }: JsonObject): Pbkdf2Record | null {

    return isHex(hash) && isHex(salt) && isCount(iterations) ? { algorithm: 'PBKDF2WithHmacSHA1', iterations, salt, hash } : null;
}

function deriveScrypt(password: string, salt: Buffer, length: number, { cost, blockSize, parallelization }: ScryptCost): Promise<Buffer> {

    return new Promise((resolve, reject) => {

        const options = { N: cost, r: blockSize, p: parallelization, maxmem: 256 * cost * blockSize + 1024 * parallelization * blockSize };
        scrypt(password, salt, length, options, (error, hash) => {

            if (error) {
                reject(error);
                return;
            }

            resolve(hash);
        });
    });
}

function isCount(value: JsonValue | undefined): value is number {

    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function isHex(value: JsonValue | undefined): value is string {

    return typeof value === 'string' && value.length >= 16 && value.length % 2 === 0 && /^[0-9a-f]+$/i.test(value);
}
