/** Commands, which lack the settings of the service, leave its totals valid; a node that does not count says so where others do. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import { openService } from '../../../lib/cli/service.js';
import { configure } from '../../../lib/config/index.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import type { QuotaOptions } from '../../../lib/objects/quotas/quotas.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import { startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const QUOTAS: QuotaOptions = { countUsage: true, userObjects: 0, userBytes: 0, typeObjects: 0, typeBytes: 0 };

forEachDatabase((name, create, dialect) => {

    const isShared = dialect === 'mysql';

    describe(`totals on ${name}`, () => {

        let database: TestDatabase;
        let folder: string;
        let lines: Record<string, unknown>[];

        const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
        const events = (): unknown[] => lines.map(({ event }) => event).filter((event) => String(event).startsWith('usage.'));

        beforeEach(async () => {

            database = await create();
            // Of another node, or of a command beside a node.
            folder = isShared ? await mkdtemp(join(tmpdir(), 'doip-gateway-node-')) : database.options.dataDir;
            lines = [];
        });

        afterEach(async () => {

            await database.dispose();
            await rm(folder, { recursive: true, force: true });
        });

        const documents = async (node: TestGateway): Promise<number> => {

            const { value } = await node.asAdmin(Op.usage, { attributes: { type: 'Document' } });
            return (value as { type: { objects: number } }).type.objects;
        };

        for (const mayBegin of [false, true]) {
            it(`stay valid beside a command without their settings that may ${mayBegin ? '' : 'not '}begin a repository, and count its changes`, async () => {

                const node = await startGateway(database, { quotas: QUOTAS });
                await node.create('Document', {});
                if (!isShared) {
                    await node.stop();
                }

                const command = await openService(configure({ DATA_DIR: folder, DATABASE_URL: database.options.url, LOG_LEVEL: 'silent' }), { mayBegin });
                const { status } = await command.perform({
                    targetId: 'service', operationId: Op.create, input: { type: 'Document', attributes: { content: {} } }
                });
                await command.close();
                if (isShared) {
                    expect(await documents(node)).to.equal(2);
                    await node.stop();
                }

                const again = await startGateway(database, { quotas: QUOTAS, log });
                const counted = await documents(again);
                await again.stop();

                expect(status).to.equal('0.DOIP/Status.001');
                expect([counted, events()]).to.equal([2, []]);
            });
        }

        it(`become void by a service that does not count${isShared ? ', with a warning for other nodes, as has a new count beside them' : ''}`, async () => {

            const node = await startGateway(database, { quotas: QUOTAS });
            await node.create('Document', {});
            if (!isShared) {
                await node.stop();
            }

            for (const quotas of [undefined, undefined, QUOTAS]) {
                await (await startGateway(database, { dataDir: folder, log, ...quotas ? { quotas } : {} })).stop();
            }

            if (isShared) {
                await node.stop();
            }

            const nodes = isShared ? [(await readFile(join(database.options.dataDir, 'node-name'), 'utf8')).trim()] : [];
            const warnings = lines.filter(({ event }) => event === 'usage.not-counted' || event === 'usage.other-nodes');
            expect(events()).to.equal(isShared ? ['usage.not-counted', 'usage.counted', 'usage.other-nodes'] : ['usage.counted']);
            expect(warnings.map((line) => [line['level'], line['nodes']])).to.equal(warnings.map(() => [40, nodes]));
        });
    });
});
