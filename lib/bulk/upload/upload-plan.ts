/** Contents of an upload: id, type and position of each object, the future types, and the errors found, each with the position of its object. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Catalog, SchemaRecord } from '../../types/catalog.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import type { ImportedObject } from '../format/import-object.js';
import { badRequest, DoipError, preconditionFailed, tooLarge } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { isJsonObject } from '../../util/json-types.js';
import { checkNewId, type FieldLimits } from '../../objects/input/field-validation.js';
import { DESIGN_TYPE, SCHEMA_TYPE } from '../../types/built-in-types.js';

/** Maximum number of errors reported. */
const MAX_ERRORS = 100;

/** Maximum length of a message in characters, and maximum number of errors per object. */
const MESSAGE_LENGTH = 1000;
const MAX_DETAILS = 20;

/** Maximum number of objects in an upload; their ids are kept in memory during validation. */
const MAX_OBJECTS = 1_000_000;

/** HTTP status of objects that have another version than the upload demands. */
const PRECONDITION_FAILED = 412;

/** Errors of an upload. */
export interface UploadRejection {
    /** Number of invalid objects. */
    readonly count: number;
    /** Message about the first of them. */
    readonly first: string;
    readonly errors: JsonObject[];
    /** True when nothing else is wrong than versions that the upload demands. */
    readonly isStale?: boolean;
}

/** Line of an object in the upload. */
export interface PlannedLine {
    readonly id: string;
    readonly position: number;
    readonly type: string;
    /** Byte offset in the spooled upload. */
    readonly offset: number;
    readonly length: number;
}

/** The error for a rejected upload: nothing was written. 400, or 409 (412 over HTTP) when there are other versions of objects than the upload demands. */
export function rejectionOf({ count, first, errors, isStale = false }: UploadRejection): DoipError {

    const message = `nothing was uploaded: ${count === 1 ? '1 object is' : `${count} objects are`} wrong, ${first}`;
    return (isStale ? preconditionFailed : badRequest)(message, { details: { errors } });
}

/** Contents and errors of an upload. */
export class UploadPlan {

    readonly #catalog: Catalog;
    readonly #keepsStored: boolean;
    readonly #limits: FieldLimits;
    readonly #lines = new Map<string, PlannedLine>();
    readonly #byPosition: PlannedLine[] = [];
    readonly #schemas: (SchemaRecord & { readonly position: number })[] = [];
    readonly #errors = new Map<number, JsonObject>();
    #design: JsonObject | undefined;
    #count = 0;
    #isStale = true;
    #first: { readonly position: number; readonly message: string } | null = null;

    constructor(parts: { catalog: Catalog; limits: FieldLimits; keepsStored: boolean }) {

        this.#limits = parts.limits;
        this.#catalog = parts.catalog;
        this.#keepsStored = parts.keepsStored;
    }

    /** Adds an object. Throws 400 for a duplicate id or a design of another type, 413 beyond the maximum number of objects. */
    add({ id, type, content, metadata }: ImportedObject, location: Omit<PlannedLine, 'id' | 'type'>): void {

        if (id === DESIGN_ID && type !== DESIGN_TYPE) {
            throw badRequest('the type of the design object cannot be changed');
        }

        if (this.#lines.has(id)) {
            throw badRequest(`id ${id} stands in the upload twice`);
        }

        if (this.#lines.size === MAX_OBJECTS) {
            throw tooLarge(`an upload may have at most ${MAX_OBJECTS} objects`);
        }

        const line = { ...location, id, type };
        this.#lines.set(id, line);
        this.#byPosition[location.position] = line;
        if (type === SCHEMA_TYPE && !metadata.isVersion) {
            this.#schemas.push({ id, txnId: 0, content, position: location.position });
        }
        else if (id === DESIGN_ID) {
            this.#design = content;
        }
    }

    /** The line of an object; undefined when the upload does not contain it. */
    lineOf(id: string): PlannedLine | undefined {

        return this.#lines.get(id);
    }

    /** All lines in order. */
    get lines(): Iterable<PlannedLine> {

        return this.#lines.values();
    }

    /** The line at a position. */
    lineAt(position: number): PlannedLine {

        const line = this.#byPosition[position];
        if (!line) {
            throw new Error(`the upload has no object at position ${position}`);
        }

        return line;
    }

    /** True for an existing object that the upload neither replaces nor deletes. */
    readonly remains = (id: string): boolean => (id === DESIGN_ID ? this.#design === undefined : this.#keepsStored && !this.#lines.has(id));

    /** Ids of Schema objects that are renamed: their names are released before any name is assigned. */
    renamed(): string[] {

        const now = this.#catalog.current.schemaIds();
        const names = new Map(this.#schemas.map(({ id, content }) => [id, content['name']]));
        return Object.entries(now).filter(([id, name]) => this.#lines.has(id) && names.get(id) !== name).map(([id]) => id);
    }

    /** Future types and design, after all objects were added. Records an error for each type whose name is taken. */
    planned(): TypeRegistry {

        const names = new Set(Object.entries(this.#catalog.current.schemaIds()).flatMap(([id, name]) => (this.remains(id) ? [name] : [])));
        const accepted: SchemaRecord[] = [];
        for (const { position, ...schema } of this.#schemas) {
            const { name } = schema.content;
            if (typeof name === 'string' && names.has(name)) {
                this.addError(position, badRequest(`Schema name ${JSON.stringify(name)} is not unique.`));
            }
            else {
                accepted.push(schema);
                names.add(name as JsonValue);
            }
        }

        return this.#catalog.withChanges(accepted, this.#design, this.remains);
    }

    /** @throws DoipError 400 for an invalid id, or one outside of the prefix */
    checkId(id: string, prefix: string): void {

        if (id !== DESIGN_ID) {
            checkNewId(id, prefix, this.#limits);
        }
    }

    /** Records the first error of an object; ignores further ones. Rethrows anything but a DoipError. */
    addError(position: number, error: unknown): void {

        if (!(error instanceof DoipError)) {
            throw error;
        }

        if (this.#errors.has(position)) {
            return;
        }

        const message = error.message.slice(0, MESSAGE_LENGTH);
        this.#count += 1;
        this.#isStale &&= error.http === PRECONDITION_FAILED;
        if (!this.#first || position < this.#first.position) {
            this.#first = { position, message };
        }

        this.#errors.set(position, this.#errors.size < MAX_ERRORS ? { position, message, ...detailsOf(error) } : {});
    }

    /** True when the object at a position is invalid. */
    isInvalid(position: number): boolean {

        return this.#errors.has(position);
    }

    /** True when any object is invalid. */
    get isRejected(): boolean {

        return this.#first !== null;
    }

    /** The errors found; null without any. */
    get rejection(): UploadRejection | null {

        const errors = [...this.#errors.values()].filter(({ position }) => position !== undefined);
        return this.#first && {
            count: this.#count,
            first: `the first at position ${this.#first.position}: ${this.#first.message}`,
            errors: errors.sort((a, b) => Number(a['position']) - Number(b['position'])),
            ...this.#isStale ? { isStale: true } : {}
        };
    }
}

/** Error details without stacks, and clipped: they could be as long as the code or the names in the content. */
function detailsOf({ details: { errors, pointer } }: DoipError): JsonObject {

    return {
        ...pointer === undefined ? {} : { pointer: clipped(pointer) },
        ...Array.isArray(errors) ? { errors: errors.slice(0, MAX_DETAILS).map((error) => (isJsonObject(error) ? mapped(error, clipped) : error)) } : {}
    };
}

function mapped(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {

    return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function clipped(value: JsonValue): JsonValue {

    return typeof value === 'string' && value.length > MESSAGE_LENGTH ? `${value.slice(0, MESSAGE_LENGTH)}…` : value;
}
