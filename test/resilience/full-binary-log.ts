/**
 * The disk of the binary log of a MariaDB server becomes full: the server answers, and lets each commit wait. What may have been stored is said to be unknown,
 * what comes later is refused at once, and everything is stored again when there is room.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createMysql, DIALECTS, type TestDatabase } from '../support/database.js';
import { ADMIN, type Answered, ask, create, PATIENCE_MS, stateBecomes, status } from '../support/outage.js';
import { type PrivateMariadb, startPrivateMariadb } from '../support/private-mariadb.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { type SmallDisk, smallDisk, withoutDisks } from '../support/small-disk.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const MIB = 1024 * 1024;

/** The server goes on up to a minute after there is room again. */
const RETURN_MS = 60_000 + PATIENCE_MS;

const reason = withoutDisks();
const isSkipped = reason !== '' || DIALECTS.every(({ dialect }) => dialect !== 'mysql');

describe(`a server whose binary log has no room${reason}`, { skip: isSkipped, timeout: 5 * RETURN_MS }, () => {

    let disk: SmallDisk;
    let server: PrivateMariadb;
    let database: TestDatabase;
    let service: ServiceProcess;

    before(async () => {

        disk = smallDisk(16 * MIB) as SmallDisk;
        server = await startPrivateMariadb({ options: [`--log-bin=${disk.path}/binlog`, '--binlog-format=ROW', '--server-id=1', '--sync-binlog=1'] });
        database = await createMysql(server.url);
        service = await startProcess({ ...database, options: { ...database.options, url: `${database.options.url}?timeout=6` } });
        await stateBecomes(service, 'UP');
    });

    after(async () => {

        disk?.relieve();
        await service?.stop();
        await database?.dispose();
        await server?.stop();
        disk?.remove();
    });

    async function readiness(path = '/health/ready'): Promise<number> {

        return (await fetch(service.url + path)).status;
    }

    it('is not ready, refuses changes and answers reads, until there is room', async () => {

        const stored = new Map<string, Answered>();
        const put = async (id: string): Promise<Answered> => {

            const answer = await create(service, id);
            stored.set(id, answer);
            return answer;
        };

        await put('test/kept');
        disk.fill();
        // The last page of the log has some room.
        for (let n = 0; (await Promise.all([1, 2, 3].map((i) => put(`test/some-${n}-${i}`)))).every((answer) => answer.status === 200); ++n) {
            expect(n).to.be.below(1000);
        }

        await until(async () => await readiness() === 503);
        const refused = await Promise.all([1, 2, 3].map((i) => put(`test/refused-${i}`)));
        const full = await status(service);
        const reads = await Promise.all(['/objects/test/kept', '/search?query=kept', '/check-credentials'].map(async (path) => (await ask(service, path)).status));
        const ready = await Promise.all([readiness(), readiness('/health/ready?exclude=payloads,search'), readiness('/health/live')]);

        disk.relieve();
        await until(async () => await readiness() === 200, RETURN_MS);
        const later = await put('test/later');
        const found = new Set<string>();
        for (const id of stored.keys()) {
            if ((await fetch(`${service.url}/objects/${id}`, { headers: ADMIN })).status === 200) {
                found.add(id);
            }
        }

        const refusal = {
            status: 503, retryAfter: '60', body: { message: 'The database completes no changes, as when its disk is full: nothing was stored.' }
        };
        expect(refused).to.equal([refusal, refusal, refusal]);
        expect([full.status, full.body['state'], full.body['details']]).to.equal([500, 'FAILED', { storage: 'FAILED', indexer: 'UP' }]);
        expect(full.body['message']).to.match(/^the storage completes no changes, as when its disk is full/);
        expect([reads, ready]).to.equal([[200, 200, 200], [503, 503, 200]]);
        expect(later.status).to.equal(200);
        // None of those that were refused was stored, and all that were acknowledged; of the others it was not known.
        const wrong = [...stored].filter(([id, answer]) => answer.status === 503 && found.has(id) || answer.status === 200 && !found.has(id));
        expect(wrong).to.equal([]);
        expect([...new Set([...stored.values()].map((answer) => answer.status))].every((code) => [200, 500, 503].includes(code))).to.be.true();
        expect([...stored.values()].filter((answer) => answer.status === 500).map(({ body }) => body['message'])
            .every((message) => String(message).startsWith('the database was lost while it stored the change'))).to.be.true();
        expect(service.log()).to.include('database.stalled');
        expect(service.log()).to.not.include('"database.unreachable"');
    });
});
