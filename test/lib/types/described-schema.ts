/** Schemas that describe something to clients: how their patterns are checked, which nothing here matches. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describedSchemaError } from '../../../lib/types/described-schema.js';
import { isDecided, median } from '../../support/attempts.js';
import { processorTime } from '../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Milliseconds of the processor. Compiling the patterns takes three times as many; garbage of other tests counts, but not each time. */
const MOST_MS = 250;

describe('a schema that describes something to clients', () => {

    it('may have patterns of any syntax that clients know', () => {

        const patterns = ['^\\p{Lu}+$', '^(?!x)(?<=a)b\\1(a)$', '^[\\w-.]+\\_$', ''];
        for (const pattern of patterns) {
            expect(describedSchemaError({ items: { pattern }, patternProperties: { [pattern]: true } }), pattern).to.be.null();
        }
    });

    it('has an error at a pattern that is no regular expression, or too long', () => {

        expect(describedSchemaError({ pattern: '(' })).to.equal({ pointer: '/pattern', message: 'the pattern ( is no regular expression' });
        expect(describedSchemaError({ patternProperties: { '[': true } })?.pointer).to.equal('/patternProperties');
        expect(describedSchemaError({ pattern: 'a'.repeat(4097) })?.message).to.match(/is longer than 4096 characters$/);
    });

    it('takes a few milliseconds, however many and long its patterns are', () => {

        const took: number[] = [];
        while (!isDecided(took, MOST_MS)) {
            // Others each time, as what was compiled before is quick.
            const properties = Object.fromEntries(Array.from({ length: 490 }, (_, i) =>
                [`p${i}`, { pattern: i % 2 === 0 ? `${'a|'.repeat(2000)}${took.length}-${i}` : `^(?:\\p{L}|${took.length}-${i}){1,100}$` }]));
            const elapsed = processorTime();
            const error = describedSchemaError({ properties });
            took.push(elapsed());

            expect(error).to.be.null();
        }

        expect(median(took)).to.be.below(MOST_MS);
    });
});
