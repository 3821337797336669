/**
 * Looks at everything that an upload brings before anything is written: whether each object is one, whether its content is what its
 * type allows, with the types as they will be, and whether what it refers to will be there.
 */

import type { JsonObject } from '../doip/json.js';
import type { ObjectStore } from '../stores/object-store.js';
import type { Catalog, SchemaRecord } from '../types/catalog.js';
import type { TypeRegistry } from '../types/type-registry.js';
import type { ImportedObject } from './import-object.js';
import { badRequest, DoipError, invalidContent, tooLarge } from '../doip/error.js';
import { DESIGN_ID } from '../doip/handle.js';
import { checkNewId, type FieldLimits } from '../objects/field-rules.js';
import { DESIGN_TYPE, SCHEMA_TYPE } from '../types/built-in-types.js';
import { referenceFaults } from '../types/references.js';
import { UploadReview, type ReviewParts } from './upload-review.js';

/** Faults that are told of. */
const MOST_FAULTS = 100;

/** Objects of one upload; their ids are kept in memory while it is looked at. */
const MOST_OBJECTS = 1_000_000;

/** What is known of an upload. */
export class UploadPlan {

    readonly #catalog: Catalog;
    readonly #objects: ObjectStore;
    readonly #keepsOthers: boolean;
    readonly #limits: FieldLimits;
    readonly #review: UploadReview;
    readonly #types = new Map<string, string>();
    readonly #schemas: SchemaRecord[] = [];
    readonly #faults: JsonObject[] = [];
    #design: JsonObject | undefined;
    #registry: TypeRegistry | null = null;
    #count = 0;
    #first: string | null = null;

    constructor(parts: { catalog: Catalog; objects: ObjectStore; limits: FieldLimits; review: ReviewParts; keepsOthers: boolean }) {

        this.#limits = parts.limits;
        this.#review = new UploadReview(parts.review, parts.keepsOthers);
        this.#catalog = parts.catalog;
        this.#objects = parts.objects;
        this.#keepsOthers = parts.keepsOthers;
    }

    /** Notes an object. */
    add({ id, type, content }: ImportedObject): void {

        if (id !== DESIGN_ID) {
            checkNewId(id, this.#catalog.current.prefix, this.#limits);
        }
        else if (type !== DESIGN_TYPE) {
            throw badRequest('the type of the design object cannot be changed');
        }

        if (this.#types.has(id)) {
            throw badRequest(`id ${id} stands in the upload twice`);
        }

        if (this.#types.size === MOST_OBJECTS) {
            throw tooLarge(`an upload may have at most ${MOST_OBJECTS} objects`);
        }

        this.#types.set(id, type);
        if (type === SCHEMA_TYPE) {
            this.#schemas.push({ id, txnId: 0, content });
        }
        else if (id === DESIGN_ID) {
            this.#design = content;
        }
    }

    /** Notes what is wrong with an object. */
    fault(position: number, error: unknown): void {

        if (!(error instanceof DoipError)) {
            throw error;
        }

        this.#count += 1;
        this.#first ??= `the first at position ${position}: ${error.message}`;
        if (this.#faults.length < MOST_FAULTS) {
            this.#faults.push({ position, message: error.message, ...error.details });
        }
    }

    /** Throws 400 when anything was wrong. */
    check(): void {

        if (this.#first !== null) {
            throw badRequest(`nothing was uploaded: ${this.#count} objects are wrong, ${this.#first}`, { details: { errors: this.#faults } });
        }
    }

    /** Looks at the content of an object, after all of them were added. */
    async validate(object: ImportedObject): Promise<void> {

        const { id, type, content, metadata } = object;
        this.#registry ??= this.#imagine();
        const definition = this.#registry.get(type);
        if (!definition) {
            throw badRequest(`Unknown type ${type}`);
        }

        const { createdOn, createdBy, modifiedOn, modifiedBy } = metadata;
        const processed = definition.process({ content, id, createdOn, createdBy, modifiedOn, modifiedBy });
        const { references } = processed;
        const ids = [...new Set(references.map((reference) => reference.id))];
        const known = new Map(ids.flatMap((each) => (this.#types.has(each) ? [[each, this.#types.get(each) ?? ''] as const] : [])));
        const others = this.#keepsOthers ? await this.#objects.typesOf(ids.filter((each) => !known.has(each))) : new Map<string, string>();
        const faults = referenceFaults(references, new Map([...others, ...known]));
        if (faults.length > 0) {
            throw invalidContent(faults);
        }

        await this.#review.look(object, processed);
    }

    #imagine(): TypeRegistry {

        const names = new Map<unknown, string>();
        const kept = this.#keepsOthers ? this.#catalog.current.schemaIds() : {};
        for (const [id, name] of [...Object.entries(kept), ...this.#schemas.map(({ id, content }) => [id, content['name']] as const)]) {
            const other = names.get(name);
            if (other !== undefined && other !== id && this.#isUploaded(id, other)) {
                throw badRequest(`Schema name ${JSON.stringify(name)} is not unique.`);
            }

            names.set(name, id);
        }

        return this.#catalog.imagine(this.#schemas, this.#design, this.#keepsOthers);
    }

    #isUploaded(...ids: string[]): boolean {

        return ids.some((id) => this.#types.has(id));
    }
}
