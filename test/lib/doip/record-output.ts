import { setImmediate } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Segment } from '../../../lib/doip/envelope.js';
import type { DigitalObject } from '../../../lib/doip/digital-object.js';
import { onClose } from '../../../lib/util/streams/on-close.js';
import type { RecordForm } from '../../../lib/doip/record-output.js';
import { jsonText } from '../../../lib/json/raw-json.js';
import { listText, RecordOutput, recordText } from '../../../lib/doip/record-output.js';

export const lab = Lab.script();
const { describe, it } = lab;

const LONG = 'x'.repeat(100_000);

/** Blocks of one object each, and how many of them were taken. */
function blocksOf(count: number, text: string) {

    const state = { taken: 0, isReleased: false };
    const all = async function *(): AsyncGenerator<DigitalObject[], void, undefined> {

        for (let n = 0; n < count; ++n) {
            ++state.taken;
            yield [{ id: `test/${n}`, type: 'T', attributes: { content: { n, text } } } as unknown as DigitalObject];
        }
    };

    return { state, blocks: onClose(all(), () => void (state.isReleased = true)) };
}

async function textOf(segment: Segment): Promise<string> {

    if (segment.kind === 'json') {
        return JSON.stringify(segment.value);
    }

    let text = '';
    for await (const chunk of segment.body) {
        text += Buffer.from(chunk).toString();
    }

    return text;
}

describe('a record output', () => {

    const expected = (count: number, text: string): string => JSON.stringify({
        size: count, results: Array.from({ length: count }, (_, n) => ({ id: `test/${n}`, type: 'T', attributes: { content: { n, text } } })), pageNum: 0
    });

    for (const [title, count, text, kind] of [
        ['nothing', 0, '', 'json'], ['few short results', 3, 'short', 'json'], ['few long results', 5, LONG, 'json'], ['many long results', 40, LONG, 'bytes'],
        ['one endless result', 1, 'x'.repeat(3_000_000), 'bytes'], ['very many results', 1001, 'short', 'bytes']
    ] as const) {
        it(`has the same text with ${title}`, async () => {

            const { blocks, state } = blocksOf(count, text);

            const record = await RecordOutput.open({ before: { size: count }, after: { pageNum: 0 }, blocks, maxResults: count });
            const segments = record[Symbol.asyncIterator]();
            const { value: segment } = await segments.next() as { value: Segment };

            expect(segment.kind).to.equal(kind);
            // The rest stays unread until it is asked for.
            expect(state.taken).to.be.at.most(count === 1001 ? 1 : 11);
            expect(await textOf(segment)).to.equal(expected(count, text));
            expect(await segments.next()).to.equal({ done: true, value: undefined });
            await setImmediate();
            expect(state.isReleased).to.be.true();
        });
    }

    for (const [title, count, kind] of [['nothing', 0, 'json'], ['few results', 5, 'json'], ['many results', 40, 'bytes']] as const) {
        it(`may be a list alone, with ${title}`, async () => {

            const { blocks, state } = blocksOf(count, LONG);
            const list = (await RecordOutput.open({ isList: true, after: {}, blocks })).whenClosed(() => undefined);
            const [inChunks, whole] = [blocksOf(count, LONG), JSON.stringify((JSON.parse(expected(count, LONG)) as { results: unknown }).results)];

            const segments = list[Symbol.asyncIterator]();
            const { value: segment } = await segments.next() as { value: Segment };
            expect(segment.kind).to.equal(kind);
            expect(state.taken).to.be.at.most(11);
            expect(segment.kind === 'json' ? jsonText(segment.value) : await textOf(segment)).to.equal(whole);
            let text = '';
            for await (const chunk of listText(await RecordOutput.open({ isList: true, after: {}, blocks: inChunks.blocks }))) {
                text += chunk;
            }

            expect(text).to.equal(whole);
        });
    }

    it('releases results that are not read', async () => {

        for (const read of [0, 1]) {
            const { blocks, state } = blocksOf(40, LONG);
            const record = await RecordOutput.open({ before: { size: 40 }, after: {}, blocks, maxResults: 40 });
            const segments = record[Symbol.asyncIterator]();
            for (let n = 0; n < read; ++n) {
                await segments.next();
            }

            await segments.return(undefined);

            await setImmediate();
            expect(state.isReleased).to.be.true();
            expect(state.taken).to.be.below(40);
        }
    });

    it('is converted in batches by its reader, and released when that ends early', async () => {

        const form: RecordForm = { before: {}, after: { end: true }, text: (item) => (item as DigitalObject).id };
        const few = blocksOf(3, 'short');
        const many = blocksOf(3, 'short');
        const record = await RecordOutput.open({ before: { size: 3 }, after: { pageNum: 0 }, blocks: few.blocks });
        const pieces: string[] = [];
        for await (const piece of recordText(record, form)) {
            pieces.push(piece);
        }

        const unread = recordText(await RecordOutput.open({ after: {}, blocks: many.blocks }), { ...form, text: () => LONG });
        await unread.next();
        await unread.return();
        await setImmediate();

        expect(pieces).to.equal(['{"results":[test/0,test/1,test/2],"end":true}']);
        expect<unknown>(record.head).to.equal({ size: 3, pageNum: 0 });
        expect([few.state, many.state]).to.equal([{ taken: 3, isReleased: true }, { taken: 1, isReleased: true }]);
    });
});
