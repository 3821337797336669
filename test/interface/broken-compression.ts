/** A body that cannot be decompressed is refused, whoever sends it and wherever to, and the service goes on. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gzipSync } from 'node:zlib';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startProcess, type ServiceProcess } from '../support/process.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const WHOLE = gzipSync(JSON.stringify([{ id: 'test/packed', type: 'Document', content: {} }]));
const BODIES: readonly Buffer[] = [WHOLE.subarray(0, -1), WHOLE.subarray(0, 40), WHOLE.subarray(0, 3), Buffer.from('no gzip at all'), Buffer.alloc(100_000, 7)];

const CALLERS: readonly Record<string, string>[] = [{}, { authorization: basic('admin', ADMIN_PASSWORD) }];

/** Its login takes a while, in which nobody reads the body. */
const STRANGER = { authorization: basic('nobody', 'wrong') };

const PLACES = [
    'POST /objects?type=Document', 'PUT /objects/test/none', 'POST /batchUpload', 'POST /uploadObjects', 'POST /search', 'POST /auth/token', 'POST /objects/test/none',
    'POST /doip?operationId=0.DOIP/Op.Create&targetId=service', 'POST /startupStatus', 'DELETE /objects/test/none', 'POST /nowhere', 'PUT /search'
];

function basic(name: string, password: string): string {

    return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

describe('a body with invalid compression', () => {

    let database: TestDatabase;
    let service: ServiceProcess;

    before(async () => {

        database = await createSqlite();
        service = await startProcess(database);
    });

    after(async () => {

        await service.kill();
        await database.dispose();
    });

    const ask = async (place: string, headers: Record<string, string>, body: Buffer): Promise<number> => {

        const [method = '', path = ''] = place.split(' ');
        const response = await fetch(service.url + path, { method, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers }, body });
        await response.arrayBuffer();
        return response.status;
    };

    for (const place of PLACES) {

        it(`is rejected by ${place}, and the service continues`, async () => {

            const statuses = await Promise.all([
                ask(place, STRANGER, BODIES[0] as Buffer), ...CALLERS.flatMap((headers) => BODIES.map((body) => ask(place, headers, body)))
            ]);

            expect(statuses.filter((status) => status < 400 || status >= 500), JSON.stringify(statuses)).to.equal([]);
            expect((await fetch(`${service.url}/startupStatus`)).status).to.equal(200);
        });
    }
});
