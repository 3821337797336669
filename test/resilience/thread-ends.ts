/** Threads of type code end, by themselves or from outside, and the service goes on. */

import type { Worker } from 'node:worker_threads';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Received, RestService } from '../support/rest-service.js';
import { forEachDatabase } from '../support/database.js';
import { basic, jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';
import { until } from '../support/until.js';
import type { WatchedWorkers } from '../support/worker-threads.js';
import { watchWorkers } from '../support/worker-threads.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Says that it is there and stays, unless it is told not to. */
const CODE = `
const cordra = require('cordra');
const STAYS = {
    inLoop: () => { for (;;); },
    inQuestions: () => { for (;;) { cordra.get('design'); } }
};
const stay = (how) => { if (how) { console.log('stays'); STAYS[how](); } };
exports.beforeSchemaValidation = (object) => { stay(object.content.stay); object.content.seen = true; return object; };
exports.methods = { stay: (object, context) => { object.content.changed = true; stay(context.params.stay); return object.content.n; } };
`;

const BROKEN = { message: 'the script of type Staying was stopped: the thread that ran it broke down' };
const JSON_TYPE = { 'content-type': 'application/json' };
const SCRIPT = 'scripting/sandbox/worker-main.js';

function exitOf(worker: Worker): Promise<number> {

    return new Promise((resolve) => void worker.once('exit', resolve));
}

forEachDatabase((name, create) => {

    describe(`terminated threads of type code, on ${name},`, () => {

        let service: RestService;
        let watched: WatchedWorkers;
        const users = ['one', 'two'].map((user) => basic(user, 'user-password'));

        before(async () => {

            watched = watchWorkers();
            service = await startRest(create, 'http/1.1', { SCRIPT_WORKERS: 3 });
            await service.create('Schema', { name: 'Staying', schema: { type: 'object' }, javascript: CODE });
            await service.create('User', { username: 'one', password: 'user-password' });
            await service.create('User', { username: 'two', password: 'user-password' });
        });

        after(async () => {

            await service.stop();
            watched.restore();
        });

        const quick = async (headers = users[1]!): Promise<unknown> => {

            const { statusCode, payload } = await service.anonymously('POST /objects?type=Staying', { headers, payload: '{}' });
            return [statusCode, JSON.parse(payload)];
        };

        const FINE = [200, { seen: true }];

        /** Sends a request whose script stays, and waits until it runs; its thread is the newest when all others are gone. */
        async function startStaying(line: string, payload: object): Promise<{ readonly answer: Promise<Received>; readonly thread: Worker }> {

            for (const worker of watched.alive(SCRIPT)) {
                await worker.terminate();
            }

            const start = service.log.length;
            const answer = service.anonymously(line, { headers: { ...JSON_TYPE, ...users[0] }, payload: JSON.stringify(payload) });
            await until(() => service.log.slice(start).some(({ text }) => text === 'stays'));
            const [thread, ...others] = watched.alive(SCRIPT);
            expect(others).to.be.empty();
            return { answer, thread: thread! };
        }

        const DEATHS: readonly (readonly [title: string, line: (id: string) => string, payload: object])[] = [
            ['a creation in a loop', (id) => `POST /objects?type=Staying&handle=${id}-new`, { stay: 'inLoop' }],
            ['an update in a loop', (id) => `PUT /objects/${id}`, { stay: 'inLoop' }],
            ['an update that asks the service', (id) => `PUT /objects/${id}`, { stay: 'inQuestions' }],
            ['a method', (id) => `POST /call?objectId=${id}&method=stay`, { stay: 'inLoop' }],
            ['a method by DOIP', (id) => `POST /doip?operationId=stay&targetId=${id}`, { stay: 'inQuestions' }]
        ];
        for (const [n, [title, line, payload]] of DEATHS.entries()) {
            it(`fail ${title} with 500 and nothing else`, async () => {

                const id = `test/kept${n}`;
                await service.anonymously(`POST /objects?type=Staying&handle=${id}`, { headers: users[0]!, payload: '{"n":1}' });
                const state = await service.asAdmin(`GET /objects/${id}?full`);
                const { answer, thread } = await startStaying(line(id), payload);
                // Others run beside it, before, while and after it dies.
                expect(await quick()).to.equal(FINE);
                const beside = Array.from({ length: 5 }, () => quick());
                const ended = thread.terminate();
                const { statusCode, payload: said } = await answer;

                expect([statusCode, JSON.parse(said)]).to.equal([500, BROKEN]);
                expect(await Promise.all(beside)).to.equal(beside.map(() => FINE));
                await ended;
                expect(await quick(users[0])).to.equal(FINE);
                expect((await service.asAdmin(`GET /objects/${id}?full`)).payload).to.equal(state.payload);
                expect((await service.asAdmin(`GET /objects/${id}-new`)).statusCode).to.equal(404);
                expect(service.log.filter(({ reason }) => reason === 'the thread that ran it broke down').at(-1)).to.include({ level: 50, script: 'type Staying' });
            });
        }

        it('are replaced when they were idle', async () => {

            expect(await quick()).to.equal(FINE);
            const before = watched.alive(SCRIPT);
            expect(before).to.not.be.empty();
            await Promise.all(before.map(async (worker) => {

                const exit = exitOf(worker);
                // It cannot make anything of that, and nobody catches what it throws.
                worker.postMessage(null);
                expect(await exit).to.equal(1);
            }));

            expect(watched.alive(SCRIPT)).to.be.empty();
            expect(await quick()).to.equal(FINE);
            expect(watched.alive(SCRIPT)).to.have.length(1);
        });

        it('leak no slots when all end at once', async () => {

            const staying = await startStaying('POST /objects?type=Staying', { stay: 'inLoop' });
            const start = service.log.length;
            const others = ['asks', 'loops'].map((text, n) => service.anonymously('POST /objects?type=Staying', {
                headers: n === 0 ? users[0]! : users[1]!, payload: JSON.stringify({ text, stay: n === 0 ? 'inQuestions' : 'inLoop' })
            }));
            await until(() => service.log.slice(start).filter(({ text }) => text === 'stays').length === 2);
            const threads = watched.alive(SCRIPT);
            expect(threads).to.have.length(3);
            const waiting = [quick(), quick(users[0])];
            await Promise.all(threads.map((worker) => worker.terminate()));
            const answers = await Promise.all([staying.answer, ...others]);

            expect(answers.map(({ statusCode }) => statusCode)).to.equal([500, 500, 500]);
            expect(answers.map(jsonOf)).to.equal([BROKEN, BROKEN, BROKEN]);
            expect(await Promise.all(waiting)).to.equal([FINE, FINE]);
            expect(await Promise.all(Array.from({ length: 6 }, (_, n) => quick(users[n % 2])))).to.equal(Array.from({ length: 6 }, () => FINE));
        });
    });
});
