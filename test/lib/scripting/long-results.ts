/** Searches of type code whose results are long: they are read in portions, and refused before they fill the memory. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { ServiceHost } from '../../../lib/scripting/host/service-host.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { forEachDatabase } from '../../support/database.js';
import { testPool } from '../../support/scripts.js';
import { defineType, messageOf, startNodes, type Nodes } from '../../support/type-code.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Objects, and characters of each: together more than a script may be given. */
const OBJECTS = 20;
const LENGTH = 900_000;

const CALL = 'gateway/Op.Call';

forEachDatabase((name, create) => {

    describe(`a search of type code with long results, on ${name},`, () => {

        let nodes: Nodes;

        before(async () => {

            nodes = await startNodes(create, {});
            await defineType(nodes.node, 'Long', '');
            await defineType(nodes.node, 'Asking', `
                const cordra = require('cordra');
                exports.staticMethods = { ask: ({ params }) => {
                    const { size, results } = cordra.search('type:Long', params);
                    return { size, ids: results.map(({ id }) => id), lengths: results.map(({ content }) => content.text.length) };
                } };`);
            for (let n = 0; n < OBJECTS; ++n) {
                await nodes.node.create('Long', { text: 'x'.repeat(LENGTH), number: n }, { id: `test/long${String(n).padStart(2, '0')}` });
            }
        });

        after(() => nodes.stop());

        const ask = async (params: JsonObject) => await nodes.node.asAdmin(CALL, { attributes: { type: 'Asking', method: 'ask', params } });

        it('is refused where all of them are asked for', async () => {

            expect(messageOf(await ask({}))).to.equal(
                'the results of the search are longer than 16777216 characters: a script must ask for them in pages'
            );
        });

        it('gives them in pages, in order', async () => {

            const { value } = await ask({ pageNum: 1, pageSize: 8, sortFields: '/number DESC' });

            expect<unknown>(value).to.equal({
                size: OBJECTS, ids: Array.from({ length: 8 }, (_, i) => `test/long${String(11 - i).padStart(2, '0')}`), lengths: Array.from({ length: 8 }, () => LENGTH)
            });
        });
    });
});

describe('a search of type code that was stopped', () => {

    it('reads no more objects, closes its hits, and is no error for the log', async () => {

        let pages = 0;
        let isClosed = false;
        const blocks = async function *(): AsyncGenerator<string[]> {

            try {
                yield ['test/1'];
            }
            finally {
                isClosed = true;
            }
        };

        const objects = {
            pages: async function *(): AsyncGenerator<readonly StoredObject[]> {

                for (; pages < 1000; ++pages) {
                    await new Promise((resolve) => setTimeout(resolve, 20));
                    yield [];
                }
            }
        };
        const services = { search: { indexedIds: async () => ({ size: 1, blocks: blocks() }) } };
        const host = new ServiceHost(services as never, { objects, maxResultLength: 1000 }, {} as never);
        const pool = testPool({ timeout: 10_000 });
        // The thread is there when the time begins.
        await pool.returned('exports.run = () => 1');
        const failure = await pool.failure('exports.run = () => require("cordra").search("a")', { host: { search: (...args) => host.search(...args) } });
        await until(() => isClosed);
        await pool.close();

        expect(failure).to.include({ kind: 'limit', limit: 'time' });
        expect(pages).to.be.below(1000);
        expect(pool.lines).to.equal([]);
    });
});
