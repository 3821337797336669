/**
 * Implements host calls on the services, with full rights and without hooks. During a dry run the writes of scripts are dry
 * runs too.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Identity } from '../../identity/identity.js';
import type { ElementService } from '../../objects/elements/element-service.js';
import type { ObjectCreation } from '../../objects/create-object.js';
import type { ObjectService } from '../../objects/object-service.js';
import type { ObjectReader } from '../../objects/read/object-reader.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { WriteContext } from '../../model/write-context.js';
import type { SearchService } from '../../search/search-service.js';
import type { Catalog } from '../../types/catalog.js';
import { badRequest } from '../../errors/errors.js';
import { LengthBudget } from '../../util/concurrency/event-loop-yielder.js';
import { isJsonObject } from '../../util/json-types.js';
import { readBytes } from '../../doip/segments.js';
import { SERVICE, serviceFor, type Caller } from '../../model/caller.js';
import { checkAcl, checkContent, checkElementName, checkTypeName, checkUserMetadata, type FieldLimits } from '../../objects/input/field-validation.js';
import { verifyObject } from '../../objects/hashes/verification.js';
import { errorsBySchemaInTurns } from '../../types/ad-hoc-validation.js';
import type { ScriptHost, ScriptSearchParams } from '../protocol/script-host.js';
import { sign } from '../sandbox/jwt.js';
import type { ScriptScope } from '../../model/script-scope.js';
import type { InvocationContext } from '../protocol/invocation-context.js';
import type { ObjectInput } from '../../model/object-input.js';
import { readSortFields } from '../../search/query/search-request.js';
import { toFullForm } from '../../model/stored-object.js';

/** The services that scripts can use. */
export interface ScriptedServices {
    readonly catalog: Catalog;
    readonly elements: ElementService;
    /** Tokens, sessions and users. */
    readonly identity: Identity;
    readonly limits: FieldLimits;
    /** Changes and deletes objects. */
    readonly objects: ObjectService;
    readonly creation: ObjectCreation;
    /** Reads the targets of requests. */
    readonly reader: ObjectReader;
    readonly search: SearchService;
}

/** What the host calls of all scripts share. */
export interface HostParts {
    readonly objects: ObjectPages;
    /** Maximum length of the results of a search as JSON text, in UTF-16 code units. */
    readonly maxResultLength: number;
}

/** Reads the objects that exist among some ids, in their order, in pages that fit into memory. */
export interface ObjectPages {
    pages(ids: readonly string[]): AsyncIterable<readonly StoredObject[]>;
}

/** Maximum number of search results for one host call. */
const MAX_RESULTS = 10_000;

/** Caller of searches: finds everything. Without user id, so that fair scheduling depends on the caller of the script. */
const READER: Caller = { ...SERVICE, userId: null };

/** Host calls for the scripts of one request. */
export class ServiceHost implements ScriptHost {

    readonly #services: ScriptedServices;
    readonly #parts: HostParts;
    readonly #invocation: InvocationContext;

    constructor(services: ScriptedServices, parts: HostParts, invocation: InvocationContext) {

        this.#services = services;
        this.#parts = parts;
        this.#invocation = invocation;
    }

    async get(id: string): Promise<JsonObject | null> {

        const { object } = await this.#services.reader.view(id);
        return object && fullForm(object);
    }

    async search(query: string, { pageNum, pageSize, sortFields }: ScriptSearchParams, { signal, callerKey }: ScriptScope): Promise<JsonObject> {

        const { search } = this.#services;
        const limit = pageSize < 0 ? null : pageSize;
        const found = await search.indexedIds({
            query, filterQueries: [], facets: [], sort: readSortFields(sortFields),
            start: limit === null ? 0 : pageNum * limit, limit, includeScore: false, includeVersions: false
        }, { caller: READER, remoteAddress: `script ${callerKey}`, requestContext: {}, signal });
        const results: JsonObject[] = [];
        const budget = new LengthBudget();
        let length = 0;
        for await (const ids of found.blocks) {
            for await (const page of this.#parts.objects.pages(ids)) {
                // Nobody waits any more, and other searches of the caller wait for this one.
                signal.throwIfAborted();
                for (const object of page) {
                    const form = fullForm(object);
                    const { length: more } = JSON.stringify(form);
                    length += more;
                    this.#checkResults(results.push(form), length);
                    await budget.spend(more);
                }
            }
        }

        return { pageNum, pageSize, size: found.size, results };
    }

    #checkResults(count: number, length: number): void {

        if (count > MAX_RESULTS) {
            throw badRequest(`a script can be given at most ${MAX_RESULTS} results of a search at a time`);
        }

        if (length > this.#parts.maxResultLength) {
            throw badRequest(`the results of the search are longer than ${this.#parts.maxResultLength} characters: a script must ask for them in pages`);
        }
    }

    async create(object: JsonObject, scope: ScriptScope): Promise<JsonObject> {

        return fullForm(await this.#services.creation.create(this.#input(object), this.#writing(scope)));
    }

    async update(object: JsonObject, scope: ScriptScope): Promise<JsonObject> {

        const input = this.#input(object);
        if (input.id === undefined) {
            throw badRequest('an object that is to be updated must have an id');
        }

        return fullForm(await this.#services.objects.update(input.id, { input, allowTypeChange: true, restoresNumbers: true }, this.#writing(scope)));
    }

    async delete(id: string, scope: ScriptScope): Promise<void> {

        await this.#services.objects.remove(id, this.#writing(scope));
    }

    async payload(id: string, name: string, limit: number): Promise<Uint8Array | null> {

        const { elements, reader } = this.#services;
        const element = (await reader.view(id)).object?.elements.find((candidate) => candidate.name === name);
        if (element && element.size > limit) {
            throw badRequest(`payload ${name} of ${id} has ${element.size} bytes: a script can be given at most ${limit} at a time`);
        }

        return element ? await readBytes(elements.open(element, null), limit) : null;
    }

    async verifySecret(object: JsonValue, pointer: string, secret: string): Promise<boolean> {

        const id = isJsonObject(object) ? object['id'] : object;
        if (typeof id !== 'string') {
            throw badRequest('verifySecret needs an object or its id');
        }

        return await this.#services.identity.secureValues.verify(id, pointer, secret);
    }

    async verifyHashes(object: JsonObject, { signal }: ScriptScope): Promise<JsonObject> {

        const { elements, reader } = this.#services;
        const { object: stored } = await reader.view(typeof object['id'] === 'string' ? object['id'] : '');
        return await verifyObject(object, { elements: stored?.elements ?? [], open: (element) => elements.open(element, null), signal });
    }

    async validate(value: JsonValue, schema: JsonValue): Promise<JsonObject> {

        const { current } = this.#services.catalog;
        const violations = await errorsBySchemaInTurns(schema, value, (name) => current.documentOf(name));
        const errors = violations.map(({ pointer, message }) => ({ pointer, message: pointer === '' ? message : `${pointer}: ${message}` }));
        return { success: violations.length === 0, errors };
    }

    async groupsOf(userId: string): Promise<readonly string[]> {

        return await this.#services.identity.directory.groupIdsOf([userId]);
    }

    async publicKey(): Promise<JsonObject> {

        return (await this.#services.identity.serviceKey.pair()).publicKey;
    }

    async sign(payload: JsonValue): Promise<string> {

        return sign(payload, (await this.#services.identity.serviceKey.pair()).privateKey);
    }

    /** Context of writes by scripts: on behalf of the service, within the chain of the request. */
    #writing(scope: ScriptScope): WriteContext {

        const { caller, chain, isDryRun, requestContext } = this.#invocation;
        return { caller: serviceFor(caller), dryRun: isDryRun, requestContext, chain: { ...chain, scope } };
    }

    /** Validates an object that a script wants to store. Elements can be removed, but not written. */
    #input(object: JsonObject): ObjectInput {

        const { limits } = this.#services;
        const { id, type, content, acl, userMetadata, payloadsToDelete } = object;
        if (id !== undefined && id !== null && typeof id !== 'string') {
            throw badRequest('id must be a string');
        }

        return {
            ...typeof id === 'string' && id !== '' ? { id } : {},
            ...type === undefined || type === null ? {} : { type: checkTypeName(type, limits) },
            content: checkContent(content),
            ...acl === undefined || acl === null ? {} : { acl: checkAcl(acl, limits) },
            ...userMetadata === undefined || userMetadata === null ? {} : { userMetadata: checkUserMetadata(userMetadata) },
            elements: new Map(),
            elementsToDelete: Array.isArray(payloadsToDelete) ? payloadsToDelete.map((name) => checkElementName(name, limits)) : []
        };
    }
}

function fullForm(object: StoredObject): JsonObject {

    return toFullForm(object, { ...object.metadata });
}
