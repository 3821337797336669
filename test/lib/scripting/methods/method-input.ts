import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { BytesSegment } from '../../../../lib/doip/envelope.js';
import { sequence } from '../../../../lib/doip/segments.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import { readMethodInput } from '../../../../lib/scripting/methods/method-input.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MIB = 1024 * 1024;
const MAX_INPUT = 16 * MIB;

const list = (values: number): string => `[${'1e1,'.repeat(values - 2)}1e1]`;

async function *chunks(text: string): AsyncGenerator<Uint8Array> {

    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += 65_536) {
        yield bytes.subarray(start, start + 65_536);
    }
}

/** Bytes as a carrier passes them on, with the number of bytes that were charged. */
function carried(text: string, mediaType?: string): { segment: BytesSegment; charged: () => number } {

    let charged = 0;
    const reserve = (bytes: number): void => {

        charged += bytes;
    };

    const limits = { jsonBytes: 4 * MIB, jsonDepth: 100, jsonValues: 20_000, memory: { reserve, release: () => undefined } };
    return { segment: { kind: 'bytes', body: chunks(text), limits, ...mediaType === undefined ? {} : { mediaType } }, charged: () => charged };
}

const read = (segment: BytesSegment): ReturnType<typeof readMethodInput> =>
    readMethodInput(sequence(segment), { attributes: {}, params: undefined, limit: MAX_INPUT });

describe('the input of a method', () => {

    for (const mediaType of ['text/plain', undefined]) {
        it(`is parsed within the limits of JSON where it may be something else (${mediaType ?? 'without a media type'})`, async () => {

            const [few, many] = [carried(list(20_000), mediaType), carried(list(20_001), mediaType)];

            expect((await read(few.segment)).params).to.have.length(19_999);
            const { params, direct } = await read(many.segment);
            expect(params).to.be.undefined();
            expect(direct?.bytes.toString()).to.equal(list(20_001));
            const deep = await read(carried('['.repeat(101) + ']'.repeat(101), mediaType).segment);
            expect(deep.params).to.be.undefined();
            const long = await read(carried(`"${'x'.repeat(4 * MIB)}"`, mediaType).segment);
            expect(long.params).to.be.undefined();
        });
    }

    it('is refused beyond the limits of JSON if it is JSON', async () => {

        expect((await read(carried(list(20_000), 'application/json').segment)).params).to.have.length(19_999);
        for (const text of [list(20_001), `"${'x'.repeat(4 * MIB)}"`]) {
            const error = await expect(read(carried(text, 'application/json').segment)).to.reject<DoipError>(DoipError);
            expect(error.http).to.equal(413);
        }

        await expect(read(carried('['.repeat(101) + ']'.repeat(101), 'application/json').segment)).to.reject(DoipError, /deeper than the allowed 100/);
    });

    it('is charged to the memory of requests, whether or not it is JSON', async () => {

        for (const mediaType of ['application/json', 'text/plain', undefined]) {
            const { segment, charged } = carried(list(1000), mediaType);
            await read(segment);

            expect(charged()).to.equal(list(1000).length);
        }
    });

    it('takes a time by the limits of JSON, not by its length', async () => {

        const numbers = `[${'1e1,'.repeat(MAX_INPUT / 4 - 1)}1]`;
        const elapsed = processorTime();
        await read(carried(numbers.slice(0, MAX_INPUT), 'text/plain').segment);
        await read(carried(numbers.slice(0, 4 * MIB - 1), 'text/plain').segment);

        expect(elapsed()).to.be.below(600);
    });

    it('is parsed in a turn of its own if it is long', async () => {

        const order: string[] = [];
        const reading = read(carried(list(19_000), 'text/plain').segment).then(() => order.push('read'));
        setImmediate(() => order.push('turn'));
        await reading;

        expect(order).to.equal(['turn', 'read']);
    });
});
