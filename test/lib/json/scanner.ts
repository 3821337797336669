import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { escapedUnit, escapeLength, INVALID } from '../../../lib/json/scanner.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A text of which only the codes of characters can be read: texts of many escapes must not be cut at each. */
const codesOf = (text: string): string => ({ charCodeAt: (index: number) => text.charCodeAt(index) }) as string;

describe('an escape', () => {

    const units: [string, number][] = [
        ['\\u0041', 0x41], ['\\uABCD', 0xabcd], ['\\uefEF', 0xefef], ['\\u0000', 0], ['\\uffff', 0xffff], ['\\u00e9"', 0xe9],
        ['\\n', INVALID], ['\\U0041', INVALID], ['\\u004', INVALID], ['\\u004g', INVALID], ['\\u 041', INVALID], ['\\u004@', INVALID], ['\\u00:1', INVALID],
        ['\\u004`', INVALID], ['u0041', INVALID], ['', INVALID]
    ];
    for (const [text, unit] of units) {
        it(`stands for ${unit}: ${text}`, () => {

            expect(escapedUnit(codesOf(text), 0)).to.equal(unit);
            expect(escapedUnit(codesOf(`x${text}`), 1)).to.equal(unit);
        });
    }

    const lengths: [string, number][] = [
        ['\\n', 2], ['\\u0041', 2], ['\\ud7ff', 2], ['\\ue000', 2], ['\\ud80', 2], ['\\ud8x0', 2],
        ['\\ud800\\udc00', 12], ['\\uDBFF\\uDFFF', 12],
        ['\\ud800', INVALID], ['\\udc00', INVALID], ['\\udfff\\udc00', INVALID], ['\\ud800\\ud800', INVALID], ['\\ud800\\ue000', INVALID],
        ['\\ud800x\\udc00', INVALID], ['\\ud800\\\\udc00', INVALID], ['\\ud800\\udc0', INVALID], ['\\ud800\\u0041', INVALID]
    ];
    for (const [text, length] of lengths) {
        it(`has the length ${length}: ${text}`, () => {

            expect(escapeLength(codesOf(text), 0)).to.equal(length);
        });
    }
});
