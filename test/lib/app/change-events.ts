/** Events of changes for extensions: each once, after it was stored, and no listener disturbs the service. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { ChangeEvent } from '../../../lib/objects/change-events.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { jsonSegment } from '../../../lib/doip/segments.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import { startGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

forEachDatabase((name, create) => {

    describe(`events of changes on ${name}`, () => {

        let database: TestDatabase;
        let test: TestGateway;
        const events: ChangeEvent[] = [];
        const missing: string[] = [];

        before(async () => {

            database = await create();
            test = await startGateway(database, {}, (gateway) => {

                gateway.onChange(() => {

                    throw new Error('this listener fails');
                });
                gateway.onChange((event) => {

                    Object.assign(event, { id: 'changed by a listener' });
                });
                gateway.onChange(() => Promise.reject(new Error('this one fails later')));
                gateway.onChange(() => new Promise(() => {}));
                gateway.onChange((event) => void events.push(event));
                gateway.onChange(async ({ kind, id, txnId }) => {

                    const { status } = await test.asAdmin(Op.retrieve, { targetId: id });
                    if (kind !== 'deleted' && txnId !== null && status !== '0.DOIP/Status.001' && !id.startsWith('test/gone')) {
                        missing.push(id);
                    }
                });
            });
        });

        after(async () => {

            await test.stop();
            await database.dispose();
        });

        beforeEach(() => {

            events.length = 0;
        });

        const object = (id: string, content: object = {}) => ({ input: [jsonSegment({ id, type: 'Document', attributes: { content: { ...content } } })] });

        it('report creation, update, access rights, versions and deletion', async () => {

            await test.asAdmin(Op.create, object('test/gone-1'));
            await test.asAdmin(Op.update, { targetId: 'test/gone-1', ...object('test/gone-1', { n: 1 }) });
            await test.asAdmin(Op.aclsUpdate, { targetId: 'test/gone-1', input: [jsonSegment({ readers: ['public'] })] });
            await test.asAdmin(Op.versionsPublish, { targetId: 'test/gone-1', attributes: { versionId: 'test/gone-2' } });
            await test.asAdmin(Op.delete, { targetId: 'test/gone-1' });
            await until(() => events.length === 5);

            expect<unknown>(events.map(({ kind, id, type, versionOf, userId }) => [kind, id, type, versionOf, userId])).to.equal([
                ['created', 'test/gone-1', 'Document', null, 'admin'],
                ['updated', 'test/gone-1', 'Document', null, 'admin'],
                ['updated', 'test/gone-1', 'Document', null, 'admin'],
                ['created', 'test/gone-2', 'Document', 'test/gone-1', 'admin'],
                ['deleted', 'test/gone-1', 'Document', null, 'admin']
            ]);
            const [created, updated, again, , deleted] = events;
            expect([created?.formerTxnId, updated?.formerTxnId, again?.formerTxnId, deleted?.formerTxnId, deleted?.txnId])
                .to.equal([null, created?.txnId, updated?.txnId, again?.txnId, null]);
        });

        it('do not report what was not stored', async () => {

            await test.asAdmin(Op.create, object('test/once'));
            await until(() => events.length === 1);
            const answers = await Promise.all([
                test.asAdmin(Op.create, object('test/once')),
                test.asAdmin(Op.create, { attributes: { dryRun: true }, ...object('test/dry') }),
                test.asAdmin(Op.update, { targetId: 'test/nothing', ...object('test/nothing') }),
                test.asAdmin(Op.retrieve, { targetId: 'test/once' })
            ]);
            await new Promise((resolve) => setTimeout(resolve, 100));

            expect(answers.map(({ status }) => status)).to.equal(['0.DOIP/Status.105', '0.DOIP/Status.001', '0.DOIP/Status.104', '0.DOIP/Status.001']);
            expect(events.map(({ id }) => id)).to.equal(['test/once']);
        });

        it('report each of many concurrent changes once, after it can be read', async () => {

            const ids = Array.from({ length: 200 }, (_, n) => `test/many-${n}`);
            await Promise.all(ids.map((id) => test.asAdmin(Op.create, object(id))));
            await until(() => events.length >= ids.length);
            await new Promise((resolve) => setTimeout(resolve, 100));

            expect(events.map(({ id }) => id).sort()).to.equal([...ids].sort());
            expect(missing).to.equal([]);
        });

        it('need listeners from before the start', () => {

            expect(() => test.gateway.onChange(() => {})).to.throw('listeners for changes must be added before the gateway is started');
        });
    });
});
