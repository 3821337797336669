/**
 * Tries another definition of a type, schema and code, which is not stored, on one of its objects. First the Schema object is updated with it in a dry run:
 * only what could be stored is tried, as its code runs with the rights of the service. Then the object is updated with its own content in a dry run, by the
 * same steps as any update. The code runs in the sandbox with the usual limits; what it writes is not stored.
 */

import type { JsonObject } from '../util/json-types.js';
import type { StoredObject } from '../model/stored-object.js';
import type { WriteContext } from '../model/write-context.js';
import type { TypeRegistry } from '../types/type-registry.js';
import type { Lifecycle } from './hooks/lifecycle.js';
import type { WriteParts } from './object-transaction.js';
import type { ContentPipeline, TypeCatalog } from './content-pipeline.js';
import { badRequest, DoipError } from '../errors/errors.js';
import { KeyedLocks } from '../util/concurrency/keyed-mutex.js';
import { ObjectService } from './object-service.js';

/** A definition to be tried. */
export interface RehearsalRequest {
    readonly type: string;
    /** Content of the Schema object. The name of the type stays. */
    readonly definition: JsonObject;
    /** The object. */
    readonly id: string;
    /** Throws unless the caller may change the Schema object. */
    readonly checkAuthor: (schema: StoredObject) => void;
}

/** Dependencies, besides those of a write. */
export interface RehearsalParts extends WriteParts {
    /** Hooks for types that are not stored. */
    readonly lifecycleOf: (types: TypeRegistry) => Lifecycle;
    readonly pipelineOf: (catalog: TypeCatalog) => ContentPipeline;
}

/** Tries definitions. */
export class TypeRehearsal {

    readonly #parts: RehearsalParts;
    /** Changes objects by the stored types. */
    readonly #stored: ObjectService;

    constructor(parts: RehearsalParts) {

        this.#parts = parts;
        this.#stored = new ObjectService(parts);
    }

    /**
     * Returns the object as an update would store it.
     *
     * @throws DoipError 400 if the definition cannot be stored, or its code fails, with line and column; else as an update
     */
    async update({ type, definition, id, checkAuthor }: RehearsalRequest, context: WriteContext): Promise<StoredObject> {

        const { lifecycleOf, pipelineOf } = this.#parts;
        const content = await this.#storable(type, definition, { ...context, check: checkAuthor });
        const { current } = this.#parts.catalog;
        await current.prepareSchemaObject(content);
        const types = current.withType(type, content);
        const catalog: TypeCatalog = { current: types, require: (name) => types.require(name) };
        const objects = new ObjectService({
            ...this.#parts, catalog, lifecycle: lifecycleOf(types), pipeline: pipelineOf(catalog),
            // Its own: the code of a caller who may not write the object keeps nobody from writing it.
            locks: new KeyedLocks()
        });
        // A copy, so that it is validated as content that was sent.
        const request = { ...NO_ELEMENTS, edit: (stored: JsonObject) => ({ ...stored }) };
        try {
            return await objects.update(id, request, { ...context, dryRun: true });
        }
        catch (error) {
            throw error instanceof DoipError ? ofAuthor(error, type) : error;
        }
    }

    /** Returns the content of the Schema object as an update would store it. */
    async #storable(type: string, definition: JsonObject, context: WriteContext): Promise<JsonObject> {

        const schemaId = this.#parts.catalog.require(type).schemaId;
        if (schemaId === null) {
            throw badRequest(`type ${type} is built in and cannot be changed`);
        }

        const request = { ...NO_ELEMENTS, edit: () => ({ ...definition, name: type }) };
        return (await this.#stored.update(schemaId, request, { ...context, dryRun: true })).content;
    }
}

const NO_ELEMENTS = { input: { elements: new Map(), elementsToDelete: [] } };

/** The error of code that has failed is one of the request, which contains the code: with its place, where that is in the code of the type. */
function ofAuthor(error: DoipError, type: string): DoipError {

    const { stack } = error.details as { readonly stack?: unknown };
    if (typeof stack !== 'string') {
        return error;
    }

    const frame = `(/cordra/schemas/${type}:`;
    const at = stack.indexOf(frame);
    const [, line, column] = (at === -1 ? null : /^(\d+):(\d+)\)/.exec(stack.slice(at + frame.length))) ?? [];
    if (line === undefined || column === undefined) {
        return badRequest(error.message, { details: { stack } });
    }

    const errors = [{ pointer: '/javascript', message: error.message, line: Number(line), column: Number(column) }];
    return badRequest(`${error.message} (line ${line}, column ${column})`, { details: { errors, stack } });
}
