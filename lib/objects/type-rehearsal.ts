/**
 * Tries another definition of a type, schema and code, which is not stored, on one of its objects: the object is updated with its own content in a dry
 * run, by the same steps as any update. The code runs in the sandbox with the usual limits; what it writes is not stored.
 */

import type { JsonObject } from '../util/json-types.js';
import type { StoredObject } from '../model/stored-object.js';
import type { WriteContext } from '../model/write-context.js';
import type { TypeRegistry } from '../types/type-registry.js';
import type { Lifecycle } from './hooks/lifecycle.js';
import type { WriteParts } from './object-transaction.js';
import type { CodeInspector, ContentPipeline, TypeCatalog } from './content-pipeline.js';
import { badRequest, DoipError } from '../errors/errors.js';
import { SCHEMA_TYPE } from '../types/built-in-types.js';
import { ObjectService } from './object-service.js';

/** A definition to be tried. */
export interface RehearsalRequest {
    readonly type: string;
    /** Content of the Schema object. The name of the type stays. */
    readonly definition: JsonObject;
    /** The object. */
    readonly id: string;
}

/** Dependencies, besides those of a write. */
export interface RehearsalParts extends WriteParts {
    /** Hooks and validation of code for types that are not stored. */
    readonly codeOf: (types: TypeRegistry) => { readonly lifecycle: Lifecycle; readonly inspector: CodeInspector };
    readonly pipelineOf: (catalog: TypeCatalog) => ContentPipeline;
}

/** Tries definitions. */
export class TypeRehearsal {

    readonly #parts: RehearsalParts;

    constructor(parts: RehearsalParts) {

        this.#parts = parts;
    }

    /**
     * Returns the object as an update would store it.
     *
     * @throws DoipError 400 if the definition cannot be used, or its code fails, with line and column; else as an update
     */
    async update({ type, definition, id }: RehearsalRequest, context: WriteContext): Promise<StoredObject> {

        const { catalog: { current }, codeOf, pipelineOf } = this.#parts;
        const content = { ...definition, name: type };
        await current.prepareSchemaObject(content);
        const types = current.withType(type, content);
        const { lifecycle, inspector } = codeOf(types);
        await inspector.inspect({ before: null, after: schemaObject(content), processed: null });
        const catalog: TypeCatalog = { current: types, require: (name) => types.require(name) };
        const objects = new ObjectService({ ...this.#parts, catalog, lifecycle, pipeline: pipelineOf(catalog) });
        // A copy, so that it is validated as content that was sent.
        const request = { input: { elements: new Map(), elementsToDelete: [] }, edit: (stored: JsonObject) => ({ ...stored }) };
        try {
            return await objects.update(id, request, { ...context, dryRun: true });
        }
        catch (error) {
            throw error instanceof DoipError ? ofAuthor(error, type) : error;
        }
    }
}

/** The Schema object as it would be. */
function schemaObject(content: JsonObject): StoredObject {

    const metadata = { createdOn: 0, createdBy: '', modifiedOn: 0, modifiedBy: '', txnId: 0 };
    return { id: '', type: SCHEMA_TYPE, content, acl: null, userMetadata: null, elements: [], metadata };
}

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
