/**
 * Creating, changing, deleting, uploading, searching and calling at once, on every process that a database allows, with a kill in
 * the middle: what was answered is there, what was refused left nothing, what was cut off is there as a whole or not at all, and
 * a search finds exactly what can be retrieved.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import type { Random } from '../support/random.js';
import { forEachDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { seeded } from '../support/random.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { Ledger, Traffic } from '../support/traffic.js';
import type { Reply } from '../support/traffic.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const SEED = Number(process.env['TRAFFIC_SEED'] ?? 20_261);
const WRITERS = 10;
const UPLOADED = Array.from({ length: 20 }, (_, n) => `test/up-${n}`);

/** Answers before the kill, and as many after it. */
const ANSWERS = rounds(400, 5000);

forEachDatabase((name, create, dialect) => {

    describe(`mixed traffic on ${name}`, () => {

        let database: TestDatabase;
        let otherDir: string;
        let all: ServiceProcess[] = [];

        before(async () => {

            database = await create();
            otherDir = await mkdtemp(join(tmpdir(), 'doip-gateway-traffic-'));
        });

        after(async () => {

            all.forEach((each) => each.signal('SIGKILL'));
            await Promise.all(all.map((each) => each.ended()));
            await database.dispose();
            await rm(otherDir, { recursive: true, force: true });
        });

        it(`is stored completely or not at all when a process is killed (TRAFFIC_SEED=${SEED})`, { timeout: roundsMs(300_000) }, async () => {

            const traffic = new Traffic(dialect === 'mysql' ? 2 : 1);
            const ledger = new Ledger();
            const first = await startProcess(database);
            all = dialect === 'mysql' ? [first, await startProcess(database, { DATA_DIR: otherDir })] : [first];
            all.forEach((each) => traffic.live.add(each));
            expect((await traffic.ask(seeded(SEED), 'POST /objects?type=Schema&handle=test/thing', thing(0)))?.status).to.equal(200);

            const workers = [
                ...Array.from({ length: WRITERS }, (_, n) => writer(traffic, ledger, `test/w${n}-`, seeded(SEED + n))),
                uploader(traffic, ledger, seeded(SEED + 100)), designer(traffic, seeded(SEED + 200)), searcher(traffic, seeded(SEED + 300))
            ];
            const working = Promise.all(workers.map((work) => traffic.repeat(work)));
            await until(() => traffic.isOver || traffic.answered >= ANSWERS, roundsMs(300_000));
            traffic.live.delete(first);
            await first.kill();
            all[0] = await startProcess(database);
            traffic.live.add(all[0]);
            const back = traffic.answered;
            await until(() => traffic.isOver || traffic.answered >= back + ANSWERS, roundsMs(300_000));
            traffic.isOver = true;
            await working;

            expect(traffic.faults).to.equal([]);
            for (const each of all) {
                await verify(traffic, ledger, each);
            }

            expect(await Promise.all(all.map((each) => each.stop()))).to.equal(all.map(() => 0));
        });
    });
});

/** A type whose code says which state of it runs. */
function thing(n: number): object {

    return {
        identifier: 'test/thing', name: 'Thing', schema: { type: 'object' }, javascript: `
            exports.beforeSchemaValidation = (object) => { object.content.code = ${n}; };
            exports.objectForIndexing = (object) => { object.content.extra = 'indexed'; };
            exports.staticMethods = { state: () => ${n} };
        `
    };
}

/** Writes objects of its own and reads them again. */
function writer(traffic: Traffic, ledger: Ledger, prefix: string, random: Random): () => Promise<void> {

    const ids: string[] = [];
    let n = 0;
    return async () => {

        const state = `state ${++n}`;
        const action = ids.length < 3 ? 'create' : random.pick(['create', 'update', 'update', 'delete', 'retrieve', 'search'] as const);
        const id = action === 'create' ? prefix + n : random.pick(ids);
        switch (action) {
            case 'create':
                ids.push(id);
                return ledger.write(id, state, () => traffic.ask(random, `POST /objects?type=${random.pick(['Document', 'Thing'])}&handle=${id}`, { name: state }));
            case 'update':
                return ledger.write(id, state, () => traffic.ask(random, `PUT /objects/${id}`, { name: state }));
            case 'delete':
                return ledger.write(id, null, () => traffic.ask(random, `DELETE /objects/${id}`));
            case 'retrieve': {
                const reply = await traffic.ask(random, `GET /objects/${id}`);
                if (reply) {
                    ledger.check(id, reply);
                }

                return;
            }

            case 'search': {
                const line = `GET /search?ids&query=${encodeURIComponent(`id:"${id}"`)}`;
                const isRight = ({ status, value }: Reply): boolean => {

                    return status !== 200 || ledger.of(id).size !== 1 || found(value).has(id) !== ledger.of(id).has(null);
                };

                // A search knows every change that its process has answered at once, and those of another one, be it gone, a little later.
                const reply = await traffic.ask(random, line);
                if (reply && !isRight(reply)) {
                    expect(reply.from === ledger.writerOf(id), `${id} is wrong where it was written`).to.be.false();
                    const isFoundRightly = until(async () => {

                        const later = await traffic.ask(random, line, undefined, reply.from);
                        return later === null || isRight(later);
                    }).then(() => true, () => false);
                    expect(await isFoundRightly, `${id} is found as it is`).to.be.true();
                }
            }
        }
    };
}

/** Uploads the same objects in ever new states: all of them, or none. */
function uploader(traffic: Traffic, ledger: Ledger, random: Random): () => Promise<void> {

    let n = 0;
    let known: string | null = null;
    return async () => {

        const state = `upload ${++n}`;
        UPLOADED.forEach((id) => ledger.set(id, known, state));
        const reply = await traffic.ask(random, 'POST /uploadObjects', UPLOADED.map((id) => ({ id, type: 'Document', content: { name: state } })));
        if (reply) {
            expect([200, 503], JSON.stringify(reply.value)).to.include(reply.status);
            known = reply.status === 200 ? state : known;
        }
        else {
            known = await settled(traffic, ledger, random);
        }

        UPLOADED.forEach((id) => ledger.set(id, known));
        const answered = traffic.answered;
        await until(() => traffic.isOver || traffic.answered > answered + 50, roundsMs(300_000));
    };
}

/** In which state an upload that was cut off has left its objects, when writes are let in again. */
async function settled(traffic: Traffic, ledger: Ledger, random: Random): Promise<string | null> {

    await until(async () => (await traffic.ask(random, 'POST /objects?type=Document', { name: 'after an upload' }))?.status === 200, roundsMs(300_000));
    const states = new Set<string | null>();
    for (const id of UPLOADED) {
        const reply = await traffic.ask(random, `GET /objects/${id}`);
        if (reply) {
            states.add(ledger.check(id, reply) ? (reply.value as { name: string }).name : null);
        }
    }

    expect(states.size, `states of one upload: ${[...states].join()}`).to.equal(1);
    return [...states][0] ?? null;
}

/** Changes the code of a type and calls it. */
function designer(traffic: Traffic, random: Random): () => Promise<void> {

    let n = 0;
    let may = new Set([0]);
    return async () => {

        may.add(++n);
        const changed = await traffic.ask(random, 'PUT /objects/test/thing', thing(n));
        if (changed?.status === 200) {
            may = new Set([n]);
        }
        else if (changed) {
            expect(changed.status, JSON.stringify(changed.value)).to.equal(503);
            may.delete(n);
        }

        for (let i = 0; i < 5; ++i) {
            const called = await traffic.ask(random, 'POST /call?type=Thing&method=state');
            if (called && called.status !== 503) {
                expect([called.status, may.has(called.value as number)], `${JSON.stringify(called.value)} of ${[...may].join()}`).to.equal([200, true]);
            }
        }
    };
}

/** Searches for everything, in several ways. */
function searcher(traffic: Traffic, random: Random): () => Promise<void> {

    const queries = ['*:*', 'type:Thing', 'extra:indexed', '/name:state*', 'internal.all:"state 5"'];
    return async () => {

        const query = encodeURIComponent(random.pick(queries));
        const reply = await traffic.ask(random, `GET /search?query=${query}&pageSize=${random.pick([-1, 10])}`);
        if (reply) {
            expect([200, 503], JSON.stringify(reply.value)).to.include(reply.status);
        }
    };
}

/** Compares everything with the ledger, and what is found with what is there. */
async function verify(traffic: Traffic, ledger: Ledger, service: ServiceProcess): Promise<void> {

    const random = seeded(SEED);
    const there = new Set<string>();
    for (const id of ledger.ids) {
        const reply = await traffic.ask(random, `GET /objects/${id}`, undefined, service);
        if (reply && ledger.check(id, reply)) {
            there.add(id);
        }
    }

    const wrong = async (): Promise<string[]> => {

        const reply = await traffic.ask(random, 'GET /search?ids&query=*:*&pageSize=-1', undefined, service);
        const ids = reply?.status === 200 ? found(reply.value) : new Set<string>();
        return ledger.ids.filter((id) => ids.has(id) !== there.has(id));
    };

    // Changes by other processes come to a search by and by.
    await until(async () => (await wrong()).length === 0).catch(() => undefined);
    expect(await wrong(), 'found though it is not there, or the other way round').to.equal([]);
    expect(there.size).to.be.above(UPLOADED.length);
}

function found(value: unknown): Set<string> {

    return new Set((value as { results: string[] }).results);
}
