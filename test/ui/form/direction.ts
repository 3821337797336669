/** The direction of texts that people edit. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { directionOf } from '../../../ui/src/form/model/direction.js';

export const lab = Lab.script();
const { describe, it } = lab;

const CASES: readonly (readonly [title: string, text: string, direction: ReturnType<typeof directionOf>])[] = [
    ['a short text, as the browser finds it', 'שלום', 'auto'],
    ['a long text that begins in Hebrew', `1. ${'שלום '.repeat(2000)}`, 'rtl'],
    ['a long text that begins in Arabic', 'مرحبا '.repeat(2000), 'rtl'],
    ['a long text that begins in Latin letters', `a ${'שלום '.repeat(2000)}`, 'ltr'],
    ['a long text without letters', '\n'.repeat(200_000), 'ltr']
];

describe('the direction of a text', () => {

    for (const [title, text, direction] of CASES) {
        it(`is ${direction} for ${title}`, () => {

            expect(directionOf(text)).to.equal(direction);
        });
    }
});
