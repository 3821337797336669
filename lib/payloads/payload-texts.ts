/**
 * Texts of the payloads of objects: returns those that were extracted, and has the others extracted. The job for that is stored
 * together with the object, so that none is lost.
 */

import type { Step } from '../../db/database.js';
import type { StoredElement, StoredObject } from '../model/stored-object.js';
import type { ObjectChange, WriteParticipant } from '../model/write-participant.js';
import type { PayloadTextStore, TextFacts, TextKey } from '../stores/blobs/payload-text-store.js';
import { textKeyOf } from '../stores/blobs/payload-text-store.js';
import type { Catalog } from '../types/catalog.js';
import type { TextFormat } from './readers/text-format.js';
import { formatKey, textFormat } from './readers/text-format.js';

/** Version of the extraction rules. Increase it to have texts extracted again when their object is reindexed. */
export const TEXT_RULES = 2;

/** Extracted texts of an object. */
export interface ObjectTexts {
    /** By name of the element. */
    readonly texts: ReadonlyMap<string, string>;
    /** True when the text of an element was not extracted yet. */
    readonly isPending: boolean;
    /** Reasons why elements have no text. */
    readonly reasons: readonly string[];
}

/** An element whose bytes may contain text. */
export interface TextElement {
    readonly element: StoredElement;
    readonly format: TextFormat;
    readonly key: TextKey;
}

/** Queue of jobs that extract the texts of an object. */
export interface TextJobs {
    enqueueStep(objectId: string): Step;
    /** Signals that there may be jobs. */
    wake(): void;
}

/** Maximum length of indexed texts, in UTF-16 units. */
export interface PayloadTextLimits {
    /** Of one element; with 0 none is extracted. */
    readonly characters: number;
    /** Of all elements of one object together. */
    readonly objectCharacters: number;
}

const NOTHING: ObjectTexts = { texts: new Map(), isPending: false, reasons: [] };

/** Provides the texts of payloads. */
export class PayloadTexts {

    readonly participant: WriteParticipant;
    readonly #store: PayloadTextStore;
    readonly #catalog: Catalog;
    readonly #limits: PayloadTextLimits;
    readonly #ofChange = new WeakMap<ObjectChange, ObjectTexts>();

    constructor(parts: { store: PayloadTextStore; catalog: Catalog; jobs: TextJobs; limits: PayloadTextLimits }) {

        this.#store = parts.store;
        this.#catalog = parts.catalog;
        this.#limits = parts.limits;
        this.participant = {
            steps: async (change) => {

                const { after } = change;
                if (!after || after.elements.length === 0) {
                    return [];
                }

                const texts = (await this.of([after])).get(after.id) ?? NOTHING;
                this.#ofChange.set(change, texts);
                return texts.isPending ? [parts.jobs.enqueueStep(after.id)] : [];
            },
            committed: (change) => {

                if (this.#ofChange.get(change)?.isPending) {
                    parts.jobs.wake();
                }
            }
        };
    }

    /** Returns the elements of an object whose texts are indexed. */
    elementsOf({ type, elements }: StoredObject): TextElement[] {

        if (elements.length === 0 || this.#limits.characters === 0 || this.#catalog.current.get(type)?.indexesPayloads === false) {
            return [];
        }

        return elements.flatMap((element) => {

            const format = textFormat(element);
            return format ? [{ element, format, key: { blobId: element.blobId, format: formatKey(format) } }] : [];
        });
    }

    /** Returns those of them whose text was not extracted by the current rules. */
    async unread(object: StoredObject): Promise<TextElement[]> {

        const elements = this.elementsOf(object);
        const facts = await this.#facts(elements);
        return elements.filter(({ key }) => facts.get(textKeyOf(key))?.rules !== TEXT_RULES);
    }

    /** Returns the texts of an object as known when its change was stored. */
    ofChange(change: ObjectChange): ObjectTexts {

        return this.#ofChange.get(change) ?? NOTHING;
    }

    /**
     * Returns the texts of objects, by id.
     *
     * @param maxCharacters limit in UTF-16 units: objects after the one that reaches it are missing in the result
     */
    async of(objects: readonly StoredObject[], maxCharacters = Infinity): Promise<Map<string, ObjectTexts>> {

        const elements = new Map(objects.map((object) => [object.id, this.elementsOf(object)]));
        const facts = await this.#facts([...elements.values()].flat());
        const found = new Map<string, ObjectTexts>();
        let read = 0;
        for (const { id } of objects) {
            const texts = await this.#read({ elements: elements.get(id) ?? [], facts });
            found.set(id, texts);
            texts.texts.forEach(({ length }) => {

                read += length;
            });
            if (read >= maxCharacters) {
                break;
            }
        }

        return found;
    }

    async #facts(elements: readonly TextElement[]): Promise<Map<string, TextFacts>> {

        return elements.length === 0 ? new Map() : await this.#store.facts([...new Set(elements.map(({ key }) => key.blobId))]);
    }

    async #read({ elements, facts }: { elements: readonly TextElement[]; facts: ReadonlyMap<string, TextFacts> }): Promise<ObjectTexts> {

        if (elements.length === 0) {
            return NOTHING;
        }

        const texts = new Map<string, string>();
        const stored = elements.flatMap(({ element: { name }, key }) => {

            const fact = facts.get(textKeyOf(key));
            return fact ? [{ name, ...fact }] : [];
        });
        let left = this.#limits.objectCharacters;
        for (const { name, key, characters } of stored) {
            const text = characters > 0 && left > 0 ? (await this.#store.text(key) ?? '').slice(0, left) : '';
            if (text !== '') {
                texts.set(name, text);
                left -= text.length;
            }
        }

        return {
            texts, isPending: stored.length < elements.length, reasons: stored.flatMap(({ reason }) => (reason === null ? [] : [reason]))
        };
    }
}
