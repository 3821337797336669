/** A change of the design on one node counts for the next request on every other, also for the target that the request names. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import { startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';

forEachDatabase((name, create) => {

    describe(`prefix of several nodes on ${name}`, () => {

        let database: TestDatabase;
        let one: TestGateway;
        let other: TestGateway;
        let otherDir: string;

        before(async () => {

            database = await create();
            otherDir = await mkdtemp(join(tmpdir(), 'doip-gateway-node-'));
            one = await startGateway(database);
            other = database.dialect === 'mysql' ? await startGateway(database, { dataDir: otherDir }) : one;
        });

        after(async () => {

            await Promise.all([...new Set([one, other])].map((node) => node.stop()));
            await database.dispose();
            await rm(otherDir, { recursive: true });
        });

        async function usePrefix(prefix: string): Promise<void> {

            const design = await one.asAdmin(Op.retrieve, { targetId: 'design' });
            const { attributes } = design.value as { attributes: { content: JsonObject } };
            const content = { ...attributes.content, handleMintingConfig: { ...attributes.content['handleMintingConfig'] as JsonObject, prefix } };
            expect((await one.asAdmin(Op.update, { targetId: 'design', input: { attributes: { content } } })).status).to.equal(OK);
        }

        it('names the service by its new id at once, and no longer by the old one', async () => {

            await usePrefix('first');
            expect((await other.asAdmin(Op.hello, { targetId: 'first/service' })).status).to.equal(OK);
            await usePrefix('second');
            expect((await other.asAdmin(Op.hello, { targetId: 'second/service' })).status).to.equal(OK);
            await usePrefix('third');
            const { status } = await other.asAdmin(Op.hello, { targetId: 'second/service' });

            expect(status).to.not.equal(OK);
            expect((await other.asAdmin(Op.hello, { targetId: 'third/service' })).value).to.include({ id: 'third/service' });
        });
    });
});
