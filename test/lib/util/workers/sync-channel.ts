/** A thread that blocks until its owner has answered. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SyncChannelClient, SyncChannelServer } from '../../../../lib/util/workers/sync-channel.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Asks three questions; the first question is given up. */
const THREAD = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { SyncChannelClient } = require(${JSON.stringify(join(__dirname, '../../../../lib/util/workers/sync-channel.js'))});
    const channel = new SyncChannelClient(workerData);
    const ask = (text, ms) => channel.request((question, port) => port.postMessage({ question, text }), ms);
    parentPort.postMessage([ask('one', 1), ask('two', 30000), ask('three', 30000)]);
`;

describe('the synchronous channel', () => {

    it('returns the reply to the request of the blocking thread', async () => {

        const server = new SyncChannelServer<string>();
        server.serve((message) => {

            const { question, text } = message as { question: number; text: string };
            if (text === 'two') {
                server.answer(question - 1, 'late');
            }

            if (text !== 'one') {
                server.answer(question, `${text}!`);
            }
        });
        const worker = new Worker(THREAD, { eval: true, workerData: server.endpoint, transferList: [server.endpoint.port] });

        const [replies] = await once(worker, 'message') as [unknown];

        expect(replies).to.equal([null, 'two!', 'three!']);
        server.close();
        await worker.terminate();
    });

    it('times out without a reply', () => {

        const server = new SyncChannelServer<string>();
        const channel = new SyncChannelClient<string>(server.endpoint);

        expect(channel.request(() => {}, 10)).to.be.null();
        server.answer(1, 'late');
        expect(channel.request((question) => server.answer(question, 'in time'), 10_000)).to.equal('in time');
        server.close();
    });
});
