/**
 * Checks stored objects of a type against another schema for it, page by page, by the code that validates objects when they are written. Hooks of the
 * type do not run.
 */

import { LRUCache } from 'lru-cache';
import type { ContentError } from '../errors/errors.js';
import { DoipError } from '../errors/errors.js';
import type { JsonObject } from '../util/json-types.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { Caller } from '../model/caller.js';
import { LazyStoredObject } from '../model/lazy-stored-object.js';
import type { StoredObject } from '../model/stored-object.js';
import type { ObjectScan } from '../stores/objects/object-scan.js';
import type { Catalog } from '../types/catalog.js';
import type { TypeDefinition } from '../types/type-definition.js';
import type { TypeRegistry } from '../types/type-registry.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';

/** A page to check. */
export interface SchemaCheckRequest {
    readonly type: string;
    readonly schema: JsonObject;
    /** Id after which the page begins; empty for the first. */
    readonly after: string;
    /** Maximum number of objects. */
    readonly pageSize: number;
}

/** An object that does not fit. */
export interface Misfit {
    readonly id: string;
    readonly errors: readonly ContentError[];
}

/** Result of a page. */
export interface SchemaCheckPage {
    readonly checked: number;
    readonly invalid: number;
    /** Some of the objects that do not fit and that the caller may read. */
    readonly samples: readonly Misfit[];
    /** Where the next page begins; null for the last one. */
    readonly next: string | null;
}

const MAX_SAMPLES = 20;
const MAX_ERRORS = 10;
const MAX_MESSAGE = 500;

/** Maximum number of schemas that stay compiled from page to page, and of characters of their texts. */
const MAX_COMPILED = 20;
const MAX_COMPILED_TEXT = 2_000_000;

/** Number of objects that are read at a time. */
const BATCH = 25;

/** Time in ms after which a page ends early: the client goes on with the next one. */
const PAGE_MS = 2000;

/** Time in ms that checks take before they yield to the event loop. */
const TURN_MS = 4;

/** Checks objects. */
export class SchemaCheck {

    readonly #objects: Pick<ObjectScan, 'idsOfTypeAfter' | 'text' | 'texts'>;
    readonly #catalog: Pick<Catalog, 'current'>;
    readonly #policy: Policy;
    readonly #yielder = new EventLoopYielder();
    /** By type and schema text: a check asks for page after page with the same schema. */
    readonly #compiled = new LRUCache<string, { readonly types: TypeRegistry; readonly definition: TypeDefinition }>({
        max: MAX_COMPILED, maxSize: MAX_COMPILED_TEXT, sizeCalculation: (_, key) => key.length
    });

    constructor(parts: { objects: Pick<ObjectScan, 'idsOfTypeAfter' | 'text' | 'texts'>; catalog: Pick<Catalog, 'current'>; policy: Policy }) {

        this.#objects = parts.objects;
        this.#catalog = parts.catalog;
        this.#policy = parts.policy;
    }

    /**
     * Checks a page of objects.
     *
     * @throws DoipError 400 with JSON pointers if the schema cannot be used
     */
    async page({ type, schema, after, pageSize }: SchemaCheckRequest, caller: Caller, signal: AbortSignal): Promise<SchemaCheckPage> {

        const definition = await this.#definition(type, schema);
        const ids = await this.#objects.idsOfTypeAfter(type, after, pageSize + 1);
        const page = ids.slice(0, pageSize);
        const began = performance.now();
        const samples: Misfit[] = [];
        let [checked, invalid, turn, last] = [0, 0, began, after];
        for await (const object of this.#read(page, signal)) {
            last = object.id;
            ++checked;
            const errors = object.type === type ? errorsOf(definition, object) : [];
            if (errors.length > 0) {
                ++invalid;
                if (samples.length < MAX_SAMPLES && this.#policy.canRead(caller, object).allowed) {
                    samples.push({ id: object.id, errors });
                }
            }

            const now = performance.now();
            if (now - began > PAGE_MS) {
                return { checked, invalid, samples, next: last === ids.at(-1) ? null : last };
            }

            if (now - turn > TURN_MS) {
                await this.#yielder.yield();
                turn = performance.now();
            }
        }

        return { checked, invalid, samples, next: ids.length > page.length ? page.at(-1) ?? null : null };
    }

    /** The type with another schema, as long as no type changes. @throws DoipError 400 */
    async #definition(type: string, schema: JsonObject): Promise<TypeDefinition> {

        const types = this.#catalog.current;
        const key = JSON.stringify([type, schema]);
        const cached = this.#compiled.get(key);
        if (cached?.types === types) {
            return cached.definition;
        }

        await types.prepareSchema(type, schema);
        const definition = types.withSchema(type, schema);
        await definition.prepare();
        this.#compiled.set(key, { types, definition });
        return definition;
    }

    /** Reads objects in the order of their ids, long ones alone; those that were deleted meanwhile are left out. */
    async *#read(ids: readonly string[], signal: AbortSignal): AsyncGenerator<StoredObject, void, undefined> {

        for (let start = 0; start < ids.length; start += BATCH) {
            signal.throwIfAborted();
            const batch = ids.slice(start, start + BATCH);
            const { objects } = await this.#objects.texts(batch);
            const byId = new Map(objects.map((parts) => [parts.id, parts]));
            for (const id of batch) {
                const parts = byId.get(id) ?? await this.#objects.text(id);
                if (parts) {
                    yield new LazyStoredObject(parts).read();
                }
            }
        }
    }
}

/** The errors that a write of the unchanged content would get. */
function errorsOf(definition: TypeDefinition, { id, content, metadata }: StoredObject): ContentError[] {

    try {
        const { createdOn, createdBy, modifiedOn, modifiedBy } = metadata;
        definition.process({ content, id, createdOn, createdBy, modifiedOn, modifiedBy });
        return [];
    }
    catch (error) {
        if (!(error instanceof DoipError)) {
            throw error;
        }

        const { errors = [{ pointer: '', message: error.message }] } = error.details as { readonly errors?: readonly ContentError[] };
        return errors.slice(0, MAX_ERRORS).map(({ pointer, message }) => ({ pointer, message: message.slice(0, MAX_MESSAGE).toWellFormed() }));
    }
}
