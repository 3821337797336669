import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonItemsOptions } from '../../../../lib/json/stream/item-splitter.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import { jsonItems } from '../../../../lib/json/stream/item-splitter.js';
import { isDecided, median } from '../../../support/attempts.js';
import { processorTime } from '../../../support/processor-time.js';
import { randomSource, randomValue } from '../../../support/random-json.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Milliseconds of the processor. Looking at all blanks again takes several times as many; garbage of other tests counts, but not each time. */
const MOST_MS = 200;

interface Read {
    readonly items: string[];
    readonly fault?: { readonly message: string; readonly offset: unknown };
}

/** The items of a text that arrives in pieces of some length. */
async function read(
    text: string | Buffer, format: JsonItemsOptions['format'], pieceBytes: number, maxItemBytes = 1000, others: Partial<JsonItemsOptions> = {}
): Promise<Read> {

    const bytes = Buffer.from(text);
    const items: string[] = [];
    try {
        for await (const item of jsonItems(pieces(bytes, pieceBytes), { format, maxItemBytes, ...others })) {
            expect(item.position).to.equal(items.length);
            items.push(item.bytes?.toString().trim() ?? `too long: ${item.length}`);
            if (item.bytes) {
                expect(bytes.subarray(item.offset, item.offset + item.length).equals(item.bytes)).to.be.true();
            }
        }
    }
    catch (error) {
        if (!(error instanceof DoipError)) {
            throw error;
        }

        return { items, fault: { message: error.message, offset: error.details['offset'] } };
    }

    return { items };
}

async function *pieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {

    for (let start = 0; start < bytes.length; start += length) {
        yield bytes.subarray(start, start + length);
    }
}

const GOOD: readonly [title: string, format: JsonItemsOptions['format'], text: string, items: readonly string[]][] = [
    ['an empty array', 'json', ' [ ] ', []],
    ['an array of objects', 'json', '[{"a":1},{"b":[2,{}]}]', ['{"a":1}', '{"b":[2,{}]}']],
    ['an array over several lines', 'json', '\ufeff[\r\n\t{"a":1}\n,\n {} ]\n', ['{"a":1}', '{}']],
    ['other values', 'json', '[1, "a,]}", null,[[]],true ,-1e5]', ['1', '"a,]}"', 'null', '[[]]', 'true', '-1e5']],
    ['brackets and quotes in strings', 'json', String.raw`[{"a":"}]\"{["},"\\",{"b\\\"":"\\\\"}]`,
        [String.raw`{"a":"}]\"{["}`, String.raw`"\\"`, String.raw`{"b\\\"":"\\\\"}`]],
    ['an object with results', 'json', '{"results":[{"a":1},{}]}', ['{"a":1}', '{}']],
    ['results among other members', 'json', '{"size" : 2, "x":{"results":[1]},"r":"]}","results" :[{"a":1}] , "pageNum":[0]}', ['{"a":1}']],
    ['results by an escaped name', 'json', String.raw`{"res\u0075lts":[{}]}`, ['{}']],
    ['no results in results', 'json', '{"results":[]}', []],
    ['lines', 'ndjson', '{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
    ['blank lines, other ends of lines, and no last end', 'ndjson', '\n\r\n{"a":1}\r\n \t\n\n{"b":2}', ['{"a":1}', '{"b":2}']],
    ['no lines', 'ndjson', '', []],
    ['a mark alone, and blank lines', 'ndjson', '\ufeff\n \t\r\n\n ', []],
    ['lines that begin and end with blanks', 'ndjson', '  {}\n{} \n \t\u00a0\n', ['{}', '{}', '']],
    ['lines with whatever in them', 'ndjson', '[\n{"a":\n', ['[', '{"a":']]
];

const BROKEN: readonly [title: string, text: string, items: readonly string[], message: string][] = [
    ['nothing', '', [], 'byte 0: the text ends where an array, or an object with results is expected'],
    ['a bare value', '5', [], 'byte 0: expected an array, or an object with results'],
    ['a missing end', '[{"a":1},{"b":2}', ['{"a":1}', '{"b":2}'], 'byte 16: the text ends where , or ] is expected'],
    ['an end within an item', '[{"a":1},{"b":"', ['{"a":1}'], 'byte 15: the text ends within a value'],
    ['a missing comma', '[{"a":1} {"b":2}]', ['{"a":1}'], 'byte 9: expected , or ]'],
    ['a comma too many', '[{"a":1},]', ['{"a":1}'], 'byte 9: expected an object'],
    ['two commas', '[{},,{}]', ['{}'], 'byte 4: expected an object'],
    ['something behind the end', '[{}]{}', ['{}'], 'byte 4: expected nothing more'],
    ['an object without results', '{"id":"test/1"}', [], 'byte 14: an object must have results, an array; newline-delimited JSON needs the media type application/x-ndjson'],
    ['results that are no array', '{"results":{}}', [], 'byte 11: expected an array'],
    ['results twice', '{"results":[1],"results":[2]}', ['1'], 'byte 24: property name results is repeated'],
    ['a name without value', '{"a","results":[]}', [], 'byte 4: expected :'],
    ['a member that is not JSON', '{"a":nothing,"results":[]}', [], 'byte 5: JSON is malformed'],
    ['an end within the object', '{"results":[1]', ['1'], 'byte 14: the text ends where , or } is expected']
];

/** A memory that counts what is charged, and the most that ever was. */
class CountedMemory {

    bytes = 0;
    most = 0;

    async reserve(bytes: number): Promise<void> {

        this.bytes += bytes;
        this.most = Math.max(this.most, this.bytes);
        await Promise.resolve();
    }

    release(bytes: number): void {

        this.bytes -= bytes;
        expect(this.bytes).to.be.at.least(0);
    }
}

describe('the items of a JSON stream', () => {

    for (const [title, format, text, items] of GOOD) {
        it(`are found in ${title}, for any chunks`, async () => {

            for (let length = 1; length <= Buffer.byteLength(text) + 1; ++length) {
                expect(await read(text, format, length), `pieces of ${length}`).to.equal({ items: [...items] });
            }
        });
    }

    for (const [title, text, items, message] of BROKEN) {
        it(`are reported up to a syntax error: ${title}`, async () => {

            for (let length = 1; length <= Buffer.byteLength(text) + 1; ++length) {
                const { items: found, fault } = await read(text, 'json', length);

                expect(found).to.equal([...items]);
                expect(String(fault?.message)).to.startWith(`the list of objects is broken at ${message}`);
                expect(fault?.offset).to.equal(Number(/byte (\d+)/.exec(message)?.[1]));
            }
        });
    }

    it('come without bytes when they are too long, without affecting others', async () => {

        const long = `{"a":"${'x'.repeat(100)}"}`;
        for (const length of [1, 7, 64, 1000]) {
            expect(await read(`[{},${long},{}]`, 'json', length, 50)).to.equal({ items: ['{}', `too long: ${long.length}`, '{}'] });
            expect(await read(`{}\n${long}\n{}`, 'ndjson', length, 50)).to.equal({ items: ['{}', `too long: ${long.length}`, '{}'] });
        }
    });

    it('are reported up to members beside results that are too long together, before the rest of them has arrived', async () => {

        const LIMITS = { maxOtherBytes: 20 };
        for (const length of [1, 7, 64]) {
            expect(await read('{"size":[1,2,3],"results":[{}],"x":1}', 'json', length, 1000, { maxOtherBytes: 28 })).to.equal({ items: ['{}'] });

            const { items, fault } = await read('{"size":[1,2,3],"results":[{}],"x":1}', 'json', length, 1000, LIMITS);

            expect(items).to.equal([]);
            expect(fault?.message).to.equal('the list of objects is broken at byte 16: the properties beside results are longer than the allowed 20 bytes');
        }

        let chunks = 0;
        const endless = async function *(): AsyncGenerator<Buffer> {

            yield Buffer.from('{"results":[{}],"x":[');
            while (true) {
                ++chunks;
                yield Buffer.from('[],[],');
            }
        };

        const all = async (): Promise<void> => {

            for await (const item of jsonItems(endless(), { format: 'json', maxItemBytes: 1000, ...LIMITS })) {
                expect(item.position).to.equal(0);
            }
        };

        await expect(all()).to.reject(DoipError, /^the list of objects is broken at byte 20: /);
        expect(chunks).to.equal(2);
    });

    const CHARGED: readonly [title: string, format: JsonItemsOptions['format'], text: string, most: number][] = [
        ...GOOD.map(([title, format, text]): [string, JsonItemsOptions['format'], string, number] => [title, format, text, Buffer.byteLength(text)]),
        ...BROKEN.map(([title, text]): [string, 'json', string, number] => [title, 'json', text, Buffer.byteLength(text)]),
        ['an item that is too long', 'json', `[{},{"a":"${'x'.repeat(500)}"},{}]`, 100],
        ['a line that is too long', 'ndjson', `{}\n"${'x'.repeat(500)}"\n{}`, 100],
        ['a blank line that is too long', 'ndjson', `{}\n${' '.repeat(500)}\n{}`, 100],
        ['many items', 'json', `[${'{"a":1},'.repeat(500)}{}]`, 7],
        ['many blanks', 'json', `[${'{"a":1},'.padEnd(500)}{}]`, 7]
    ];
    for (const [title, format, text, most] of CHARGED) {
        it(`are charged to a memory, from which what is left is released at the end: ${title}`, async () => {

            const bytes = Buffer.from(text);
            for (const length of [1, 7, 64, 1000]) {
                for (const stopAt of [Infinity, 1]) {
                    const memory = new CountedMemory();
                    let count = 0;
                    try {
                        for await (const item of jsonItems(pieces(bytes, length), { format, maxItemBytes: 100, memory })) {
                            expect(memory.bytes).to.equal(item.bytes?.byteLength ?? 0);
                            memory.release(item.bytes?.byteLength ?? 0);
                            if (++count === stopAt) {
                                break;
                            }
                        }
                    }
                    catch (error) {
                        expect(error).to.be.an.instanceof(DoipError);
                    }

                    expect(memory.bytes).to.equal(0);
                    expect(memory.most).to.be.at.most(most);
                }
            }
        });
    }

    it('stay charged until they are released, and what has arrived of one is charged', async () => {

        const memory = new CountedMemory();
        const seen: number[] = [];
        const body = async function *(): AsyncGenerator<Buffer> {

            for (const piece of ['[{"a":1},', '{"b', '":1', '},', '{}', ']']) {
                yield Buffer.from(piece);
                seen.push(memory.bytes);
            }
        };

        for await (const { bytes } of jsonItems(body(), { format: 'json', maxItemBytes: 100, memory })) {
            expect(bytes).to.not.be.null();
        }

        expect(seen).to.equal([7, 10, 13, 14, 16, 16]);
        expect(memory.bytes).to.equal(16);
    });

    it('are beside members of limited depth and number of values', async () => {

        const deep = await read('{"x":[[[]]],"results":[]}', 'json', 100, 1000, { maxDepth: 2 });
        const wide = await read('{"x":[1,2,3,4,5],"results":[]}', 'json', 100, 1000, { maxValues: 5 });

        expect(String(deep.fault?.message)).to.startWith('the list of objects is broken at byte 5: /0/0: nested deeper than the allowed 2 levels');
        expect(wide.fault?.message).to.equal('the list of objects is broken at byte 5: JSON holds more than the allowed 5 values');
    });

    it('are found behind a long blank line as soon as it ends', async () => {

        const blanks = Buffer.alloc(1_000_000, ' ');
        let elapsed = processorTime();
        const body = async function *(): AsyncGenerator<Buffer> {

            for (let i = 0; i < 100; ++i) {
                yield blanks;
            }

            elapsed = processorTime();
            yield Buffer.from('\n{}');
        };

        const took: number[] = [];
        while (!isDecided(took, MOST_MS)) {
            for await (const { offset, bytes } of jsonItems(body(), { format: 'ndjson', maxItemBytes: 100_000_000 })) {
                expect(offset).to.equal(100_000_001);
                expect(bytes?.toString()).to.equal('{}');
            }

            took.push(elapsed());
        }

        expect(median(took)).to.be.below(MOST_MS);
    });

    it('are also blank lines that are too long', async () => {

        expect(await read(`${' '.repeat(50)}\n${' '.repeat(51)}\n{}`, 'ndjson', 20, 50)).to.equal({ items: ['too long: 51', '{}'] });
    });

    it('are those of JSON.parse, for random values', async () => {

        const random = randomSource(7);
        const awkward = (): string => Array.from({ length: random(8) }, () => ['"', '\\', ',', ']', '}', 'ü', '\n'][random(7)]).join('');
        for (let i = 0; i < 200; ++i) {
            const values = Array.from({ length: random(6) }, () => (random(2) ? randomValue(random, 4) : { [awkward()]: awkward() }));
            const { items, fault } = await read(JSON.stringify(values, null, random(3)), 'json', 1 + random(40), Infinity);

            expect(fault).to.be.undefined();
            expect<unknown>(items.map((item) => JSON.parse(item) as unknown)).to.equal(values);
        }
    });
});
