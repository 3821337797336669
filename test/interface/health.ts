/** What supervisors and load balancers ask, and that a service that stops while it is in use resets no connection. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Http from 'node:http';
import Http2 from 'node:http2';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { createSqlite } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { tlsSettings } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const REFUSED = Http2.constants.NGHTTP2_REFUSED_STREAM;

describe('the health of the service', () => {

    let database: TestDatabase;
    let service: ServiceProcess | null = null;

    beforeEach(async () => {

        database = await createSqlite();
    });

    afterEach(async () => {

        await service?.kill().catch(() => undefined);
        await database.dispose();
    });

    const start = async (env: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> => {

        service = await startProcess(database, { LOG_LEVEL: 'info', ...env });
        return service;
    };

    const ask = async (path: string): Promise<[status: number, body: unknown]> => {

        const response = await fetch(`${service?.url}${path}`);
        return [response.status, await response.json()];
    };

    const ended = async (): Promise<number | null> => {

        const code = await service?.ended() ?? null;
        service = null;
        return code;
    };

    const lines = (log: string): Record<string, unknown>[] => log.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);

    it('is live and ready, without a line in the log', async () => {

        const running = await start();
        await until(async () => (await ask('/health/ready'))[0] === 200);

        expect(await ask('/health/ready')).to.equal([200, { status: 'UP' }]);
        expect(await ask('/cordra/health/live/')).to.equal([200, { status: 'UP' }]);
        expect((await ask('/health/other'))[0]).to.equal(404);
        expect((await fetch(`${service?.url}/health/live`, { method: 'POST' })).status).to.equal(405);
        expect((await fetch(`${service?.url}/health/ready`, { method: 'HEAD' })).status).to.equal(200);
        expect((await ask('/doip?operationId=gateway/Op.Health&targetId=service&attributes.check=both'))[0]).to.equal(400);
        expect(await ask('/health/ready?exclude=payloads,search')).to.equal([200, { status: 'UP' }]);
        expect(await ask('/doip?operationId=gateway/Op.Health&targetId=service&attributes.exclude=search')).to.equal([200, { status: 'UP' }]);
        expect((await ask('/health/ready?exclude=storage'))[0]).to.equal(400);
        await until(() => running.log().includes('/health/other'));
        expect(running.log()).not.to.include('/health/ready');
        expect(running.log()).not.to.include('"url":"/cordra/health/live');
    });

    it('is live but not ready without its database', async () => {

        await start({ DATABASE_URL: 'mysql://nobody:secret@127.0.0.1:9/nothing' });

        expect(await ask('/health/live')).to.equal([200, { status: 'UP' }]);
        const response = await fetch(`${service?.url}/health/ready`);
        expect(response.status).to.equal(503);
        expect(response.headers.get('retry-after')).to.equal('5');
        expect((await response.json() as { message: string }).message).to.startWith('not up: storage');
        expect((await ask('/health/ready?exclude=payloads,search'))[0]).to.equal(503);
    });

    it('is not ready while it drains, and serves all the same', async () => {

        const running = await start({ DRAIN_SECONDS: '15' });

        service?.signal('SIGTERM');
        await until(async () => (await ask('/health/ready'))[0] === 503);
        for (const path of ['/health/ready', '/health/ready?exclude=payloads,search']) {
            expect(await ask(path)).to.equal([503, { message: 'the service is about to stop' }]);
        }

        expect(await ask('/health/live')).to.equal([200, { status: 'UP' }]);
        const response = await fetch(`${service?.url}/objects/design`);
        expect(response.status).to.equal(200);
        expect(response.headers.get('connection')).to.equal('close');

        expect(await ended()).to.equal(0);
        const { event, ms } = lines(running.log()).at(-1) ?? {};
        expect(event).to.equal('service.stopped');
        expect(Number(ms)).to.be.at.least(15_000);
    });

    it('stops at once when it is idle', { timeout: 600_000 }, async () => {

        let least = Infinity;
        // A busy machine takes longer for the same. One that takes its clients for busy waits for 1.5 seconds.
        for (let attempt = 0; attempt < 15 && least >= 1400; ++attempt) {
            const running = await start();
            await until(async () => (await ask('/health/ready'))[0] === 200);
            await delay(600);
            service?.signal('SIGTERM');
            expect(await ended()).to.equal(0);
            least = Math.min(least, Number(lines(running.log()).at(-1)?.['ms']));
        }

        expect(least).to.be.below(1400);
    });

    /** What clients meet that send one request after the other, each on a connection of its own, while the service is stopped. */
    const errorsOfCrowd = async (): Promise<string[]> => {

        await start();
        const { url } = service as unknown as ServiceProcess;
        const errors: string[] = [];
        let requests = 0;
        const crowd = Array.from({ length: 8 }, async () => {

            const agent = new Http.Agent({ keepAlive: true, maxSockets: 1 });
            for (let isOpen = true; isOpen; ++requests) {
                try {
                    const request = Http.get(`${url}/objects/design`, { agent });
                    const [response] = await once(request, 'response') as [Http.IncomingMessage];
                    await text(response);
                    isOpen = response.headers.connection !== 'close';
                }
                catch (error) {
                    errors.push((error as Error).message);
                    isOpen = false;
                }
            }

            agent.destroy();
        });
        await until(() => requests > 500);

        service?.signal('SIGTERM');
        await Promise.all(crowd);
        expect(await ended()).to.equal(0);
        return errors;
    };

    it('resets no connection when it is stopped while busy', { timeout: 600_000 }, async () => {

        let errors = ['not tried'];
        // A client that has not the processor for 1.5 seconds finds its connection closed.
        for (let attempt = 0; attempt < 3 && errors.length > 0; ++attempt) {
            errors = await errorsOfCrowd();
        }

        expect(errors).to.equal([]);
    });

    it('asks HTTP/2 clients to leave: what it refuses is served on another connection', async () => {

        const tls = await tlsSettings(database.options.dataDir);
        await start({ DRAIN_SECONDS: '15', ...tls });
        const ca = await readFile(String(tls.TLS_CERT));
        const statuses: number[] = [];
        const errors: string[] = [];
        const connect = (): Http2.ClientHttp2Session => Http2.connect(`${service?.url}`, { ca, servername: 'localhost' }).on('error', (error: Error) => errors.push(error.message));
        let client = connect();
        const first = client;
        const get = (): void => {

            const stream = client.request({ ':path': '/objects/design' });
            stream.on('response', (headers) => statuses.push(Number(headers[':status'])));
            stream.on('error', (error: Error) => void (stream.rstCode === REFUSED || errors.push(error.message)));
            stream.on('close', () => {

                if (stream.rstCode === REFUSED || !client.closed && client === first) {
                    client = client.closed ? connect() : client;
                    get();
                }
            });
            stream.resume();
        };

        Array.from({ length: 8 }, get);
        await until(() => statuses.length > 100);

        service?.signal('SIGTERM');
        await once(first, 'close');

        expect(errors).to.equal([]);
        expect(new Set(statuses)).to.equal(new Set([200]));
        expect(await ended()).to.equal(0);
    });
});
