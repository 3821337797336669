/**
 * Reader of HTML and XML. Entities defined in a document are not expanded, because they could grow without limit.
 */

import { Parser } from 'htmlparser2';
import { declaredInHtml, declaredInXml, TextDecoding } from './charset.js';
import type { TextReader, TextSink } from './text-reader.js';

/** Elements of HTML whose content is not displayed as text. */
const IGNORED_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math', 'object', 'iframe']);

/** Elements of HTML that do not separate words. */
const INLINE: ReadonlySet<string> = new Set([
    'a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'ins', 'kbd', 'mark', 'q', 'rp', 'rt',
    'ruby', 's', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr'
]);

/** Reads the text between tags; of HTML only the visible text. */
export class MarkupReader implements TextReader {

    readonly #decoding: TextDecoding;
    readonly #sink: TextSink;
    readonly #parser: Parser;
    /** Number of open elements without visible text. */
    #ignoredDepth = 0;

    constructor(kind: 'html' | 'xml', charset: string | null, sink: TextSink) {

        const isHtml = kind === 'html';
        this.#decoding = new TextDecoding(charset, isHtml ? declaredInHtml : declaredInXml);
        this.#sink = sink;
        const edge = (name: string, step: 1 | -1): void => {

            if (isHtml && IGNORED_ELEMENTS.has(name)) {
                this.#ignoredDepth = Math.max(this.#ignoredDepth + step, 0);
            }

            if (!isHtml || !INLINE.has(name)) {
                sink.add(' ');
            }
        };

        this.#parser = new Parser({
            onopentag: (name, { alt }) => {

                edge(name, 1);
                if (isHtml && alt !== undefined && this.#ignoredDepth === 0) {
                    sink.add(`${alt} `);
                }
            },
            onclosetag: (name) => edge(name, -1),
            ontext: (text) => {

                if (this.#ignoredDepth === 0) {
                    sink.add(text);
                }
            }
        }, { xmlMode: !isHtml, decodeEntities: true });
    }

    push(bytes: Uint8Array): boolean {

        this.#parser.write(this.#decoding.write(bytes));
        return !this.#sink.isFull;
    }

    finish(): void {

        this.#parser.end(this.#decoding.end());
    }
}
