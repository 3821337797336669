/** Text files that are read in the browser: their lines, and bytes that are no UTF-8. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { objectsIn } from '../../../ui/src/admin/operation/import-lines.js';
import { EncodingError, readUtf8, readUtf8Beginning, utf8Lines } from '../../../ui/src/json/utf8.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A file that comes in chunks of some bytes. */
class ChunkedFile extends File {

    readonly #length: number;

    constructor(bytes: Buffer, name: string, length: number) {

        super([new Uint8Array(bytes)], name);
        this.#length = length;
    }

    override stream(): ReturnType<File['stream']> {

        const [source, length] = [this as File, this.#length];
        return new ReadableStream<Uint8Array>({
            async start(controller) {

                const bytes = new Uint8Array(await source.arrayBuffer());
                for (let at = 0; at < bytes.length; at += length) {
                    controller.enqueue(bytes.subarray(at, at + length));
                }

                controller.close();
            }
        }) as ReturnType<File['stream']>;
    }
}

/** All lines, and the line of the error that ends them. */
async function linesOf(file: File): Promise<unknown[]> {

    const found: unknown[] = [];
    try {
        for await (const { lines } of utf8Lines(file)) {
            found.push(...lines);
        }
    }
    catch (error) {
        found.push(error instanceof EncodingError ? error.line : error);
    }

    return found;
}

const LATIN = Buffer.from('{"name":"M\xfcller"}', 'latin1');

const FILES: readonly (readonly [title: string, file: string | Buffer, lines: readonly unknown[]])[] = [
    ['lines', 'a\nbä€😀\r\n\nc', ['a', 'bä€😀\r', '', 'c']],
    ['a line end at the end', 'a\nb\n', ['a', 'b']],
    ['a byte order mark, and another one later', '\ufeffa\n\ufeffb\n', ['a', '\ufeffb']],
    ['nothing', '', []],
    ['windows-1252', Buffer.concat([Buffer.from('a\nb\n'), LATIN, Buffer.from('\nc\n')]), ['a', 'b', 3]],
    ['a character that is cut off', Buffer.from('a\nä').subarray(0, -1), ['a', 2]],
    ['a character that is cut off by a line end', Buffer.from('a\n\xc3\nb', 'latin1'), ['a', 2]]
];

describe('a text file in the browser', () => {

    for (const [title, content, lines] of FILES) {
        for (const length of [1, 3, 1000]) {
            it(`of ${title} is read in chunks of ${length} bytes`, async () => {

                const found = await linesOf(new ChunkedFile(Buffer.from(content as string), 'a.ndjson', length));

                // Lines of the chunk of a fault are left out.
                expect(found).to.equal(typeof lines.at(-1) === 'number' ? [...lines.slice(0, found.length - 1), lines.at(-1)] : [...lines]);
            });
        }
    }

    it('is read as a whole, or its beginning', async () => {

        const text = new File(['\ufeffä\nö'], 'a.json');
        const wrong = new File(['a\n', new Uint8Array(LATIN)], 'a.json');

        expect([await readUtf8(text), await readUtf8Beginning(text, 7), await readUtf8Beginning(text, 1000)]).to.equal(['ä\nö', 'ä\n', 'ä\nö']);
        expect(await readUtf8Beginning(wrong, 5)).to.equal('a\n{"n');
        for (const work of [readUtf8(wrong), readUtf8Beginning(wrong, 1000), readUtf8Beginning(wrong, 15)]) {
            await expect(work).to.reject(EncodingError, 'Line 2 is not UTF-8. Save the file in this encoding.');
        }
    });
});

describe('an import of a file that is no UTF-8', () => {

    for (const [title, isLines, content] of [['lines', true, '{"name":"a"}\n'], ['JSON', false, '\n']] as const) {
        it(`ends with its line: ${title}`, async () => {

            const file = new File([new Uint8Array([...Buffer.from(content), ...LATIN])], 'a.ndjson');
            const texts: string[] = [];
            const run = async (): Promise<void> => {

                for await (const { text } of objectsIn(file, isLines)) {
                    texts.push(text);
                }
            };

            await expect(run()).to.reject(EncodingError, /^Line 2 /);
            expect(texts).to.equal(isLines ? ['{"name":"a"}'] : []);
        });
    }
});
