/**
 * Checks handle references in content: referenced objects must exist and have an allowed type. Also stores the rows of
 * references.
 */

import type { Step } from '../../db/database.js';
import type { ObjectStore } from '../stores/objects/object-store.js';
import type { ReferenceStore } from '../stores/reference-store.js';
import type { Policy } from '../identity/access/access-policy.js';
import { isUnrestrictedAdmin } from '../model/caller.js';
import type { ObjectChange, WriteParticipant } from '../model/write-participant.js';
import { invalidContent, type ContentError } from '../errors/errors.js';
import type { JsonValue } from '../util/json-types.js';
import { getAt } from '../json/pointer.js';
import { referenceErrors } from '../types/annotations/references.js';
import type { ContentReference, ProcessedContent } from '../model/processed-content.js';
import type { Draft } from '../model/object-draft.js';

/** The object that contains the references, and its writer. */
type Referrer = Pick<Draft, 'id' | 'type' | 'content' | 'sent' | 'before' | 'caller' | 'beforeWrite'>;

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Checks references before a change and stores them with it. */
export class ReferenceChecker implements WriteParticipant {

    readonly #objects: ObjectStore;
    readonly #references: ReferenceStore;
    readonly #policy: () => Policy;

    /** @param policy called for each check, because the policy is composed later */
    constructor(objects: ObjectStore, references: ReferenceStore, policy: () => Policy) {

        this.#objects = objects;
        this.#references = references;
        this.#policy = policy;
    }

    /**
     * Checks references. They must not reveal anything about objects that the caller may not read: if the caller may know which
     * ids are in use, the type of such an object is not checked; otherwise it counts as missing. Exempt are references added by
     * type code, and references that the object had before.
     *
     * @throws DoipError 400 with the JSON pointer of a reference to a missing object or to one of a wrong type
     */
    async check({ references }: ProcessedContent, referrer: Referrer): Promise<void> {

        if (references.length === 0) {
            return;
        }

        let errors = await this.#errorsOf(references, referrer);
        if (errors.length > 0 && referrer.beforeWrite) {
            await referrer.beforeWrite();
            errors = await this.#errorsOf(references, referrer);
        }

        if (errors.length > 0) {
            throw invalidContent(errors);
        }
    }

    async #errorsOf(references: ProcessedContent['references'], referrer: Referrer): Promise<ContentError[]> {

        const { id, type, caller } = referrer;
        const ids = [...new Set(references.map((reference) => reference.id))];
        if (isUnrestrictedAdmin(caller)) {
            // An object may refer to itself, even on creation.
            return referenceErrors(references, (await this.#objects.typesOf(ids)).set(id, type));
        }

        const found = await this.#objects.decideOn(ids, (subject) => ({ type: subject.type, mayRead: this.#policy().canRead(caller, subject).allowed }));
        const types = new Map(Array.from(found, ([id, subject]) => [id, subject.type])).set(id, type);
        const isOfCode = codeTest(referrer);
        const isUnreadable = (reference: ContentReference): boolean => (
            reference.id !== id && found.get(reference.id)?.mayRead === false && !isOfCode(reference)
        );
        const unreadable = new Set(references.filter(isUnreadable));
        const errors = referenceErrors(references.filter((reference) => !unreadable.has(reference)), types);
        return unreadable.size === 0 || this.#policy().canReadUnknown(caller).allowed ?
            errors : [...errors, ...referenceErrors(await this.#withoutUnchanged([...unreadable], referrer), NOTHING)];
    }

    /**
     * Returns the references to objects that the object did not refer to before. Uses stored references, since an id in plain
     * text was never checked.
     */
    async #withoutUnchanged(references: readonly ContentReference[], { before }: Referrer): Promise<readonly ContentReference[]> {

        if (!before) {
            return references;
        }

        const former = new Set<string>();
        for await (const block of this.#references.outbound(before.id)) {
            block.forEach(({ toId }) => former.add(toId));
        }

        return references.filter(({ id }) => !former.has(id));
    }

    steps({ before, after, processed }: ObjectChange): Step[] {

        if (!after) {
            return before ? this.#references.replaceSteps(before.id, [], false) : [];
        }

        if (!processed) {
            return [];
        }

        const references = processed.references.map(({ pointer, id }) => ({ pointer, toId: id }));
        return this.#references.replaceSteps(after.id, references, before === null);
    }
}

/** Returns a test for references added by type code: the client sent the value nowhere, as code can move what the client sent. */
function codeTest({ content, sent = content }: Referrer): (reference: ContentReference) => boolean {

    if (sent === null || sent === content) {
        return () => sent === null;
    }

    let texts: Set<JsonValue | undefined> | null = null;
    return ({ pointer }) => {

        const value = getAt(content, pointer);
        return getAt(sent, pointer) !== value && !(texts ??= textsOf(sent)).has(value);
    };
}

/** Returns the texts of a value, and the names of its properties. */
function textsOf(value: JsonValue): Set<JsonValue | undefined> {

    const texts = new Set<JsonValue | undefined>();
    const left = [value];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
        if (typeof next === 'string') {
            texts.add(next);
        }
        else if (typeof next === 'object' && next !== null) {
            for (const [name, member] of Object.entries(next)) {
                texts.add(name);
                left.push(member);
            }
        }
    }

    return texts;
}
