/**
 * Nodes of this version beside a later one, whose migrations they do not know: they go on where the migration is compatible, also when they are
 * started again, and stop serving where it is not. `LONG_TESTS` replaces nodes one by one, with a real program of the later version.
 */

import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { migrateDatabase } from '../../db/engines/open.js';
import { MIGRATIONS } from '../../db/migrations/index.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { createSqlite, forEachDatabase, type TestDatabase } from '../support/database.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { COMPATIBLE, INCOMPATIBLE } from '../support/next-version.js';
import { ask, create } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const NEXT_VERSION = join(__dirname, '../support/next-version.js');
const IS_LONG = rounds(0, 1) > 0;

forEachDatabase((name, make, dialect) => {

    if (dialect !== 'mysql') {
        // Only there several nodes share a database.
        return;
    }

    describe(`a rolling upgrade on ${name}`, () => {

        let database: TestDatabase;
        let folders: TestDatabase[];
        let gateways: TestGateway[];
        let processes: ServiceProcess[];

        beforeEach(async () => {

            [database, folders, gateways, processes] = [await make(), [], [], []];
        });

        afterEach(async () => {

            await Promise.all([...gateways.map((gateway) => gateway.stop()), ...processes.map((each) => each.kill())]);
            await Promise.all([database, ...folders].map((each) => each.dispose()));
        });

        async function dataDir(): Promise<string> {

            const folder = await createSqlite();
            folders.push(folder);
            return folder.options.dataDir;
        }

        async function startNode(): Promise<TestGateway> {

            const gateway = await startGateway(database, { dataDir: await dataDir() });
            gateways.push(gateway);
            return gateway;
        }

        const write = (node: TestGateway, n: number): ReturnType<TestGateway['asAdmin']> => node.asAdmin(Op.create, {
            input: { id: `test/${n}`, type: 'Document', attributes: { content: { n } } }
        });

        it('goes on with nodes of both versions, until a migration is not compatible', async () => {

            const running = await startNode();
            let isOver = false;
            let written = 0;
            const writing = (async () => {

                for (; !isOver; ++written) {
                    const { status, value } = await write(running, written);
                    expect(status, JSON.stringify(value)).to.equal(OK);
                }
            })();
            await until(() => written > 3);
            await migrateDatabase(database.options, { migrations: [...MIGRATIONS, COMPATIBLE] });
            const since = written;
            await until(() => written > since + 3);
            isOver = true;
            await writing;
            const started = await startNode();
            expect((await started.asAdmin(Op.retrieve, { targetId: `test/${written - 1}` })).status).to.equal(OK);
            expect((await write(started, written)).status).to.equal(OK);

            await migrateDatabase(database.options, { migrations: [...MIGRATIONS, COMPATIBLE, INCOMPATIBLE] });

            for (const node of [running, started]) {
                await until(async () => (await node.asAdmin(Op.retrieve, { targetId: 'test/1' })).http === 503);
            }

            await expect(startNode()).to.reject(/^the database was changed by a newer version of this program: it has the migrations 998-next-version, 999-/);
            await migrateDatabase(database.options, { migrations: [...MIGRATIONS, COMPATIBLE, INCOMPATIBLE], target: { downTo: COMPATIBLE.name } });
            await until(async () => (await running.asAdmin(Op.retrieve, { targetId: 'test/1' })).status === OK);
        });

        it('loses nothing while nodes are replaced one by one', { skip: !IS_LONG, timeout: roundsMs(60_000) }, async () => {

            async function startService(program?: readonly string[]): Promise<ServiceProcess> {

                const service = await startProcess(database, { DATA_DIR: await dataDir(), LOG_LEVEL: 'info' }, program);
                processes.push(service);
                return service;
            }

            const nodes = [await startService(), await startService(), await startService()];
            const [written, failed]: [string[], string[]] = [[], []];
            let isOver = false;
            const writers = nodes.map(async (_, slot) => {

                for (let n = 0; !isOver; ++n) {
                    const id = `test/rolling-${slot}-${n}`;
                    // A node that stops cuts connections, and refuses new ones.
                    const { status, body } = await create(nodes[slot] as ServiceProcess, id).catch(() => ({ status: 0, body: {} }));
                    if (status === 200) {
                        written.push(id);
                    }
                    else if (status !== 0) {
                        failed.push(`${status} ${JSON.stringify(body)}`);
                    }
                }
            });
            const more = async (): Promise<void> => {

                const before = written.length;
                await until(() => written.length > before + 100);
            };

            await more();
            for (const slot of nodes.keys()) {
                const former = nodes[slot] as ServiceProcess;
                expect(await former.stop()).to.equal(0);
                nodes[slot] = await startService([NEXT_VERSION, 'compatible']);
                await more();
                if (slot === 0) {
                    // One of the former version crashes meanwhile.
                    await nodes[1]?.kill();
                    nodes[1] = await startService();
                    expect(nodes[1].log()).to.include('"database.newer"');
                    await more();
                }
            }

            isOver = true;
            await Promise.all(writers);
            expect(failed).to.equal([]);
            for (const node of nodes) {
                const { body } = await ask(node, '/search?ids&pageSize=-1&query=type:Document');
                expect(body['results'] as string[]).to.include(written);
            }
        });
    });
});
