import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { errorsBySchema, errorsBySchemaInTurns } from '../../../lib/types/ad-hoc-validation.js';

export const lab = Lab.script();
const { describe, it } = lab;

const LARGE: JsonObject = { oneOf: Array.from({ length: 500 }, (_, i) => ({ required: [`a${i}`], properties: { [`a${i}`]: { type: 'string' } } })) };
const none = (): undefined => undefined;

describe('validation by a schema that belongs to no type', () => {

    it('compiles a large schema in many turns of the event loop, with the same result', async () => {

        let turns = 0;
        const turn = (): void => {

            turns += 1;
            next = setImmediate(turn);
        };

        let next = setImmediate(turn);
        const errors = await errorsBySchemaInTurns(LARGE, { a7: 5 }, none);
        clearImmediate(next);

        expect(turns).to.be.above(4);
        expect(errors.map(({ pointer, message }) => `${pointer}: ${message}`)).to.include('/a7: must be a string, got a number');
        expect(await errorsBySchemaInTurns(LARGE, { a7: 'x' }, none)).to.equal([]);
    });

    it('is refused for schemas that cannot be used, and values that are nested too deeply', async () => {

        const recursive = { properties: { a: { $ref: '#' } } };
        const deep = Array.from({ length: 50_000 }).reduce<JsonObject>((inside) => ({ a: inside }), {});

        for (const [schema, value, message] of [
            [{ type: 'strin' }, 1, /the schema cannot be used: \/type: must be one of/], [recursive, deep, /the value is nested too deeply/]
        ] as const) {
            expect(() => errorsBySchema(schema, value, none)).to.throw(message);
            await expect(errorsBySchemaInTurns(schema, value, none)).to.reject(message);
        }
    });
});
