/**
 * Reader of PDF files, by pdf.js. Reads page by page, and only as far as text is needed.
 */

import { NoText, WholeBytes } from './text-reader.js';
import type { ReadLimits, TextReader, TextSink } from './text-reader.js';

/** The part of a document of pdf.js that is used. */
interface PdfDocument {
    readonly numPages: number;
    /** 1-based. */
    getPage(number: number): Promise<{ streamTextContent(): ReadableStream<TextChunk>; cleanup(): void }>;
    destroy(): Promise<void>;
}

interface TextChunk {
    readonly items: readonly { readonly str?: string; readonly hasEOL?: boolean }[];
}

/** Number of consecutive unreadable pages after which a file is given up. */
const MAX_BROKEN_PAGES = 10;

/** Maximum offset of the header, which may be preceded by other bytes, as in files cut out of mails. */
const HEADER_WITHIN = 1024;

/** Reads the text of a PDF file. */
export class PdfReader implements TextReader {

    readonly #bytes: WholeBytes;
    readonly #sink: TextSink;

    constructor(limits: ReadLimits, sink: TextSink) {

        this.#bytes = new WholeBytes(limits.bytes);
        this.#sink = sink;
    }

    push(bytes: Uint8Array): boolean {

        return this.#bytes.push(bytes);
    }

    async finish(): Promise<void> {

        const bytes = this.#bytes.take();
        if (!bytes.subarray(0, HEADER_WITHIN).includes('%PDF-')) {
            throw new NoText('is not a PDF file');
        }

        const document = await openPdf(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        try {
            await this.#readPages(document);
        }
        finally {
            await document.destroy();
        }
    }

    async #readPages(document: PdfDocument): Promise<void> {

        let broken = 0;
        for (let number = 1; number <= document.numPages && !this.#sink.isFull; ++number) {
            try {
                const page = await document.getPage(number);
                await this.#readPage(page.streamTextContent());
                page.cleanup();
                broken = 0;
            }
            catch (error) {
                if (++broken === MAX_BROKEN_PAGES || document.numPages === 1) {
                    throw errorOf(error);
                }
            }
        }
    }

    async #readPage(stream: ReadableStream<TextChunk>): Promise<void> {

        const reader = stream.getReader();
        for (;;) {
            const { done, value } = await reader.read();
            if (done) {
                break;
            }

            for (const item of value.items) {
                this.#sink.add(item.str ?? '');
                if (item.hasEOL) {
                    this.#sink.add(' ');
                }
            }

            if (this.#sink.isFull) {
                await reader.cancel(new Error('enough was read'));
                return;
            }
        }

        this.#sink.add(' ');
    }
}

async function openPdf(data: Uint8Array): Promise<PdfDocument> {

    // pdf.js would unpack with streams whose size cannot be limited; without them it uses its own code.
    Reflect.deleteProperty(globalThis, 'DecompressionStream');
    const pdf = await import('unpdf');
    try {
        const options = { verbosity: 0, isEvalSupported: false, useSystemFonts: false, disableFontFace: true, stopAtErrors: false, enableXfa: false };
        const document: unknown = await pdf.getDocumentProxy(data, options);
        return document as PdfDocument;
    }
    catch (error) {
        throw errorOf(error);
    }
}

function errorOf(error: unknown): NoText {

    const { name, message } = error as Error;
    return new NoText(name === 'PasswordException' ? 'is encrypted' : `is not a PDF file that can be read: ${message}`);
}
