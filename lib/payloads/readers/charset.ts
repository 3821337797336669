/**
 * Decodes text: by its byte order mark, the given charset, or the one that it declares; otherwise as UTF-8 if it is valid UTF-8,
 * else as Windows-1252, like browsers do.
 */

import { TextDecoder } from 'node:util';
import { NoText } from './text-reader.js';

/** Returns the charset that the start of a text declares; the text is decoded as Latin-1. */
export type Declaration = (head: string) => string | null;

/** Number of bytes that are searched for a declaration. */
const HEAD_BYTES = 1024;

const BYTE_ORDER_MARKS: readonly (readonly [mark: readonly number[], charset: string])[] = [
    [[0xef, 0xbb, 0xbf], 'utf-8'], [[0xff, 0xfe], 'utf-16le'], [[0xfe, 0xff], 'utf-16be']
];

/** Decodes one text. */
export class TextDecoding {

    readonly #declared: string | null;
    readonly #declaration: Declaration;
    #decoder: TextDecoder | null = null;

    constructor(declared: string | null, declaration: Declaration = () => null) {

        this.#declared = declared;
        this.#declaration = declaration;
    }

    /** Decodes the next bytes; an incomplete character is completed by those after them. */
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
        const decoder = decoderOf(marked ?? null) ?? decoderOf(this.#declared) ?? decoderOf(this.#declaration(head));
        if (decoder) {
            return decoder;
        }

        if (head.includes('\0')) {
            throw new NoText('holds bytes that are no text');
        }

        return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252');
    }
}

/** Returns the charset declared by an HTML page. */
export function declaredInHtml(head: string): string | null {

    return /<meta\b[^>]*?charset\s*=\s*(?:["']\s*)?([\w.:+-]+)/i.exec(head)?.[1] ?? declaredInXml(head);
}

/** Returns the charset of an XML declaration. */
export function declaredInXml(head: string): string | null {

    return /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:+-]+)["']/i.exec(head)?.[1] ?? null;
}

/** Returns null for no charset, and for an unknown one. */
function decoderOf(charset: string | null): TextDecoder | null {

    try {
        return charset === null ? null : new TextDecoder(charset);
    }
    catch {
        return null;
    }
}

/** Returns whether bytes are UTF-8; a character that is cut off at the end is no error. */
export function isUtf8(bytes: Uint8Array): boolean {

    try {
        new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
        return true;
    }
    catch {
        return false;
    }
}
