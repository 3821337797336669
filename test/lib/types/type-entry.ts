import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { UnusableSchema } from '../../../lib/types/schema/linker.js';
import type { SchemaLookup } from '../../../lib/types/schema/linked-schema.js';
import { TypeEntry } from '../../../lib/types/type-entry.js';
import { atOnce, type Steps } from '../../../lib/util/concurrency/steps.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';

export const lab = Lab.script();
const { describe, it } = lab;

const PROPERTIES = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`p${i}`, { type: 'string', maxLength: i }]));

function entryOf(name: string, schema: JsonValue): TypeEntry {

    return new TypeEntry(name, `test/${name}`, { name, schema }, ['cordra']);
}

function lookupIn(...entries: readonly TypeEntry[]): SchemaLookup {

    return (name) => entries.find((entry) => entry.name === name)?.document;
}

/** Takes one step of each in turn until all are done; returns the number of steps. */
function alternate(...all: Steps<void>[]): number {

    let count = 0;
    for (let left = all; left.length > 0;) {
        left = left.filter((steps) => steps.next().done !== true);
        count += left.length;
    }

    return count;
}

function errorsOf(entry: TypeEntry, lookup: SchemaLookup, content: JsonObject): readonly string[] {

    return entry.compiled(lookup).validate(content).map(({ pointer }) => pointer);
}

describe('a stored type', () => {

    it('is linked in many steps, which nobody takes again', () => {

        const entry = entryOf('T', { properties: PROPERTIES });
        const lookup = lookupIn(entry);

        expect(Array.from(entry.link(lookup)).length).to.be.above(200);
        expect(Array.from(entry.link(lookup))).to.be.empty();
        expect(entry.compiled(lookup)).to.shallow.equal(entry.compiled(lookup));
        expect(errorsOf(entry, lookup, { p3: 'long', p5: 'short' })).to.equal(['/p3']);
    });

    it('is examined in steps too', () => {

        const entry = entryOf('T', { properties: PROPERTIES });
        entry.link(lookupIn(entry)).next();

        expect(Array.from(entry.document.examine()).length).to.be.above(190);
    });

    it('is linked in steps that include those of the schemas it refers to', () => {

        const other = entryOf('Other', { $defs: { names: { properties: PROPERTIES } }, elsewhere: { properties: PROPERTIES } });
        const entry = entryOf('T', { properties: { a: { $ref: 'Other#/$defs/names' }, b: { $ref: 'Other#/elsewhere' } } });
        const lookup = lookupIn(entry, other);
        const first = entry.link(lookup);
        first.next();

        expect(Array.from(first).length).to.be.above(400);
        // One at a time: on a busy machine, the search for all errors may end early.
        expect(errorsOf(entry, lookup, { a: { p1: 'no' } })).to.equal(['/a/p1']);
        expect(errorsOf(entry, lookup, { b: { p2: 'yes' } })).to.equal(['/b/p2']);
    });

    it('is linked once for two that need it at the same time', () => {

        const entry = entryOf('T', { properties: PROPERTIES });
        const lookup = lookupIn(entry);
        const alone = Array.from(entryOf('T', { properties: PROPERTIES }).link(lookupIn(entry))).length;

        expect(alternate(entry.link(lookup), entry.link(lookup))).to.be.below(alone + 10);
        expect(errorsOf(entry, lookup, { p1: 'no' })).to.equal(['/p1']);
    });

    it('is linked for each of two that see other types, whatever the order of their steps', () => {

        const [short, long] = [entryOf('Name', { maxLength: 2 }), entryOf('Name', { maxLength: 4 })];
        for (const lead of [0, 1, 50, 300, 1000]) {
            const entry = entryOf('T', { properties: { ...PROPERTIES, name: { $ref: 'Name' } } });
            const [before, after] = [lookupIn(entry, short), lookupIn(entry, long)];
            const first = entry.link(before);
            for (let n = 0; n < lead; ++n) {
                first.next();
            }

            alternate(first, entry.link(after));

            expect(errorsOf(entry, after, { name: 'abc' })).to.be.empty();
            expect(errorsOf(entry, before, { name: 'abc' })).to.equal(['/name']);
        }
    });

    it('is linked for any number of callers, each with other types, a step of each at a time', () => {

        const entry = entryOf('T', { properties: { ...PROPERTIES, name: { $ref: 'Name' } } });
        const lookups = [1, 2, 3, 4, 5, 6].map((maxLength) => lookupIn(entry, entryOf('Name', { maxLength })));

        expect(alternate(...lookups.map((lookup) => entry.link(lookup)))).to.be.below(30_000);
        lookups.forEach((lookup, i) => expect(errorsOf(entry, lookup, { name: 'x'.repeat(i + 1) })).to.be.empty());
        lookups.forEach((lookup, i) => expect(errorsOf(entry, lookup, { name: 'x'.repeat(i + 2) })).to.equal(['/name']));
    });

    it('can be used before all steps are taken', () => {

        for (const lead of [1, 50, 150, 250, 400]) {
            const entry = entryOf('T', { properties: PROPERTIES });
            const lookup = lookupIn(entry);
            const steps = entry.link(lookup);
            for (let n = 0; n < lead; ++n) {
                steps.next();
            }

            expect(errorsOf(entry, lookup, { p1: 'no' })).to.equal(['/p1']);
            expect(Array.from(steps).length).to.be.below(2);
        }
    });

    it('that cannot be used is found when it is used', () => {

        const entry = entryOf('T', { properties: { ...PROPERTIES, x: { type: 'strin' } } });
        const lookup = lookupIn(entry);
        atOnce(entry.compile(lookup));

        expect(() => entry.compiled(lookup)).to.throw(UnusableSchema, /^\/properties\/x\/type: /);
    });
});
