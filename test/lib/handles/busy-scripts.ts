/** Handles of objects whose type has code, while more scripts wait than are allowed. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Op } from '../../../lib/doip/operation-ids.js';
import { createSqlite } from '../../support/database.js';
import { SCRIPT_LIMITS, startGateway } from '../../support/gateway.js';
import { defineType } from '../../support/type-code.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

const CODE = `exports.onObjectResolution = (object) => object;
exports.staticMethods = { loop: () => { for (;;); } };`;

/** More than may wait for one caller. */
const CALLS = 210;

describe('handles of objects with code', () => {

    it('exist while too many scripts of the caller wait, which the answer says', async () => {

        const database = await createSqlite();
        const node = await startGateway(database, { scripts: { ...SCRIPT_LIMITS, workers: 1 } });
        try {
            await defineType(node, 'Coded', CODE);
            await node.create('Coded', {}, { id: 'test/coded' });
            const answers = () => Promise.all([Op.handlesResolve, Op.handlesLocate].map((operation) => (
                node.asAdmin(operation, { targetId: 'test/coded' })
            )));
            const before = await answers();
            const calls = Array.from({ length: CALLS }, () => node.asAdmin(Op.call, { attributes: { type: 'Coded', method: 'loop' } }));
            await until(() => (node.gateway.state.load?.scripts.waiting ?? 0) >= 200);
            const refused = await answers();
            await node.stop();
            await Promise.all(calls);

            expect(before.map(({ status }) => status)).to.equal(['0.DOIP/Status.001', '0.DOIP/Status.001']);
            expect(refused.map(({ http }) => http)).to.equal([429, 429]);
            expect(refused.map(({ attributes }) => attributes['retryAfter'])).to.equal([2, 2]);
        }
        finally {
            await node.stop();
            await database.dispose();
        }
    });
});
