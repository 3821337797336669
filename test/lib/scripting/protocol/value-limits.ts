/** Texts of the sandbox are parsed like those of clients, within limits of their own; of long ones it is not said where an error is. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DoipError } from '../../../../lib/errors/errors.js';
import { DEFAULT_VALUE_LIMITS, parseGiven, valueLimitsFor } from '../../../../lib/scripting/protocol/value-limits.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MIB = 1024 * 1024;
const LONG = 'x'.repeat(MIB);

describe('texts of the sandbox', () => {

    const read: readonly (readonly [title: string, value: unknown])[] = [
        ['a short one', { a: [1, 'b', null] }], ['a long one', { a: LONG, b: [LONG] }], ['many values', Array.from({ length: 49_000 }, (_, n) => n)]
    ];
    for (const [title, value] of read) {
        it(`are parsed: ${title}`, async () => {

            expect<unknown>(await parseGiven(JSON.stringify(value), DEFAULT_VALUE_LIMITS, 'it')).to.equal(value);
        });
    }

    const refused: readonly (readonly [title: string, text: string, http: number | undefined, message: string])[] = [
        ['too many values', JSON.stringify(Array.from({ length: 50_001 }, () => 1)), 413, 'it holds more than the allowed 50000 values'],
        ['too long', `"${'x'.repeat(6 * MIB)}"`, 413, 'it is longer than the allowed 6291456 characters'],
        ['an unpaired surrogate', '["\\ud800"]', undefined, 'it: /0: string contains an unpaired surrogate'],
        ['an unpaired surrogate in a long text', `["${LONG}\\ud800"]`, undefined, 'it is not strict JSON: '],
        ['a name twice in a long text', `{"a":"${LONG}","a":1}`, undefined, 'it is not strict JSON: '],
        ['a long text that ends early', `["${LONG}"`, undefined, 'it is not strict JSON: ']
    ];
    for (const [title, text, http, message] of refused) {
        it(`are refused: ${title}`, async () => {

            const error = await expect(parseGiven(text, DEFAULT_VALUE_LIMITS, 'it')).to.reject(DoipError);

            expect(error.http).to.equal(http);
            expect(error.message.replace(/^\//, 'it: /')).to.startWith(message);
        });
    }

    const limits: readonly (readonly [jsonValues: number | undefined, contentBytes: number, maxValues: number, maxLength: number])[] = [
        [20_000, 2 * MIB, 50_000, 6 * MIB], [1000, 1024, 50_000, 6 * MIB], [100_000, 20 * MIB, 210_000, 42 * MIB], [undefined, 2 * MIB, Infinity, 6 * MIB]
    ];
    for (const [jsonValues, contentBytes, maxValues, maxLength] of limits) {
        it(`have limits by those of clients: ${jsonValues ?? 'no'} values of ${contentBytes} bytes`, () => {

            expect(valueLimitsFor({ contentBytes, ...jsonValues === undefined ? {} : { jsonValues } })).to.equal({ maxValues, maxLength });
        });
    }
});
