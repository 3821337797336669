/**
 * Readers by kind of text, and detection of the kind where it is not given.
 */

import { isUtf8 } from './charset.js';
import { DocxReader } from './docx.js';
import { MarkupReader } from './markup.js';
import { PdfReader } from './pdf.js';
import { JsonReader, PlainReader } from './plain.js';
import type { TextFormat, TextKind } from './text-format.js';
import { NoText } from './text-reader.js';
import type { ReadLimits, TextReader, TextSink } from './text-reader.js';

type Make = (charset: string | null, limits: ReadLimits, sink: TextSink) => TextReader;

const READERS: Readonly<Record<TextKind, Make>> = {
    plain: (charset, _limits, sink) => new PlainReader(charset, sink),
    json: (charset, limits, sink) => new JsonReader(charset, limits, sink),
    html: (charset, _limits, sink) => new MarkupReader('html', charset, sink),
    xml: (charset, _limits, sink) => new MarkupReader('xml', charset, sink),
    pdf: (_charset, limits, sink) => new PdfReader(limits, sink),
    docx: (_charset, limits, sink) => new DocxReader(limits, sink),
    unknown: (charset, limits, sink) => new UnknownReader(charset, limits, sink)
};

/** Opens a reader that writes into a sink. */
export function openReader({ kind, charset }: TextFormat, limits: ReadLimits, sink: TextSink): TextReader {

    return READERS[kind](charset, limits, sink);
}

/** Detects the kind by the first bytes, then reads on by that. */
class UnknownReader implements TextReader {

    readonly #open: (kind: TextKind) => TextReader;
    #reader: TextReader | null = null;

    constructor(charset: string | null, limits: ReadLimits, sink: TextSink) {

        this.#open = (kind) => openReader({ kind, charset }, limits, sink);
    }

    push(bytes: Uint8Array): boolean {

        if (!this.#reader) {
            const kind = kindOfBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
            if (kind === null) {
                throw new NoText('is of no kind that holds text');
            }

            this.#reader = this.#open(kind);
        }

        return this.#reader.push(bytes);
    }

    async finish(): Promise<void> {

        await this.#reader?.finish();
    }
}

/** Returns the kind that the first bytes indicate; null when they are not text. */
export function kindOfBytes(bytes: Buffer): TextKind | null {

    const head = bytes.subarray(0, 2048).toString('latin1');
    if (head.startsWith('%PDF-')) {
        return 'pdf';
    }

    if (head.startsWith('PK\u0003\u0004')) {
        return bytes.includes('word/') ? 'docx' : null;
    }

    if (/^(?:\u00ef\u00bb\u00bf)?\s*<\?xml\b/.test(head)) {
        return /<html\b/i.test(head) ? 'html' : 'xml';
    }

    if (/^(?:\u00ef\u00bb\u00bf)?\s*<(?:!doctype\s+html|html|head|body)\b/i.test(head)) {
        return 'html';
    }

    return isText(bytes) ? 'plain' : null;
}

/** UTF-8 without control characters, or UTF-16 with a byte order mark. */
function isText(bytes: Buffer): boolean {

    if (bytes[0] === 0xff && bytes[1] === 0xfe || bytes[0] === 0xfe && bytes[1] === 0xff) {
        return true;
    }

    const start = bytes.subarray(0, 4096);
    return isUtf8(start) && !/[\0-\u0008\u000e-\u001a\u001c-\u001f]/.test(start.toString('latin1'));
}
