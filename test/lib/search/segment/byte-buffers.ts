import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { compareBytes, compareUnicode, encodeText } from '../../../../lib/search/segment/byte-buffers.js';
import { randomFrom } from '../../../support/search-corpus.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** On both sides of the surrogates, and beyond the first 65536 characters. */
const LETTERS = ['a', 'b', 'é', '\u07ff', '\ud7ff', '\ue000', '\uffee', '\u{10000}', '\u{1f600}', '\u{10ffff}'];

describe('byte buffers', () => {

    it('order texts by their UTF-8 encoding', () => {

        const random = randomFrom(7);
        const text = (): string => Array.from({ length: Math.floor(random() * 4) }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
        for (let i = 0; i < 5000; ++i) {
            const [a, b] = [text(), text()];
            expect(Math.sign(compareUnicode(a, b)), `${a} and ${b}`).to.equal(Math.sign(compareBytes(encodeText(a), encodeText(b))));
        }
    });
});
