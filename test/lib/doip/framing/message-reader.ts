import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { PassThrough } from 'node:stream';
import { MessageReader } from '../../../../lib/doip/framing/message-reader.js';
import { readBytes } from '../../../../lib/doip/segments.js';
import { seeded } from '../../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A segment: JSON text, or bytes. */
type Known = string | Buffer;

/** What is read: messages, and the error with which reading ended. */
interface Outcome {
    readonly messages: Known[][];
    readonly error: string | null;
}

/** Reads everything that arrives in these pieces. */
async function readAll(pieces: Iterable<Buffer>, { skipping = () => false }: { skipping?: () => boolean } = {}): Promise<Outcome> {

    const stream = new PassThrough();
    const sending = (async () => {

        for (const piece of pieces) {
            stream.write(piece);
            await new Promise(setImmediate);
        }

        stream.end();
    })();
    const reader = new MessageReader(stream);
    const messages: Known[][] = [];
    try {
        while (await reader.nextMessage()) {
            const segments: Known[] = [];
            messages.push(segments);
            for (let next = await reader.nextSegment(); next; next = await reader.nextSegment()) {
                if (skipping()) {
                    segments.push('skipped');
                    continue;
                }

                const body: Buffer[] = [];
                for await (const piece of next.body) {
                    body.push(piece);
                }

                const bytes = Buffer.concat(body);
                segments.push(next.kind === 'json' ? bytes.toString() : bytes);
            }
        }

        return { messages, error: null };
    }
    catch (error) {
        expect(reader.isBroken).to.be.true();
        return { messages, error: (error as Error).message };
    }
    finally {
        await sending;
    }
}

const whole = (text: string): Buffer[] => [Buffer.from(text)];
const byByte = (text: string): Buffer[] => [...Buffer.from(text)].map((octet) => Buffer.from([octet]));

const VALID: readonly [title: string, text: string, messages: Known[][]][] = [
    ['nothing', '', []],
    ['blank lines', ' \r\n\n', []],
    ['one JSON segment', '{"a":1}\n#\n#\n', [['{"a":1}']]],
    ['JSON on several lines', '{\n  "a": 1\n}\n#\n#\n', [['{\n  "a": 1\n}']]],
    ['line ends of CR and LF', '{"a":1}\r\n#\r\n#\r\n', [['{"a":1}\r']]],
    ['blanks and lines within a text', '{ "a" :\n\n1 }\n \n#\n#\n', [['{ "a" :\n\n1 }\n ']]],
    ['blanks after every mark', '{}\n# \t\n@ \r\n3 \nabc\t\n# \n#  \n', [['{}', Buffer.from('abc')]]],
    ['a mark within a text', '{"a":"x #\\n# y"}\n#\n#\n', [['{"a":"x #\\n# y"}']]],
    ['an element without chunks', '{}\n#\n@\n#\n#\n', [['{}', Buffer.alloc(0)]]],
    ['a chunk without bytes', '{}\n#\n@\n0\n\n#\n#\n', [['{}', Buffer.alloc(0)]]],
    ['a chunk that contains the end of a message', '{}\n#\n@\n3\nabc\n5\n\n#\n#\n\n#\n#\n', [['{}', Buffer.from('abc\n#\n#\n')]]],
    ['two messages', '{"a":1}\n#\n#\n{"b":2}\n#\n#\n', [['{"a":1}'], ['{"b":2}']]],
    ['blanks before a message', ' \n {"a":1}\n#\n#\n\r\n{}\n#\n#\n', [['{"a":1}'], ['{}']]],
    ['a message without segments', '#\n', [[]]],
    ['bytes first', '@\n1\nx\n#\n#\n', [[Buffer.from('x')]]],
    ['JSON that is no object', '{}\n#\nnull\n#\n1.5\n#\n#\n', [['{}', 'null', '1.5']]],
    ['what is no JSON, which is not the business of framing', '{]\n#\n#\n', [['{]']]]
];

const CUT = 'the connection ended within a message';
const LENGTH = 'a chunk must begin with its length in decimal digits';
const AFTER_MARK = 'unexpected text after a mark or a length: only blanks may stand before the end of the line';
const OTHER = 'this is not a DOIP message: the first segment must be a JSON object';

const INVALID: readonly [title: string, text: string, message: string][] = [
    ['text after a mark', '{}\n#x\n#\n', AFTER_MARK],
    ['text after the end mark', '{}\n#\n# {}\n', AFTER_MARK],
    ['text after the mark of bytes', '{}\n#\n@x\n', AFTER_MARK],
    ['more bytes than the length', '{}\n#\n@\n2\nabc\n#\n#\n', AFTER_MARK],
    ['fewer bytes than the length', '{}\n#\n@\n4\nabc\n#\n#\n', AFTER_MARK],
    ['a length with a leading zero', '{}\n#\n@\n01\na\n#\n#\n', LENGTH],
    ['two zeros', '{}\n#\n@\n00\n\n#\n#\n', LENGTH],
    ['a negative length', '{}\n#\n@\n-1\na\n', LENGTH],
    ['a length with an exponent', '{}\n#\n@\n1e3\n', AFTER_MARK],
    ['a hexadecimal length', '{}\n#\n@\n0x1\n', AFTER_MARK],
    ['a length of ten digits', '{}\n#\n@\n1000000000\n', 'the length of a chunk has more than 9 digits'],
    ['a missing length', '{}\n#\n@\n\n', LENGTH],
    ['a segment that its sender gave up', '{}\n#\n@\n1\na\n!\n', 'the sender has given up a segment of bytes'],
    ['HTTP', 'GET / HTTP/1.1\r\n', OTHER],
    ['TLS', '\x16\x03\x01', OTHER],
    ['a byte order mark', '\uFEFF{}\n#\n#\n', OTHER],
    ['the end within JSON', '{"a"', CUT],
    ['the end before a mark', '{}\n', CUT],
    ['the end after a mark', '{}\n#', CUT],
    ['the end instead of the next segment', '{}\n#\n', CUT],
    ['the end instead of a length', '{}\n#\n@\n', CUT],
    ['the end within a length', '{}\n#\n@\n1', CUT],
    ['the end within a chunk', '{}\n#\n@\n3\nab', CUT],
    ['the end after a chunk', '{}\n#\n@\n3\nabc', CUT],
    ['endless blanks', `{}\n#${' '.repeat(70_000)}`, AFTER_MARK],
    ['endless blank lines', '\n'.repeat(70_000), 'too many blank lines']
];

describe('the reader of messages', () => {

    for (const [title, text, messages] of VALID) {
        it(`reads ${title}`, async () => {

            expect(await readAll(whole(text))).to.equal({ messages, error: null });
            expect(await readAll(byByte(text))).to.equal({ messages, error: null });
        });
    }

    for (const [title, text, message] of INVALID) {
        it(`refuses ${title}`, async () => {

            expect((await readAll(whole(text))).error).to.equal(message);
            if (text.length < 1000) {
                expect((await readAll(byByte(text))).error).to.equal(message);
            }
        });
    }

    it('discards what was not read of a segment', async () => {

        const text = '{"a":1}\n#\n@\n3\nabc\n#\n{"b":2}\n#\n#\n{}\n#\n#\n';
        for (const pieces of [whole(text), byByte(text)]) {
            expect(await readAll(pieces, { skipping: () => true })).to.equal({ messages: [['skipped', 'skipped', 'skipped'], ['skipped']], error: null });
        }
    });

    it('goes on after a body that was read in part', async () => {

        const stream = new PassThrough();
        stream.end('{}\n#\n@\n3\nabc\n3\ndef\n#\n{"last":1}\n#\n#\n');
        const reader = new MessageReader(stream);
        await reader.nextMessage();
        await reader.nextSegment();
        const bytes = await reader.nextSegment();
        for await (const piece of bytes!.body) {
            expect(piece.toString()).to.equal('abc');
            break;
        }

        const last = await reader.nextSegment();
        expect((await readBytes(last!.body, 100)).toString()).to.equal('{"last":1}');
        expect(await reader.nextSegment()).to.be.null();
    });

    it('does not take more from the sender than is read', async () => {

        const stream = new PassThrough({ highWaterMark: 1024 });
        const reader = new MessageReader(stream);
        stream.write('{}\n#\n@\n');
        let sent = 0;
        const filler = Buffer.from(`512\n${'x'.repeat(512)}\n`);
        const full = (): boolean => {

            for (let n = 0; n < 100; ++n) {
                sent += filler.length;
                if (!stream.write(filler)) {
                    return true;
                }
            }

            return false;
        };

        expect(full()).to.be.true();
        await reader.nextMessage();
        await reader.nextSegment();
        await reader.nextSegment();
        await new Promise(setImmediate);
        expect(full()).to.be.true();
        expect(sent).to.be.below(10_000);
    });

    /** Number of turns of the event loop that some work takes. */
    const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {

        let turns = 0;
        const turn = (): void => {

            ++turns;
            timer = setImmediate(turn);
        };

        let timer = setImmediate(turn);
        await work();
        clearImmediate(timer);
        return turns;
    };

    for (const [title, text] of [['chunks', '1\nx\n'], ['segments', '#\n@\n'], ['blanks', `1${' '.repeat(1000)}\nx\n`]] as const) {
        it(`lets other work proceed while it reads many small ${title}`, async () => {

            const sent = `{}\n#\n@\n${text.repeat(Math.ceil(400_000 / text.length))}#\n#\n`;
            expect(await turnsOf(async () => expect((await readAll(whole(sent), { skipping: () => true })).error).to.be.null())).to.be.above(50);
        });
    }

    it('lets other work proceed while many connections send small chunks', async () => {

        const sent = `{}\n#\n@\n${'1\nx\n'.repeat(10_000)}#\n#\n`;
        const reading = (): Promise<unknown> => Promise.all(Array.from({ length: 10 }, () => readAll(whole(sent), { skipping: () => true })));
        expect(await turnsOf(reading)).to.be.above(60);
    });

    it('ends a wait when it is told to', async () => {

        const reader = new MessageReader(new PassThrough());
        const waiting = reader.nextMessage();
        await new Promise(setImmediate);
        expect(reader.isWaiting).to.be.true();
        reader.fail(new Error('too late'));
        await expect(waiting).to.reject('too late');
        await expect(reader.nextMessage()).to.reject('too late');
    });

    it('reads random messages, however they are cut', async () => {

        const random = seeded(20261123);
        const int = (below: number): number => random.integer(0, below - 1);
        const blanks = (): string => random.pick(['', '', '', ' ', '\t', '\r', ' \t \r']);
        for (let round = 0; round < 200; ++round) {
            const messages: Known[][] = [];
            const pieces: Buffer[] = [];
            for (let n = int(4); n > 0; --n) {
                const segments: Known[] = ['{"n":1}'];
                pieces.push(Buffer.from(`${random.pick(['', '\n', ' \r\n'])}{"n":1}\n#${blanks()}\n`));
                for (let m = int(4); m > 0; --m) {
                    if (int(2) === 0) {
                        const text = JSON.stringify({ text: random.pick(['#', '\n#\n', 'é', '@']), n: int(1000) }, null, int(3));
                        segments.push(text);
                        pieces.push(Buffer.from(`${text}\n#${blanks()}\n`));
                        continue;
                    }

                    const chunks = Array.from({ length: int(4) }, () => Buffer.from(Array.from({ length: int(40) }, () => random.pick([10, 35, 64, int(256)]))));
                    segments.push(Buffer.concat(chunks));
                    pieces.push(Buffer.from(`@${blanks()}\n`));
                    for (const chunk of chunks) {
                        pieces.push(Buffer.from(`${chunk.length}${blanks()}\n`), chunk, Buffer.from(`${blanks()}\n`));
                    }

                    pieces.push(Buffer.from(`#${blanks()}\n`));
                }

                messages.push(segments);
                pieces.push(Buffer.from(`#${blanks()}\n`));
            }

            const bytes = Buffer.concat(pieces);
            const cuts = Array.from({ length: int(20) }, () => int(bytes.length + 1)).sort((a, b) => a - b);
            const cut = [...cuts, bytes.length].map((end, i, all) => bytes.subarray(i === 0 ? 0 : all[i - 1], end));
            expect(await readAll(cut)).to.equal({ messages, error: null });
        }
    });

    it('comes to an end with whatever it is sent', async () => {

        const random = seeded(20261123);
        const int = (below: number): number => random.integer(0, below - 1);
        const alphabet = ['{', '}', '"', '#', '@', '\n', '\n#\n', '#\n', '@\n', '1', '3', '0', ' ', '\r', 'x', '!', '{}\n#\n', '3\nabc\n'];
        for (let round = 0; round < 2000; ++round) {
            const text = Array.from({ length: int(30) }, () => random.pick(alphabet)).join('');
            const { error, messages } = await readAll(whole(text), { skipping: () => int(3) === 0 });
            if (error === null) {
                expect(messages.length, text).to.be.at.most(text.length);
            }
        }
    });
});
