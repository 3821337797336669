/** Code that tries to get out of its sandbox, or to take what comes after it along, harms nothing but itself. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { createSqlite } from '../support/database.js';
import { jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** The content says what is tried. */
const CODE = `
const more = () => { Promise.resolve().then(more); Promise.resolve().then(more); };
const ATTEMPTS = {
    constructors: (object) => {
        const made = [object, object.content, [], () => {}, async () => {}, require, require('cordra').get].map((value) => {
            let { constructor } = value;
            while (constructor.constructor !== constructor && constructor.name !== 'Function') { constructor = constructor.constructor; }
            return constructor('return typeof process + typeof require + typeof globalThis.process')();
        });
        object.content.found = [...new Set(made.map(String))];
        return object;
    },
    intrinsics: (object) => {
        Object.prototype.isAdmin = true;
        Array.prototype.push = () => 0;
        JSON.stringify = () => '{}';
        return object;
    },
    text: (object) => { let text = 'x'; for (;;) { text += text; object.content.text = text; } },
    array: (object) => { object.content.all = new Array(4e8).fill(0); return object; },
    recursion: () => (function again() { return again() + 1; })(),
    endlessGetter: (object) => ({ type: object.type, get content() { for (;;); } }),
    failingGetter: (object) => ({ type: object.type, get content() { throw new Error('not shown'); } }),
    promises: () => { more(); },
    proto: (object) => JSON.parse('{"type": "Hostile", "content": {"__proto__": {"isAdmin": true}}}'),
    look: (object) => {
        const list = [];
        list.push(1);
        object.content.seen = [typeof {}.isAdmin, list.length, JSON.stringify([1])];
        return object;
    }
};
exports.beforeSchemaValidation = (object) => (ATTEMPTS[object.content.attempt] || ((same) => same))(object);
`;

/** What ends by time, or may do so. All else ends by itself or by memory, which takes long on a busy machine. */
const ENDLESS: readonly string[] = ['endlessGetter', 'promises'];
const SECONDS = 60;
const SECONDS_OF_ENDLESS = 10;

const NOT_THERE = 'undefinedundefinedundefined';

/** What is tried, and the content that comes of it or what the administrator is told. */
const CASES: readonly (readonly [title: string, attempt: string, content: object | null, message: RegExp | null])[] = [
    ['finds nothing through chains of constructors', 'constructors', { attempt: 'constructors', found: [NOT_THERE] }, null],
    ['changes shared prototypes only in its own sandbox', 'intrinsics', { attempt: 'intrinsics' }, null],
    ['fails when its string becomes too long', 'text', null, /failed: InternalError: string too long/],
    ['is ended when its array becomes too long', 'array', null, /was stopped: it needs too much memory/],
    ['is ended by endless recursion', 'recursion', null, /was stopped: its functions call each other too deeply/],
    ['is ended in a getter of what it returns', 'endlessGetter', null, /was stopped: it took too long/],
    ['fails in a getter of what it returns', 'failingGetter', null, /failed: not shown/],
    ['is ended by an endless chain of promises', 'promises', null, /was stopped: it (needs too much memory|took too long)/],
    ['cannot return __proto__', 'proto', null, /failed: it gave something that JSON cannot carry/]
];

describe('hostile code', () => {

    /** A service for each time limit. */
    const services = new Map<number, RestService>();

    before(async () => {

        for (const seconds of [SECONDS, SECONDS_OF_ENDLESS]) {
            const service = await startRest(createSqlite, 'http/1.1', { SCRIPT_WORKERS: 1, SCRIPT_TIMEOUT_SECONDS: seconds, SCRIPT_MEMORY_BYTES: 16 * 1024 * 1024 });
            await service.create('Schema', { name: 'Hostile', schema: { type: 'object' }, javascript: CODE });
            services.set(seconds, service);
        }
    });

    after(() => Promise.all([...services.values()].map((service) => service.stop())));

    for (const [title, attempt, content, message] of CASES) {
        it(title, async () => {

            const service = services.get(ENDLESS.includes(attempt) ? SECONDS_OF_ENDLESS : SECONDS) as RestService;
            const id = `test/hostile-${attempt}`;
            const asked = { headers: { 'content-type': 'application/json' }, payload: JSON.stringify({ attempt }) };
            await service.create('Hostile', { n: 1 }, `handle=${id}`);
            const stored = await service.asAdmin(`GET /objects/${id}?full`);
            const updated = await service.asAdmin(`PUT /objects/${id}`, asked);
            const created = await service.asAdmin(`POST /objects?type=Hostile&handle=${id}-new`, asked);

            if (message) {
                expect([updated.statusCode, created.statusCode]).to.equal([500, 500]);
                expect((jsonOf(updated) as { message: string }).message).to.match(message);
                expect((await service.asAdmin(`GET /objects/${id}?full`)).payload).to.equal(stored.payload);
                expect((await service.asAdmin(`GET /objects/${id}-new`)).statusCode).to.equal(404);
            }
            else {
                expect([updated.statusCode, created.statusCode]).to.equal([200, 200]);
                expect<unknown>([jsonOf(updated), jsonOf(created)]).to.equal([content, content]);
            }

            // There is one thread only: whatever comes next runs where this has run.
            const next = await service.asAdmin(`PUT /objects/${id}`, { ...asked, payload: JSON.stringify({ attempt: 'look' }) });
            expect<unknown>(jsonOf(next)).to.equal({ attempt: 'look', seen: ['undefined', 1, '[1]'] });
            expect(({} as { isAdmin?: unknown }).isAdmin).to.be.undefined();
        });
    }
});
