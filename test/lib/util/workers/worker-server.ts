/** Calls that come to a thread through a port besides that of its owner. */

import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const SERVER = join(__dirname, '../../../../lib/util/workers/worker-server.js');

/** A call `long` notes in shared memory that it has begun, runs until it is told there to end, and answers pending ones meanwhile if it `offers` them. */
const PROGRAM = `
    const { DEFER, serveCalls } = require(${JSON.stringify(SERVER)});
    const answer = (call) => call.kind === 'short' ? call.caller : DEFER;
    const server = serveCalls((call, pending) => {

        if (call.kind === 'port') {
            server.add(call.port, ({ isRejected }, serve, reject) => isRejected ? reject(new Error('rejected')) : serve());
            return null;
        }

        call.begun && Atomics.store(call.begun, 0, 1);
        while (call.begun && Atomics.load(call.begun, 0) !== 2) {
            call.offers && pending.offer(answer);
        }

        return call.kind === 'short' ? call.caller : 'long';
    }, { orderOf: (call) => call.kind === 'short' ? { of: call.caller } : 'in order', perCaller: { max: 3, error: () => new Error('too many') } });
`;

interface Answer {
    readonly from: string;
    readonly id: number;
    readonly value: unknown;
}

describe('a thread with a further port', () => {

    let worker: Worker;
    let port: MessagePort;
    let answers: Answer[];

    beforeEach(async () => {

        const { port1, port2 } = new MessageChannel();
        worker = new Worker(PROGRAM, { eval: true });
        port = port1;
        answers = [];
        worker.postMessage({ id: 1, call: { kind: 'port', port: port2 } }, [port2]);
        await once(worker, 'message');
        for (const [from, source] of [['owner', worker], ['port', port]] as const) {
            source.on('message', ({ id, ok, value, error }: { id: number; ok: boolean; value: unknown; error: Error }) => {

                answers.push({ from, id, value: ok ? value : error.message });
            });
        }
    });

    afterEach(async () => {

        port.close();
        await worker.terminate();
    });

    const received = async (count: number): Promise<Answer[]> => {

        while (answers.length < count) {
            await new Promise(setImmediate);
        }

        return answers;
    };

    /** Sends a long call of the owner; resolves when it runs, to what ends it. */
    const beginLong = async (call: object): Promise<() => void> => {

        const begun = new Int32Array(new SharedArrayBuffer(4));
        worker.postMessage({ id: 2, call: { kind: 'long', begun, ...call } });
        await until(() => Atomics.load(begun, 0) === 1);
        return () => void Atomics.store(begun, 0, 2);
    };

    it('answers its calls while a long call of the owner runs', async () => {

        const end = await beginLong({ offers: true });
        port.postMessage({ id: 7, call: { kind: 'short', caller: 'one' } });
        await received(1);
        end();

        expect(await received(2)).to.equal([{ from: 'port', id: 7, value: 'one' }, { from: 'owner', id: 2, value: 'long' }]);
    });

    it('serves callers in turns, whichever port they use', async () => {

        const end = await beginLong({});
        worker.postMessage({ id: 3, call: { kind: 'short', caller: 'one' } });
        for (const [id, caller] of [[1, 'one'], [2, 'one'], [3, 'other']] as const) {
            port.postMessage({ id, call: { kind: 'short', caller } });
        }

        end();

        expect((await received(5)).filter(({ from }) => from === 'port').map(({ id }) => id)).to.equal([3, 1, 2]);
    });

    it('rejects calls that are not admitted, and those of a caller with too many pending ones', async () => {

        port.postMessage({ id: 9, call: { kind: 'short', isRejected: true } });
        expect(await received(1)).to.equal([{ from: 'port', id: 9, value: 'rejected' }]);

        const end = await beginLong({});
        worker.postMessage({ id: 3, call: { kind: 'short', caller: 'one' } });
        for (let id = 10; id < 14; ++id) {
            port.postMessage({ id, call: { kind: 'short', caller: 'one' } });
        }

        port.postMessage({ id: 14, call: { kind: 'short', caller: 'other' } });
        end();
        const values = (await received(8)).map(({ value }) => value);
        expect(values.filter((value) => value === 'one')).to.have.length(3);
        expect(values.filter((value) => value === 'too many')).to.have.length(2);
        expect(values).to.include('other');
    });
});
