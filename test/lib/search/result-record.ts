import { setImmediate } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Segment } from '../../../lib/doip/envelope.js';
import type { DigitalObject } from '../../../lib/doip/digital-object.js';
import { onClose } from '../../../lib/util/streams/on-close.js';
import { recordSegment } from '../../../lib/search/result-record.js';

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

describe('the record of a search', () => {

    const project = <T>(result: T): T => result;
    const expected = (count: number, text: string): string => JSON.stringify({
        size: count, results: Array.from({ length: count }, (_, n) => ({ id: `test/${n}`, type: 'T', attributes: { content: { n, text } } })), pageNum: 0
    });

    for (const [title, count, text, kind] of [
        ['nothing', 0, '', 'json'], ['few short results', 3, 'short', 'json'], ['few long results', 5, LONG, 'json'], ['many long results', 40, LONG, 'bytes'],
        ['one endless result', 1, 'x'.repeat(3_000_000), 'bytes'], ['very many results', 1001, 'short', 'bytes']
    ] as const) {
        it(`has the same text with ${title}`, async () => {

            const { blocks, state } = blocksOf(count, text);

            const segment = await recordSegment({ size: count, pageNum: 0 }, { blocks, most: count, project });

            expect(segment.kind).to.equal(kind);
            // The rest is left where it is until somebody reads it.
            expect(state.taken).to.be.at.most(count === 1001 ? 0 : 11);
            expect(await textOf(segment)).to.equal(expected(count, text));
            await setImmediate();
            expect(state.isReleased).to.be.true();
        });
    }

    it('releases results that are not read', async () => {

        const { blocks, state } = blocksOf(40, LONG);

        const segment = await recordSegment({ size: 40 }, { blocks, most: 40, project });
        if (segment.kind === 'bytes') {
            await segment.body[Symbol.asyncIterator]().return?.();
        }

        await setImmediate();
        expect(state.isReleased).to.be.true();
        expect(state.taken).to.be.below(40);
    });
});
