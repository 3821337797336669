/** How the service starts: soon, also with many objects; once with instructions; and even when its database is away. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { createSqlite } from '../support/database.js';
import { supportEnd } from '../../lib/util/node-support.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { startGateway } from '../support/gateway.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const MANY = 10_000;
const SOON_MS = 1000;
/** Whatever else runs on the machine counts too: the best of a few starts is what the service needs. */
const ATTEMPTS = 20;
/** Milliseconds in which a machine for which the second is meant loads the libraries alone. */
const LIBRARIES_MS = 200;
const LIBRARIES = 'require("@hapi/hapi"); require("knex")';

/** What a second is on this machine now: more where even the libraries take longer. */
function soon(): number {

    const started = performance.now();
    execFileSync(process.execPath, ['-e', LIBRARIES], { cwd: __dirname });
    return SOON_MS * Math.max(1, (performance.now() - started) / LIBRARIES_MS);
}

describe('the service at start', () => {

    let database: TestDatabase;

    beforeEach(async () => {

        database = await createSqlite();
    });

    afterEach(() => database.dispose());

    it('warns in its log when Node gets no updates any more, and only then', async () => {

        const service = await startProcess(database);
        const warned = service.log().includes('"event":"node.support-ended"');
        await service.stop();

        expect(warned).to.equal(supportEnd(process.versions.node, Date.now()) !== null);
    });

    it('stores nothing below MIN_FREE_BYTES, and is read', async () => {

        const first = await startProcess(database);
        const ask = (url: string, method: string, path: string): Promise<Response> =>
            fetch(`${url}/objects${path}`, { method, headers: ADMIN_HEADERS, ...method === 'GET' ? {} : { body: '{}' } });
        const stored = await ask(first.url, 'POST', '?type=Document&handle=test/kept');
        await first.stop();
        const full = await startProcess(database, { MIN_FREE_BYTES: String(2 ** 40) });
        const rejected = await ask(full.url, 'POST', '?type=Document&handle=test/more');
        const [found, health] = [await ask(full.url, 'GET', '/test/kept'), await fetch(`${full.url}/health/live`)];
        const { message } = await rejected.json() as { message: string };
        await full.stop();

        expect([stored.status, rejected.status, found.status, health.status]).to.equal([200, 503, 200, 200]);
        expect(message).to.match(/space|disk|full/);
        expect(Number(rejected.headers.get('retry-after'))).to.be.above(0);
    });

    /** The best start, in seconds of this machine. */
    const bestStart = async (): Promise<number> => {

        let best = Infinity;
        for (let i = 0; i < ATTEMPTS && best >= 1; ++i) {
            const before = soon();
            const service = await startProcess(database);
            await service.stop();
            // What else runs may have begun meanwhile.
            best = Math.min(best, service.startMs / Math.max(before, soon()));
        }

        return best;
    };

    it('listens within a second on an empty folder', { timeout: 900_000 }, async () => {

        expect(await bestStart()).to.be.below(1);
    });

    it('listens within a second on 10,000 objects', { timeout: 900_000 }, async () => {

        const gateway = await startGateway(database);
        const queue = Array.from({ length: MANY }, (_, i) => i);
        const work = async (): Promise<void> => {

            for (let i = queue.pop(); i !== undefined; i = queue.pop()) {
                await gateway.create('Document', { name: `object ${i}` });
            }
        };

        await Promise.all(Array.from({ length: 64 }, work));
        await gateway.stop();

        expect(await bestStart()).to.be.below(1);
    });

    describe('with instructions for its first start', () => {

        const PASSWORD = 'from repoInit.json';
        const CORDRA = {
            CORDRA_PREFIX: '20.1000', CORDRA_BASE_URI: 'https://cordra.example/', CORDRA_ADMIN_PASS: 'password of the container', CORDRA_HDL_ADMIN: '300:20.1000/ADMIN'
        };
        const file = (): string => join(database.options.dataDir, 'repoInit.json');

        const write = async (instructions: object): Promise<void> => {

            await mkdir(database.options.dataDir, { recursive: true });
            await writeFile(file(), JSON.stringify(instructions));
        };

        const design = async ({ url }: ServiceProcess): Promise<Record<string, unknown>> => {

            const response = await fetch(`${url}/design`);
            return await response.json() as Record<string, unknown>;
        };

        const login = async ({ url }: ServiceProcess, password: string): Promise<number> => {

            const { status } = await fetch(`${url}/check-credentials`, { headers: { authorization: `Basic ${btoa(`admin:${password}`)}` } });
            return status;
        };

        it('applies the variables of Cordra\'s container, once', async () => {

            const service = await startProcess(database, { ADMIN_PASSWORD: '', ...CORDRA });
            const first = await design(service);
            const logins = await login(service, CORDRA.CORDRA_ADMIN_PASS);
            await service.stop();
            const again = await startProcess(database, { ADMIN_PASSWORD: '', ...CORDRA, CORDRA_HDL_ADMIN: '300:20.1000/OTHER' });

            expect(first['handleMintingConfig']).to.include({ prefix: '20.1000', baseUri: 'https://cordra.example/', handleAdminIdentity: '300:20.1000/ADMIN' });
            expect(first['authConfig']).to.exist();
            expect((await design(again))['handleMintingConfig']).to.equal(first['handleMintingConfig']);
            expect(logins).to.equal(200);
            expect(service.output() + service.log()).to.not.include(CORDRA.CORDRA_ADMIN_PASS);
            await again.stop();
        });

        it('prefers its own settings to the variables of Cordra\'s container', async () => {

            const service = await startProcess(database, { ...CORDRA, HANDLE_PREFIX: 'own', BASE_URI: 'https://own.example/', ADMIN_PASSWORD: 'the own password' });

            expect((await design(service))['handleMintingConfig']).to.include({ prefix: 'own', baseUri: 'https://own.example/', handleAdminIdentity: '300:20.1000/ADMIN' });
            expect(await login(service, 'the own password')).to.equal(200);
            expect(await login(service, CORDRA.CORDRA_ADMIN_PASS)).to.equal(401);
            await service.stop();
        });

        it('applies a repoInit.json, with precedence over the configuration, and removes it', async () => {

            await write({
                adminPassword: PASSWORD, prefix: '20.1000', baseUri: 'https://objects.example/', handleAdminIdentity: '300:20.1000/admin',
                design: { useLegacySessionsApi: true }
            });

            const service = await startProcess(database, { ...CORDRA, HANDLE_PREFIX: 'other', ADMIN_PASSWORD: 'another password' });

            const { useLegacySessionsApi, handleMintingConfig } = await design(service);
            expect(useLegacySessionsApi).to.be.true();
            expect(handleMintingConfig).to.include({ prefix: '20.1000', baseUri: 'https://objects.example/', handleAdminIdentity: '300:20.1000/admin' });
            expect(await login(service, PASSWORD)).to.equal(200);
            expect(await login(service, 'another password')).to.equal(401);
            expect(service.output()).to.not.include(PASSWORD);
            expect(existsSync(file())).to.be.false();
            await service.stop();
        });

        it('does not start with an invalid repoInit.json, and keeps it', async () => {

            await write({ prefix: 'a/b' });

            const error = await expect(startProcess(database)).to.reject<Error>();

            expect(error.message).to.include('the service ended with 69').and.to.include('repoInit.json: prefix must be a handle prefix');
            expect(existsSync(file())).to.be.true();
        });
    });

    it('rejects a short password of admin, and later reports one without effect', async () => {

        const error = await expect(startProcess(database, { ADMIN_PASSWORD: 'x' })).to.reject<Error>();
        expect(error.message).to.include('the service ended with 78').and.to.include('at least 8 characters');

        const first = await startProcess(database, { ADMIN_PASSWORD: 'the first one' });
        await fetch(`${first.url}/check-credentials`, { headers: { authorization: `Basic ${btoa('admin:the first one')}` } });
        await first.stop();
        const other = await startProcess(database, { ADMIN_PASSWORD: 'x' });
        await until(() => other.log().includes('identity.admin-password-ignored'));
        await other.stop();

        expect(first.log()).to.not.include('ADMIN_PASSWORD');
        expect(other.log()).to.not.include('the first one');
    });

    it('listens and reports an unavailable database', async () => {

        const service = await startProcess(database, { DATABASE_URL: 'mysql://nobody:secret@127.0.0.1:9/nothing' });

        const status = await fetch(`${service.url}/startupStatus`);
        const other = await fetch(`${service.url}/objects/test/1`);

        expect(status.status).to.equal(500);
        expect(await status.json()).to.include({ state: 'FAILED' });
        expect(other.status).to.equal(503);
        expect(await other.json()).to.include('message');
        expect(service.log()).to.not.include('secret');
        await service.stop();
    });
});
