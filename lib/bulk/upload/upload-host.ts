/** Script host for the validation of an upload: objects, payloads and types are those after the upload. Searches use the current index. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { StoredElement } from '../../model/stored-object.js';
import type { ScriptHost, ScriptSearchParams } from '../../scripting/protocol/script-host.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import { badRequest } from '../../errors/errors.js';
import { verifyObject } from '../../objects/hashes/verification.js';
import { isJsonObject } from '../../util/json-types.js';
import { readBytes } from '../../doip/segments.js';
import { errorsBySchemaInTurns } from '../../types/ad-hoc-validation.js';
import type { ScriptScope } from '../../model/script-scope.js';

/** The state after the upload. */
export interface PlannedObjects {
    readonly registry: TypeRegistry;
    /** The object in its full form; null when it is invalid or not validated yet, undefined when the upload does not contain it. */
    find(id: string): Promise<{ readonly form: JsonObject; readonly elements: readonly StoredElement[] } | null | undefined>;
    /** False for an object that the upload deletes. */
    remains(id: string): boolean;
    open(element: StoredElement): AsyncIterable<Uint8Array>;
}

/** The service after the upload. */
export class UploadHost implements ScriptHost {

    readonly #stored: ScriptHost;
    readonly #planned: PlannedObjects;

    constructor(stored: ScriptHost, planned: PlannedObjects) {

        this.#stored = stored;
        this.#planned = planned;
    }

    async get(id: string, scope: ScriptScope): Promise<JsonObject | null> {

        const found = await this.#planned.find(id);
        return found === undefined ? this.#planned.remains(id) ? this.#stored.get(id, scope) : null : found?.form ?? null;
    }

    async search(query: string, params: ScriptSearchParams, scope: ScriptScope): Promise<JsonObject> {

        const { results, ...facts } = await this.#stored.search(query, params, scope);
        const found: JsonValue[] = [];
        for (const result of Array.isArray(results) ? results : []) {
            const id = isJsonObject(result) ? result['id'] : undefined;
            const object = typeof id === 'string' ? await this.get(id, scope) : null;
            if (object) {
                found.push(object);
            }
        }

        return { ...facts, results: found };
    }

    create(): Promise<JsonObject> {

        return reject();
    }

    update(): Promise<JsonObject> {

        return reject();
    }

    delete(): Promise<void> {

        return reject();
    }

    async payload(id: string, name: string, limit: number, scope: ScriptScope): Promise<Uint8Array | null> {

        const found = await this.#planned.find(id);
        if (found === undefined) {
            return this.#planned.remains(id) ? this.#stored.payload(id, name, limit, scope) : null;
        }

        const element = found?.elements.find((candidate) => candidate.name === name);
        if (element && element.size > limit) {
            throw badRequest(`payload ${name} of ${id} has ${element.size} bytes: a script can be given at most ${limit} at a time`);
        }

        return element ? readBytes(this.#planned.open(element), limit) : null;
    }

    verifySecret(object: JsonValue, pointer: string, secret: string, scope: ScriptScope): Promise<boolean> {

        return this.#stored.verifySecret(object, pointer, secret, scope);
    }

    async verifyHashes(object: JsonObject, scope: ScriptScope): Promise<JsonObject> {

        const id = typeof object['id'] === 'string' ? object['id'] : '';
        const found = await this.#planned.find(id);
        if (found === undefined && this.#planned.remains(id)) {
            return await this.#stored.verifyHashes(object, scope);
        }

        return await verifyObject(object, { elements: found?.elements ?? [], open: (element) => this.#planned.open(element), signal: scope.signal });
    }

    async validate(value: JsonValue, schema: JsonValue): Promise<JsonObject> {

        const errors = await errorsBySchemaInTurns(schema, value, (name) => this.#planned.registry.documentOf(name));
        return { success: errors.length === 0, errors: errors.map(({ pointer, message }) => ({ pointer, message })) };
    }

    groupsOf(userId: string, scope: ScriptScope): Promise<readonly string[]> {

        return this.#stored.groupsOf(userId, scope);
    }

    publicKey(scope: ScriptScope): Promise<JsonObject> {

        return this.#stored.publicKey(scope);
    }

    sign(payload: JsonValue, scope: ScriptScope): Promise<string> {

        return this.#stored.sign(payload, scope);
    }
}

async function reject(): Promise<never> {

    throw badRequest('nothing can be written by scripts while an upload of objects is in progress');
}
