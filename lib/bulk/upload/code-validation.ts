/** Validates the code of an upload before anything is stored: compiles it, and runs it against the types, modules and objects as they will be. */

import type { JsonObject } from '../../util/json-types.js';
import type { Lifecycle } from '../../objects/hooks/lifecycle.js';
import type { StoredElement, StoredObject, IndexedForm } from '../../model/stored-object.js';
import type { Rehearsal } from '../../scripting/scripting.js';
import type { ModuleFile } from '../../stores/script-module-store.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import type { PlannedLine, UploadPlan } from './upload-plan.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { isJsonObject } from '../../util/json-types.js';
import { readBytes } from '../../doip/segments.js';
import { SERVICE } from '../../model/caller.js';
import { NO_ROLES } from '../../model/account-annotations.js';
import { indexFormOf } from '../../objects/hooks/indexed-form-builder.js';
import { DESIGN_TYPE, SCHEMA_TYPE } from '../../types/built-in-types.js';
import { decodeBase64, elementsOf } from '../batch/batch-item.js';
import { objectOf, parsed, type DraftFile } from './draft-file.js';
import { UploadHost } from './upload-host.js';
import { isUploaded, positionOf } from './object-validation.js';
import type { PreparedChange } from '../../model/object-draft.js';
import type { SpooledUpload, ReviewParts } from './validation-parts.js';
import { wasStopped } from '../../scripting/protocol/script-error.js';
import { toFullForm } from '../../model/stored-object.js';

/** The future state that the code runs against. */
interface PlannedState {
    readonly upload: SpooledUpload;
    readonly plan: UploadPlan;
    readonly types: TypeRegistry;
    /** The objects as they will be stored. */
    readonly file: DraftFile;
}

/** Code of one upload. */
export class UploadCode {

    readonly #parts: ReviewParts;
    readonly #planned: PlannedState;
    readonly #files: ModuleFile[];
    /** Module directory by id, for objects of the upload whose elements are modules. */
    readonly #directories = new Map<string, string>();
    /** Types whose code exceeded a limit: it is not run again, as every further object would take as long. */
    readonly #stopped = new Set<string>();
    #rehearsal: Rehearsal | null = null;

    constructor(parts: ReviewParts, planned: PlannedState) {

        this.#parts = parts;
        this.#planned = planned;
        this.#files = parts.catalog.moduleFiles.filter(({ objectId }) => planned.plan.remains(objectId));
    }

    /** Registers the modules of an object. All of them must be registered before code is inspected. */
    add({ after, processed }: PreparedChange): void {

        const directory = processed?.moduleDirectory;
        if (directory !== undefined && !after.metadata.isVersion) {
            this.#directories.set(after.id, directory);
            this.#files.push(...after.elements.map((element) => ({ objectId: after.id, directory, element })));
        }
    }

    /** True for an object that contains code. */
    isIn({ id, type }: PlannedLine): boolean {

        return this.#directories.has(id) || type === SCHEMA_TYPE || type === DESIGN_TYPE;
    }

    /**
     * Inspects the code of an object.
     *
     * @throws DoipError 400 for invalid code
     */
    async inspect({ position }: PlannedLine): Promise<void> {

        const after = objectOf(await this.#planned.file.line(position));
        const moduleDirectory = this.#directories.get(after.id);
        const processed = { content: after.content, annotations: [], references: [], roles: NO_ROLES, moduleDirectory };
        await this.#code().inspector.inspect({ before: await this.#before(after), after, processed, caller: SERVICE });
    }

    /** True for a type with the hook `objectForIndexing`, unless its code exceeded a limit. */
    makesForms(type: string): boolean {

        return !this.#stopped.has(type) && this.#code().lifecycle.has(type, 'objectForIndexing');
    }

    /**
     * The indexed form of an object; undefined when the hook of its type is not there after all.
     *
     * @throws DoipError when the code of the type fails
     */
    async formOf(object: StoredObject): Promise<IndexedForm | undefined> {

        const { lifecycle }: { lifecycle: Lifecycle } = this.#code();
        try {
            return await indexFormOf({ lifecycle, limits: this.#parts.limits }, object, { caller: SERVICE, dryRun: true });
        }
        catch (error) {
            if (wasStopped(error)) {
                this.#stopped.add(object.type);
            }

            throw error;
        }
    }

    #code(): Rehearsal {

        this.#rehearsal ??= this.#startRehearsal();
        return this.#rehearsal;
    }

    #startRehearsal(): Rehearsal {

        const { types, plan } = this.#planned;
        // Of several modules with the same path, that of the smallest object id takes precedence.
        const moduleFiles = this.#files.toSorted((a, b) => (a.objectId < b.objectId ? -1 : Number(a.objectId > b.objectId)));
        const open = (element: StoredElement): AsyncIterable<Uint8Array> => this.#open(element);
        return this.#parts.rehearse({
            catalog: { epoch: 0, current: types, moduleFiles },
            elements: { open },
            host: (stored) => new UploadHost(stored, { registry: types, remains: plan.remains, find: (id) => this.#find(id), open })
        });
    }

    /** The current object, for comparison: only changed code is inspected. */
    async #before({ id, type }: StoredObject): Promise<StoredObject | null> {

        const mayHaveCode = type === SCHEMA_TYPE || type === DESIGN_TYPE;
        return mayHaveCode && (id === DESIGN_ID || !this.#planned.upload.deleteCurrentObjects) ? this.#parts.loader.find(id) : null;
    }

    async #find(id: string): Promise<{ form: JsonObject; elements: readonly StoredElement[] } | undefined> {

        const { plan, file } = this.#planned;
        const line = plan.lineOf(id);
        if (!line) {
            return undefined;
        }

        const object = objectOf(await file.line(line.position));
        return { form: toFullForm(object, { ...object.metadata }), elements: object.elements };
    }

    /** The bytes of an element; decoded from its line when the upload contains them. */
    async *#open(element: StoredElement): AsyncGenerator<Uint8Array> {

        const { blobs, elements } = this.#parts;
        const { plan, upload } = this.#planned;
        if (!isUploaded(element)) {
            yield *elements.open(element, null);
            return;
        }

        const { offset, length } = plan.lineAt(positionOf(element));
        const range = { start: offset, end: offset + length - 1 };
        const line = parsed(await readBytes(blobs.open(upload.blob, range), length));
        const found = isJsonObject(line) ? elementsOf(line).find(({ id }) => id === element.name) : undefined;
        yield decodeBase64(found?.['base64Element'] ?? '', element.name);
    }
}
