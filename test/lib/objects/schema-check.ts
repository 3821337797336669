/** Pages of a check of stored objects: the schema is compiled once, as long as it and the types stay the same. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SERVICE } from '../../../lib/model/caller.js';
import { SchemaCheck } from '../../../lib/objects/schema-check.js';
import type { TypeRegistry } from '../../../lib/types/type-registry.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { registryOf } from '../../support/types.js';

export const lab = Lab.script();
const { describe, it } = lab;

const schemaOf = (maximum: number): JsonObject => ({ type: 'object', properties: { n: { type: 'integer', maximum } } });

describe('pages of a check of stored objects', () => {

    it('compile the schema once, as long as it and the types stay the same', async () => {

        const compiled: string[] = [];
        const counted = (registry: TypeRegistry): TypeRegistry => {

            const withSchema = registry.withSchema.bind(registry);
            return Object.assign(registry, {
                withSchema: (name: string, schema: JsonObject) => {

                    compiled.push(`${name} ${JSON.stringify(schema)}`);
                    return withSchema(name, schema);
                }
            });
        };

        let current = counted(registryOf({ Item: schemaOf(1), Other: schemaOf(1) }));
        const check = new SchemaCheck({
            objects: { idsOfTypeAfter: () => Promise.resolve([]), text: () => Promise.resolve(null), texts: () => Promise.resolve({ objects: [] }) } as never,
            catalog: { get current() {

                return current;
            } },
            policy: undefined as never
        });
        const page = (type: string, schema: JsonObject): Promise<unknown> =>
            check.page({ type, schema, after: '', pageSize: 10 }, SERVICE, new AbortController().signal);

        await page('Item', schemaOf(2));
        await page('Item', schemaOf(2));
        await page('Other', schemaOf(2));
        await page('Item', schemaOf(3));
        await page('Item', schemaOf(2));
        expect(compiled.length).to.equal(3);

        current = counted(registryOf({ Item: schemaOf(1), Other: schemaOf(5) }, {}, current));
        await page('Item', schemaOf(2));
        await page('Item', schemaOf(2));
        expect(compiled.length).to.equal(4);

        for (let maximum = 10; maximum < 40; ++maximum) {
            await page('Item', schemaOf(maximum));
        }

        await page('Item', schemaOf(2));
        expect(compiled.length).to.equal(35);
    });

    it('say again and again what is wrong with a schema', async () => {

        const check = new SchemaCheck({ objects: undefined as never, catalog: { current: registryOf({}) }, policy: undefined as never });
        const request = { type: 'Item', schema: { type: 'strin' }, after: '', pageSize: 10 };
        await expect(check.page(request, SERVICE, new AbortController().signal)).to.reject();
        await expect(check.page(request, SERVICE, new AbortController().signal)).to.reject();
    });
});
