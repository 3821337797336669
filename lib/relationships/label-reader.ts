/**
 * Labels of objects: the text of the property that the type marks as primary (`preview.isPrimary`), for people, who do not read ids. Only of objects
 * that the caller may read, in the form in which the code of their type shows them.
 */

import type { JsonObject } from '../util/json-types.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { DigitalObject } from '../doip/digital-object.js';
import type { ObjectResolution } from '../objects/read/object-resolution.js';
import type { Catalog } from '../types/catalog.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import type { ResultReading, TextReader } from '../search/hit-loader.js';
import { ResultReader } from '../search/hit-loader.js';
import { jsonText } from '../json/raw-json.js';
import { SerializedObject } from '../doip/serialized-object.js';

/** The label of an object. */
export interface Label {
    readonly id: string;
    /** The id, if the object has no text for it. */
    readonly label: string;
    readonly type: string;
}

/** Maximum length of a label in UTF-16 units. */
const MAX_LENGTH = 200;

/** Maximum length of an id in bytes; longer ones are not looked up. */
const MAX_ID_BYTES = 255;

/** Maximum length of all objects that are read for one request, in UTF-16 units; the last one may exceed it. */
const MAX_TOTAL = 8 * 1024 * 1024;

/** Reads labels. */
export class LabelReader {

    readonly #reader: ResultReader;
    readonly #catalog: Pick<Catalog, 'current'>;

    constructor(parts: { objects: TextReader; policy: Policy; resolution: ObjectResolution; catalog: Pick<Catalog, 'current'> }) {

        this.#reader = new ResultReader({ ...parts, yielder: new EventLoopYielder() });
        this.#catalog = parts.catalog;
    }

    /**
     * Returns the labels of objects by id. Objects that do not exist or that the caller may not see are absent, and so are further ones once their
     * texts are too long together.
     */
    async of(ids: Iterable<string>, reading: ResultReading): Promise<Map<string, Label>> {

        const labels = new Map<string, Label>();
        let length = 0;
        for await (const block of this.#reader.load(hitsOf(ids), reading)) {
            for (const object of block) {
                labels.set(object.id, await this.labelOf(object));
                length += lengthOf(object);
            }

            if (length >= MAX_TOTAL) {
                break;
            }
        }

        return labels;
    }

    /** Returns the label of an object in the form that the caller may see. */
    async labelOf({ id, type, attributes: { content } }: DigitalObject): Promise<Label> {

        const definition = this.#catalog.current.get(type);
        await definition?.prepare();
        const primary = definition?.primaryOf(content) ?? '';
        return { id, label: shortened(primary) || id, type };
    }
}

/** Returns the length of the texts that were read for an object. */
function lengthOf(object: DigitalObject): number {

    if (object instanceof SerializedObject) {
        const { content, acl, userMetadata } = object.parts;
        return content.length + (acl?.length ?? 0) + (userMetadata?.length ?? 0);
    }

    const { content, acl = null, userMetadata = null } = object.attributes;
    return jsonText({ content, acl: acl as JsonObject | null, userMetadata }).length;
}

async function *hitsOf(ids: Iterable<string>) {

    yield [...new Set(ids)].filter((id) => Buffer.byteLength(id) <= MAX_ID_BYTES).map((id) => ({ id, score: null }));
}

/** A line of bounded length: the text may be long, and have line breaks and control characters. */
function shortened(text: string): string {

    const line = text.slice(0, 2 * MAX_LENGTH).replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
    return (line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`).toWellFormed();
}
