/**
 * From bytes to text: by a byte order mark, by the charset that was told, by what the text says of itself, else UTF-8 where the
 * bytes are that and Windows-1252 where they are not, as browsers do it.
 */

import { TextDecoder } from 'node:util';
import { NoText } from './text-reader.js';

/** Says which charset the beginning of a text names; it is read as Latin letters. */
export type Declaration = (head: string) => string | null;

/** Bytes in which a declaration is looked for. */
const HEAD_BYTES = 1024;

const BYTE_ORDER_MARKS: readonly (readonly [mark: readonly number[], charset: string])[] = [
    [[0xef, 0xbb, 0xbf], 'utf-8'], [[0xff, 0xfe], 'utf-16le'], [[0xfe, 0xff], 'utf-16be']
];

/** Decodes one text. */
export class TextDecoding {

    readonly #told: string | null;
    readonly #declaration: Declaration;
    #decoder: TextDecoder | null = null;

    constructor(told: string | null, declaration: Declaration = () => null) {

        this.#told = told;
        this.#declaration = declaration;
    }

    /** The text of the next bytes; an unfinished letter waits for the next ones. */
    write(bytes: Uint8Array): string {

        this.#decoder ??= this.#choose(bytes);
        return this.#decoder.decode(bytes, { stream: true });
    }

    end(): string {

        return this.#decoder?.decode() ?? '';
    }

    #choose(bytes: Uint8Array): TextDecoder {

        const marked = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))?.[1];
        const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
        const decoder = decoderOf(marked ?? null) ?? decoderOf(this.#told) ?? decoderOf(this.#declaration(head));
        if (decoder) {
            return decoder;
        }

        if (head.includes('\0')) {
            throw new NoText('holds bytes that are no text');
        }

        return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252');
    }
}

/** The charset that a page declares. */
export function declaredInHtml(head: string): string | null {

    return /<meta\b[^>]*?charset\s*=\s*(?:["']\s*)?([\w.:+-]+)/i.exec(head)?.[1] ?? declaredInXml(head);
}

/** The charset that an XML declaration names. */
export function declaredInXml(head: string): string | null {

    return /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:+-]+)["']/i.exec(head)?.[1] ?? null;
}

/** Null for no charset, and for one that nobody knows. */
function decoderOf(charset: string | null): TextDecoder | null {

    try {
        return charset === null ? null : new TextDecoder(charset);
    }
    catch {
        return null;
    }
}

function isUtf8(bytes: Uint8Array): boolean {

    try {
        // As a stream, a letter that is cut off at the end is no fault.
        new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
        return true;
    }
    catch {
        return false;
    }
}
