/** Searches without a limit whose clients read slowly, or not at all, or go away. */

import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_HEADERS, basic, jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';
import { DIALECTS, waysOf } from '../support/database.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Objects, and how long each is: more than all buffers on the way to a client hold. */
const OBJECTS = 200;
const LENGTH = 60_000;

const ANN = basic('ann', 'password of ann');

const AT_ONCE = 4;

for (const dialect of waysOf(DIALECTS)) {
    describe(`long search responses on ${dialect.name}`, () => {

        let service: RestService;
        const sockets: Socket[] = [];

        before(async () => {

            service = await startRest(dialect.create);
            await service.create('User', { username: 'ann', password: 'password of ann' }, 'handle=test/ann');
            const long = 'x'.repeat(LENGTH);
            for (let n = 0; n < OBJECTS; ++n) {
                await service.create('Document', { many: n, long }, `handle=test/many${n}`);
            }
        });

        after(async () => {

            sockets.forEach((socket) => socket.destroy());
            await service.stop();
        });

        /** Asks for everything and reads nothing but the head of the answer. */
        async function ask(authorization: string, path = '/search?query=/many:*&sortFields=/many'): Promise<Socket> {

            const socket = connect(service.port, '127.0.0.1');
            sockets.push(socket);
            socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\n\r\n`);
            await once(socket, 'readable');
            return socket;
        }

        async function rest(socket: Socket): Promise<string> {

            let text = '';
            for await (const chunk of socket as AsyncIterable<Buffer>) {
                text += chunk.toString('latin1');
            }

            return text;
        }

        const paths = [
            '/search?query=/many:*&sortFields=/many',
            '/doip?operationId=0.DOIP/Op.Search&targetId=service&query=/many:*&sortFields=/many'
        ];
        it('omit objects that were deleted or closed meanwhile', async () => {

            const asAnn = await ask(ANN.authorization, paths[0]);
            const asAdmin = await ask(ADMIN_HEADERS.authorization, paths[0]);
            // Nothing more is read while the last ones change: they cannot have been sent yet, as buffers are smaller.
            const last = OBJECTS - 1;
            expect((await service.asAdmin(`DELETE /objects/test/many${last}`)).statusCode).to.equal(200);
            const hidden = await service.asAdmin(`PUT /acls/test/many${last - 1}`, { payload: JSON.stringify({ readers: [], writers: [] }) });
            expect(hidden.statusCode).to.equal(200);
            const changed = await service.asAdmin(`PUT /objects/test/many${last - 2}`, { payload: JSON.stringify({ many: last - 2, long: 'changed meanwhile' }) });
            expect(changed.statusCode).to.equal(200);

            const [seen, all] = [await rest(asAnn), await rest(asAdmin)];
            for (const text of [seen, all]) {
                expect(text.startsWith('HTTP/1.1 200')).to.be.true();
                expect(text).to.contain(`"size":${OBJECTS}`).and.to.contain('"many":0,').and.to.contain('changed meanwhile').and.to.not.contain(`"many":${last},`);
            }

            expect(all).to.contain(`"many":${last - 1},`);
            expect(seen).to.not.contain(`"many":${last - 1},`);
            await service.create('Document', { many: last, long: 'x'.repeat(LENGTH) }, `handle=test/many${last}`);
            await service.asAdmin(`PUT /acls/test/many${last - 1}`, { payload: '{}' });
        });

        it('queue the fifth of a caller, reject it after a timeout, and do not affect others', async () => {

            const held = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(ADMIN_HEADERS.authorization)));
            // Pages without end are no other thing.
            const [refused, doip, long] = await Promise.all([
                'GET /search?ids&query=/many:*', 'GET /doip?operationId=0.DOIP/Op.Search&targetId=service&query=/many:*&type=id',
                'GET /search?ids&query=/many:*&pageSize=100000'
            ].map((line) => service.asAdmin(line)));
            expect([refused, doip, long].map((response) => response?.statusCode)).to.equal([429, 429, 429]);
            expect(jsonOf(refused ?? { payload: '' })['message']).to.match(/searches without a limit.* are still being answered: .* ask for shorter pages/);
            expect(Number(refused?.headers['retry-after'])).to.equal(10);

            // Pages of the same caller and searches of others are answered at once.
            expect((await service.asAdmin('GET /search?ids&query=/many:*&pageSize=10')).statusCode).to.equal(200);
            expect((await service.anonymously('GET /search?ids&query=/many:*', { headers: ANN })).statusCode).to.equal(200);
            expect((await service.anonymously('GET /search?ids&query=/many:*')).statusCode).to.equal(200);

            // One that waits gets the place of the first that goes.
            const waiting = service.asAdmin('GET /search?ids&query=/many:*');
            held[0]?.destroy();
            const answered = await waiting;
            expect(answered.statusCode).to.equal(200);
            expect(jsonOf(answered)['results'] as string[]).to.have.length(OBJECTS);
            held.forEach((socket) => socket.destroy());
        });

        it('end when the client disconnects', async () => {

            for (let round = 0; round < 3 * AT_ONCE; ++round) {
                (await ask(ADMIN_HEADERS.authorization, paths[round % 2])).destroy();
            }

            // All places are free again.
            await until(async () => (await service.asAdmin('GET /search?ids&query=/many:*')).statusCode === 200);
            const all = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(ADMIN_HEADERS.authorization)));
            for (const socket of all) {
                expect((await rest(socket)).endsWith(']}\r\n0\r\n\r\n')).to.be.true();
            }
        });
    });
}
