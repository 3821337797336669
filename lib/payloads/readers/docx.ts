/**
 * Reader of Word documents: XML files in a zip file. They are unpacked as a stream, and only as far as text is needed.
 */

import { pipeline } from 'node:stream/promises';
import { Parser } from 'htmlparser2';
import { fromBufferPromise } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { declaredInXml, TextDecoding } from './charset.js';
import { NoText, WholeBytes } from './text-reader.js';
import type { ReadLimits, TextReader, TextSink } from './text-reader.js';

/** Files with text, the body first. */
const PARTS = [/^word\/document\d*\.xml$/, /^word\/(?:footnotes|endnotes|comments|header\d*|footer\d*)\.xml$/];

/** Maximum number of files in a document. */
const MAX_ENTRIES = 10_000;

/** Maximum size of the unpacked files, as a multiple of the maximum size of a document. */
const UNPACKED_FACTOR = 4;

/** Elements that end a word. */
const ENDS: ReadonlySet<string> = new Set(['w:p', 'w:tab', 'w:br', 'w:cr', 'w:tc']);

/** Reads the text of a Word document. */
export class DocxReader implements TextReader {

    readonly #bytes: WholeBytes;
    readonly #sink: TextSink;
    #left: number;

    constructor(limits: ReadLimits, sink: TextSink) {

        this.#bytes = new WholeBytes(limits.bytes);
        this.#sink = sink;
        this.#left = limits.bytes * UNPACKED_FACTOR;
    }

    push(bytes: Uint8Array): boolean {

        return this.#bytes.push(bytes);
    }

    async finish(): Promise<void> {

        try {
            await this.#read(this.#bytes.take());
        }
        catch (error) {
            throw error instanceof NoText ? error : new NoText(`is not a Word document: ${(error as Error).message}`);
        }
    }

    async #read(bytes: Buffer): Promise<void> {

        const zip = await fromBufferPromise(bytes, { lazyEntries: true });
        const entries = await partsOf(zip);
        if (entries.length === 0) {
            throw new NoText('is not a Word document: it has no body');
        }

        for (const entry of entries) {
            if (!this.#sink.isFull) {
                await this.#readPart(zip, entry);
                this.#sink.add(' ');
            }
        }
    }

    async #readPart(zip: ZipFile, entry: Entry): Promise<void> {

        const decoding = new TextDecoding(null, declaredInXml);
        const parser = wordParser(this.#sink);
        await pipeline(await zip.openReadStreamPromise(entry), async (unpacked: AsyncIterable<Buffer>) => {

            for await (const chunk of unpacked) {
                this.#left -= chunk.length;
                if (this.#left < 0) {
                    throw new NoText('is too large when it is unpacked');
                }

                parser.write(decoding.write(chunk));
                if (this.#sink.isFull) {
                    return;
                }
            }
        });
        parser.end(decoding.end());
    }
}

async function partsOf(zip: ZipFile): Promise<Entry[]> {

    const found: { order: number; entry: Entry }[] = [];
    let seen = 0;
    for await (const entry of zip.eachEntry()) {
        if (++seen > MAX_ENTRIES) {
            throw new NoText('is a zip file with too many files');
        }

        const order = PARTS.findIndex((pattern) => pattern.test(entry.fileName));
        if (order >= 0) {
            found.push({ order, entry });
        }
    }

    return found.sort((a, b) => a.order - b.order).map(({ entry }) => entry);
}

/** Text is in `w:t`; other elements contain field codes and deleted text. */
function wordParser(sink: TextSink): Parser {

    let isText = false;
    return new Parser({
        onopentag: (name) => {

            isText = name === 'w:t';
        },
        onclosetag: (name) => {

            isText = false;
            if (ENDS.has(name)) {
                sink.add(' ');
            }
        },
        ontext: (text) => {

            if (isText) {
                sink.add(text);
            }
        }
    }, { xmlMode: true, decodeEntities: true });
}
