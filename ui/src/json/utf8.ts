/** Text of files. Bytes that are no UTF-8 are an error: browsers replace them by another character, which would be stored. */

import { defineTexts } from '../i18n/index.js';

const t = defineTexts({
    en: { notUtf8: 'Line {line} is not UTF-8. Save the file in this encoding.' },
    de: { notUtf8: 'Zeile {line} ist nicht in UTF-8. Speichern Sie die Datei in dieser Kodierung.' },
    fr: { notUtf8: 'La ligne {line} n’est pas en UTF-8. Enregistrez le fichier dans cet encodage.' }
});

const NEWLINE = 0x0a;

const FATAL = { fatal: true };

/** Text that is no UTF-8, by the line of the file, from 1. */
export class EncodingError extends Error {

    readonly line: number;

    constructor(line: number) {

        super(t('notUtf8', { line: String(line) }));
        this.line = line;
    }
}

/** Reads a text file. @throws EncodingError */
export async function readUtf8(file: Blob): Promise<string> {

    const bytes = new Uint8Array(await file.arrayBuffer());
    return decoded(new TextDecoder('utf-8', FATAL), bytes, 1);
}

/** Reads the beginning of a text file; a character that is cut off is left out. @throws EncodingError */
export async function readUtf8Beginning(file: Blob, maxBytes: number): Promise<string> {

    if (file.size <= maxBytes) {
        return readUtf8(file);
    }

    const bytes = new Uint8Array(await file.slice(0, maxBytes).arrayBuffer());
    return decoded(new TextDecoder('utf-8', FATAL), bytes, 1, { stream: true });
}

/** Lines of a file, without their ends, and the bytes of the file up to them or a little further. */
export interface TextLines {
    readonly lines: readonly string[];
    readonly bytes: number;
}

/** Reads a text file some lines at a time. @throws EncodingError after the lines before it, or some of them */
export async function *utf8Lines(file: Blob): AsyncGenerator<TextLines, void, undefined> {

    const decoder = new TextDecoder('utf-8', FATAL);
    let [line, bytes] = [1, 0];
    for await (const block of wholeLines(file)) {
        bytes += block.byteLength;
        const lines = decoded(decoder, block, line, { stream: bytes < file.size }).split('\n');
        if (block.at(-1) === NEWLINE) {
            lines.pop();
        }

        line += lines.length;
        yield { lines, bytes };
    }
}

/** The bytes of a file in blocks that end where a line does. */
async function *wholeLines(file: Blob): AsyncGenerator<Uint8Array, void, undefined> {

    const reader = file.stream().getReader();
    let kept: Uint8Array[] = [];
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const end = next.value.lastIndexOf(NEWLINE) + 1;
        kept.push(next.value.subarray(0, end));
        if (end > 0) {
            yield joined(kept);
            kept = [];
        }

        kept.push(next.value.subarray(end));
    }

    const rest = joined(kept);
    if (rest.length > 0) {
        yield rest;
    }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {

    const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
        bytes.set(chunk, at);
        at += chunk.length;
    }

    return bytes;
}

/** Decodes bytes that begin with a line of this number. */
function decoded(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, line: number, options: { readonly stream?: boolean } = {}): string {

    try {
        return decoder.decode(bytes, options);
    }
    catch {
        throw new EncodingError(line + linesBeforeFault(bytes));
    }
}

/** Lines before the first one that is no UTF-8. */
function linesBeforeFault(bytes: Uint8Array): number {

    const decoder = new TextDecoder('utf-8', FATAL);
    let [start, lines] = [0, 0];
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        try {
            decoder.decode(bytes.subarray(start, end));
        }
        catch {
            break;
        }

        start = end + 1;
        lines += 1;
    }

    return lines;
}
