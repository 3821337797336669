/** Objects are indexed anew in the form that the code of their type gives them; what fails for one of them leaves the others alone. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { forEachDatabase } from '../support/database.js';
import { jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** The indexed form of an object depends on another object, which also switches the faults of the code on. */
const CODE = `
const cordra = require('cordra');
const FAULTS = {
    text: () => { throw 'not this one'; },
    answer: () => { throw new cordra.CordraError({ message: 'taken' }, 409); },
    error: () => { undefined.member; },
    memory: () => { const all = []; for (;;) { all.push(new Array(100000).fill(all.length)); } },
    endless: () => { for (;;); }
};
exports.objectForIndexing = async (object) => {
    const { title, faults } = (await cordra.get('test/book')).content;
    if (faults.includes(object.content.fault)) { FAULTS[object.content.fault](); }
    return { ...object, content: { n: object.content.n, title } };
};
`;

/** The message of the log line for each fault. Memory is not used up in time on a busy machine. */
const FAULTS: Readonly<Record<string, RegExp>> = {
    text: /not this one/,
    answer: /taken/,
    error: /TypeError/,
    memory: /the script of type Loan was stopped: it (needs too much memory|took too long)/,
    endless: /the script of type Loan was stopped: it took too long/
};

/** More than a batch, with what fails in the midst of it. */
const SOUND = 20;

const DOIP = 'POST /doip?operationId=20.DOIP/Op.ReindexBatch&targetId=service';

forEachDatabase((name, create, dialect) => {

    describe(`indexing code on ${name}`, () => {

        let service: RestService;
        let titles = 0;
        const sound = Array.from({ length: SOUND }, (_, n) => `test/loan${n}`);
        const faulty = Object.keys(FAULTS).map((fault) => `test/faulty-${fault}`);
        const all = [...sound.slice(0, SOUND / 2), ...faulty, ...sound.slice(SOUND / 2)];

        before(async () => {

            service = await startRest(create, 'http/1.1', { SCRIPT_TIMEOUT_SECONDS: 6, SCRIPT_MEMORY_BYTES: 16 * 1024 * 1024 });
            await service.create('Document', { title: 'first', faults: [] }, 'handle=test/book');
            await service.create('Schema', { name: 'Loan', schema: { type: 'object' }, javascript: CODE });
            for (const [n, id] of all.entries()) {
                const fault = id.split('-')[1];
                await service.create('Loan', { n, kept: 'kept', ...fault === undefined ? {} : { fault } }, `handle=${id}`);
            }
        });

        after(() => service.stop());

        /** Gives the book a title that nothing is found by yet. */
        async function newTitle(faults: readonly string[]): Promise<string> {

            const title = `title${++titles}`;
            const { statusCode } = await service.asAdmin('PUT /objects/test/book', { payload: JSON.stringify({ title, faults }) });
            expect(statusCode).to.equal(200);
            return title;
        }

        async function found(query: string): Promise<string[]> {

            const answer = jsonOf(await service.asAdmin(`GET /search?ids&pageSize=100&query=${encodeURIComponent(`type:Loan AND ${query}`)}`));
            return (answer['results'] as string[]).toSorted();
        }

        async function reindex(line: string, ids?: readonly string[]): Promise<void> {

            const answer = await service.asAdmin(line, {
                headers: { 'content-type': 'application/json' }, ...ids ? { payload: JSON.stringify(ids) } : {}
            });
            expect([answer.statusCode, jsonOf(answer)]).to.equal([200, { success: true, msg: 'success' }]);
        }

        const WAYS: readonly (readonly [title: string, line: string, ids: readonly string[] | undefined])[] = [
            ['that are named by REST', 'POST /reindexBatch', all],
            ['that are named by REST, without their locks', 'POST /reindexBatch?lockObjects=false', all],
            ['that a query finds', `POST /reindexBatch?query=${encodeURIComponent('type:Loan')}`, undefined],
            ['all, by REST', 'POST /reindexBatch?all', undefined],
            ['that are named by DOIP', DOIP, all],
            ['all, by DOIP', `${DOIP}&all=true`, undefined]
        ];
        // Ways of REST read the objects by different statements; those of DOIP read as they do.
        for (const [title, line, ids] of WAYS.filter(([, each]) => dialect === 'sqlite' || !each.startsWith(DOIP))) {
            it(`fails for some objects without affecting others: ${title}`, async () => {

                // An endless loop takes all the time that a script may have.
                const faults = line === 'POST /reindexBatch?all' ? Object.keys(FAULTS) : Object.keys(FAULTS).filter((fault) => fault !== 'endless');
                const failing = faulty.filter((id) => faults.includes(id.split('-')[1]!));
                const old = await newTitle([]);
                await reindex('POST /reindexBatch', all);
                const fresh = await newTitle(faults);
                const start = service.log.length;
                await reindex(line, ids);

                expect(await found(`/title:${fresh}`)).to.equal(all.filter((id) => !failing.includes(id)).toSorted());
                // What the code fails for keeps its former indexed form.
                expect(await found(`/title:${old}`)).to.equal(failing.toSorted());
                const lines = service.log.slice(start).filter(({ event }) => event === 'search.index-hook-failed');
                const said = new Map(lines.map(({ object, err }) => [object as string, (err as { message: string }).message]));
                expect([...said.keys()].toSorted()).to.equal(failing.toSorted());
                for (const fault of faults) {
                    expect(said.get(`test/faulty-${fault}`)).to.match(FAULTS[fault] as RegExp);
                }
            });
        }

        it('is run again when it works, without a change of objects', async () => {

            const ids = [...sound, ...faulty].toSorted();
            const before = await service.asAdmin(`GET /objects/${faulty[0]!}?full`);
            await newTitle(['text', 'error']);
            await reindex('POST /reindexBatch?all');
            const fresh = await newTitle([]);
            expect(await found(`/title:${fresh}`)).to.equal([]);
            await reindex('POST /reindexBatch', all);

            expect(await found(`/title:${fresh}`)).to.equal(ids);
            expect(await found('/kept:kept')).to.equal([]);
            expect((await service.asAdmin(`GET /objects/${faulty[0]!}?full`)).payload).to.equal(before.payload);
        });
    });
});
