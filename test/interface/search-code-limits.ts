/** Searches whose type code reaches limits: objects are withheld by their own code alone; else the search fails as a whole. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../lib/util/json-types.js';
import { DEFAULT_LIMITS } from '../../lib/scripting/pool/script-pool.js';
import { forEachDatabase } from '../support/database.js';
import { type Answer, SCRIPT_LIMITS, startGateway, type TestGateway } from '../support/gateway.js';
import { changeCode, defineType, messageOf } from '../support/type-code.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

const SEARCH = '0.DOIP/Op.Search';

const LOOPING = `exports.onObjectResolution = (object) => {
    if (object.content.loops) {
        for (;;);
    }

    return object;
};
exports.staticMethods = { loop: () => { for (;;); }, ready: () => true };`;

/** More than may wait for one caller. */
const CALLS = 210;

type Content = Readonly<{ n: number; loops: boolean }>;

const numbered = (count: number, loops: (n: number) => boolean): readonly Content[] => Array.from({ length: count }, (_, n) => ({ n, loops: loops(n) }));

forEachDatabase((name, create) => {

    describe(`searches whose code reaches a limit, on ${name},`, () => {

        /** The time limit may be shorter than the start of a thread on a busy machine: objects are stored before there is code, and code without it. */
        const withGateway = async (timeout: number, contents: readonly Content[], work: (gateway: TestGateway) => Promise<void>): Promise<void> => {

            const database = await create();
            try {
                const patient = await startGateway(database, { scripts: SCRIPT_LIMITS });
                try {
                    const type = await defineType(patient, 'Coded', '');
                    for (const content of contents) {
                        await patient.create('Coded', content, { id: `test/coded${content.n}` });
                    }

                    await changeCode(patient, type, LOOPING);
                }
                finally {
                    await patient.stop();
                }

                const gateway = await startGateway(database, { scripts: { ...DEFAULT_LIMITS, workers: 1, timeout } });
                try {
                    await until(async () => (await call(gateway, 'ready')).value === true);
                    await work(gateway);
                }
                finally {
                    await gateway.stop();
                }
            }
            finally {
                await database.dispose();
            }
        };

        const call = (gateway: TestGateway, method: string): Promise<Answer> => (
            gateway.asAdmin('gateway/Op.Call', { attributes: { type: 'Coded', method } })
        );

        const search = (gateway: TestGateway, more: JsonObject = {}): Promise<Answer> => (
            gateway.asAdmin(SEARCH, { attributes: { query: 'type:Coded', sortFields: '/n', ...more } })
        );

        it('have all objects but those whose code reaches it by themselves, also where ids are asked for', async () => {

            await withGateway(4000, numbered(10, (n) => n === 4), async (gateway) => {

                const expected = [0, 1, 2, 3, 5, 6, 7, 8, 9].map((n) => `test/coded${n}`);
                const { results } = (await search(gateway)).value as { results: readonly { readonly id: string }[] };

                expect(results.map(({ id }) => id)).to.equal(expected);
                expect((await search(gateway, { type: 'id' })).value).to.include({ results: expected });
            });
        });

        it('fail where the code takes too long for many', async () => {

            await withGateway(500, numbered(10, () => true), async (gateway) => {

                for (const more of [{}, { type: 'id' }]) {
                    expect(messageOf(await search(gateway, more))).to.equal(
                        'the script of type Coded was stopped: it took too long for several objects; ask for fewer at a time'
                    );
                }
            });
        });

        it('are refused while too many scripts of the caller wait', async () => {

            await withGateway(60_000, numbered(1, () => false), async (gateway) => {

                await search(gateway);
                const calls = Array.from({ length: CALLS }, () => call(gateway, 'loop'));
                await until(() => (gateway.gateway.state.load?.scripts.waiting ?? 0) >= 200);
                const answers = [await search(gateway), await search(gateway, { type: 'id' })];
                await gateway.stop();
                await Promise.all(calls);

                expect(answers.map(({ http }) => http)).to.equal([429, 429]);
            });
        });
    });
});
