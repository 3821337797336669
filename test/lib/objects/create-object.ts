/** The order in which the creation of an object and what follows are reported, also where commits are reported in another order than stored. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ObjectCreation } from '../../../lib/objects/create-object.js';
import { ObjectTransaction, type WriteParts } from '../../../lib/objects/object-transaction.js';
import { TxnIdGenerator } from '../../../lib/objects/txn-id-generator.js';
import { SERVICE } from '../../../lib/model/caller.js';
import { KeyedLocks } from '../../../lib/util/concurrency/keyed-mutex.js';
import { LIMITS } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the creation of an object', () => {

    it('is reported before a change of the object that can be read already is computed', async () => {

        const order: string[] = [];
        let report: () => void = () => {};
        const reported = new Promise<void>((resolve) => {

            report = resolve;
        });
        let store: () => void = () => {};
        const stored = new Promise<void>((resolve) => {

            store = resolve;
        });
        const parts = {
            store: { view: async () => ({ object: null }) }, catalog: { current: { prefix: 'test', design: {} } }, limits: LIMITS, locks: new KeyedLocks(),
            lifecycle: { has: () => false, mayGenerateIds: () => false }, pipeline: { prepare: async () => ({ after: { id: 'test/x', type: 'Document' } }) },
            clock: new TxnIdGenerator(), timeoutMs: 60_000,
            writer: {
                async write() {

                    store();
                    await reported;
                    order.push('created');
                    return 'stored';
                }
            }
        } as unknown as WriteParts;

        const input = { id: 'test/x', type: 'Document', content: {}, elements: new Map(), elementsToDelete: [] };
        const creating = new ObjectCreation(parts).create(input, { caller: SERVICE });
        await stored;
        const changing = new ObjectTransaction(parts).locked('test/x', {}, async () => void order.push('changed'));
        await new Promise(setImmediate);
        report();
        await Promise.all([creating, changing]);

        expect(order).to.equal(['created', 'changed']);
    });
});
