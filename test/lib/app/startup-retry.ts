import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { DataDirError } from '../../../lib/app/data-dir.js';
import type { Gateway, GatewayStart } from '../../../lib/app/gateway.js';
import { createGateway } from '../../../lib/app/gateway.js';
import { StartupRetry, type StartupRetryOptions } from '../../../lib/app/startup-retry.js';
import type { TestDatabase } from '../../support/database.js';
import { createSqlite } from '../../support/database.js';
import { gatewayOptions, startGateway, talkTo } from '../../support/gateway.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const STATUS = 'gateway/Op.StartupStatus';

describe('the start-up retry', () => {

    let database: TestDatabase;
    let gateway: Gateway;
    let started: GatewayStart[] = [];
    let blocked = '';

    beforeEach(async () => {

        database = await createSqlite();
        started = [];
        // A link to a disk that is away.
        blocked = join(database.options.dataDir, 'blocked');
        await symlink(join(database.options.dataDir, 'away'), blocked);
    });

    afterEach(async () => {

        await gateway.stop();
        await database.dispose();
    });

    function startOf(dataDir: string, options: Pick<StartupRetryOptions, 'timeoutMs' | 'onFinal'> = {}): StartupRetry {

        gateway = createGateway(gatewayOptions(database, { dataDir, databaseUrl: undefined, adminPassword: null }));
        return new StartupRetry(gateway, {
            onStarted: (start) => started.push(start),
            isFinal: (error) => error instanceof DataDirError && !error.mayPass,
            log: pino({ level: 'silent' }), ...options
        });
    }

    const state = async (): Promise<unknown> => (await talkTo(gateway).perform(STATUS)).value;

    it('ends when the gateway has started', async () => {

        const start = startOf(join(database.options.dataDir, 'data'));
        await start.start();
        await start.stop();

        expect(started).to.have.length(1);
        expect(started[0]?.generatedPassword).to.be.a.string();
        expect((await talkTo(gateway).perform('0.DOIP/Op.Hello')).status).to.equal('0.DOIP/Status.001');
    });

    it('continues after a failed attempt, and reports success once', async () => {

        const start = startOf(join(blocked, 'data'));
        await start.start();
        const failed = await state();
        await rm(blocked);
        await until(() => started.length > 0);
        await start.stop();

        expect(failed).to.include({ state: 'FAILED', message: 'start-up failed' });
        expect((await talkTo(gateway).perform('0.DOIP/Op.Hello')).status).to.equal('0.DOIP/Status.001');
        expect(started).to.have.length(1);
    });

    it('ends when it is stopped', async () => {

        const start = startOf(join(blocked, 'data'));
        await start.start();
        await start.stop();
        await rm(blocked);

        expect(started).to.equal([]);
        expect(await state()).to.include({ state: 'FAILED' });
    });

    it('ends with a permanent error', async () => {

        const other = await startGateway(database);
        const start = startOf(database.options.dataDir);
        const error = await expect(start.start()).to.reject(DataDirError);
        await other.stop();

        expect(error.message).to.include('in use by process');
        expect(started).to.equal([]);
    });

    it('ends with a permanent error of a later attempt, where it is told what to do then', async () => {

        const ends: unknown[] = [];
        const other = await startGateway(database);
        const start = startOf(join(blocked, 'data'), { onFinal: (error) => ends.push(error) });
        await start.start();
        await rm(blocked);
        const mounted = join(database.options.dataDir, 'mounted');
        await mkdir(mounted);
        await symlink(database.options.dataDir, join(mounted, 'data'));
        await symlink(mounted, blocked);
        await until(() => ends.length > 0);
        await start.stop();
        await other.stop();

        expect(ends).to.have.length(1);
        expect(String(ends[0])).to.include('in use by process');
        expect(started).to.equal([]);
    });

    it('is awaited no longer than its timeout', async () => {

        const start = startOf(join(database.options.dataDir, 'data'), { timeoutMs: 0 });
        await start.start();
        const early = await state();
        await until(() => started.length > 0);
        await start.stop();

        expect(early).to.include({ state: 'FAILED', details: {} });
        expect((await talkTo(gateway).perform('0.DOIP/Op.Hello')).status).to.equal('0.DOIP/Status.001');
    });

    it('leaves nothing open when it is stopped during an attempt', async () => {

        const start = startOf(join(database.options.dataDir, 'data'), { timeoutMs: 0 });
        await start.start();
        const ended = start.stop();
        await gateway.stop();
        await ended;

        const next = await startGateway({ ...database, options: { dataDir: join(database.options.dataDir, 'data') } });
        await next.stop();
    });
});
