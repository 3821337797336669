/** The pool of native connections, against services that are no more than sockets. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientResponse } from '../../../lib/client/index.js';
import { NativePool } from '../../../lib/client/index.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { silentServer } from '../../support/silent-server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** After these a process that stood still has heard of what happened meanwhile. */
const TURNS = 10;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {

    const found: T[] = [];
    for await (const item of items) {
        found.push(item);
    }

    return found;
}

describe('the pool of native connections', () => {

    it('opens no more connections than are used at once, and new ones after the service has closed them', async () => {

        let opened = 0;
        const sockets: Socket[] = [];
        const server = createServer((socket) => {

            ++opened;
            sockets.push(socket);
            socket.on('error', () => undefined);
            socket.on('data', () => socket.write('{"status":"0.DOIP/Status.001","output":1}\n#\n#\n'));
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const pool = new NativePool({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: false });
        const request = { targetId: 'service', operationId: Op.hello };
        const read = async (response: ClientResponse): Promise<number> => (await all(response.output)).length;
        for (let n = 0; n < 5; ++n) {
            expect<unknown>(await read(await pool.perform(request))).to.equal(1);
        }

        expect<unknown>(opened).to.equal(1);
        const [a, b] = [await pool.perform(request), await pool.perform(request)];
        expect<unknown>(opened).to.equal(2);
        await Promise.all([read(a), read(b)]);
        sockets.forEach((socket) => socket.resetAndDestroy());
        await new Promise((resolve) => setTimeout(resolve, 50));
        for (let turn = 0; turn < TURNS; ++turn) {
            await nextTurn();
        }

        expect<unknown>(await read(await pool.perform(request))).to.equal(1);
        expect<unknown>(opened).to.equal(3);
        pool.close();
        await expect(pool.perform(request)).to.reject('the client is closed');
        server.close();
        await once(server, 'close');
    });

    it('ends connections that are being opened', async () => {

        const silent = await silentServer();
        const pool = new NativePool({ host: '127.0.0.1', port: silent.port });
        const response = pool.perform({ targetId: 'service', operationId: Op.hello });
        response.catch(() => undefined);
        await until(() => silent.received > 0);
        pool.close();
        await expect(response).to.reject('the client is closed');
        await silent.stop();
    });
});
