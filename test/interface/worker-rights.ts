/**
 * Reads and searches by worker processes while rights, groups, types, their code, tokens and API keys change: no answer is one that was outdated when its
 * request was sent, as the change was acknowledged.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { TestDatabase } from '../support/database.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN } from '../support/outage.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';
import { connectInTurns, type Answer, type WorkerConnection } from '../support/worker-connections.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const TIMEOUT = { timeout: roundsMs(600_000) };
const WORKERS = 3;

/** The event of the log for code that has not computed the rules of an object. */
const RULES_FAILED = 'script.access-rules-failed';

const ROUNDS = rounds(12, 500);
const JSON_TYPE = { 'content-type': 'application/json' };

/** A state that changes: what was acknowledged last, and what may be the case since, as a change has begun. */
class Changing<State> {

    #changes: { readonly state: State; readonly began: number; ended: number }[] = [];

    async to(state: State, change: () => Promise<unknown>): Promise<void> {

        const entry = { state, began: performance.now(), ended: Infinity };
        this.#changes.push(entry);
        await change();
        entry.ended = performance.now();
    }

    /** States that a read may find which began and ended at these times. */
    between(began: number, ended: number): State[] {

        const last = this.#changes.findLastIndex((each) => each.ended <= began);
        return this.#changes.slice(last).filter((each) => each.began <= ended).map(({ state }) => state);
    }
}

forEachDatabase((name, createDatabase) => {

    describe(`reads by workers on ${name} while something changes`, TIMEOUT, () => {

        let database: TestDatabase;
        let service: ServiceProcess;
        let writer: WorkerConnection;
        let readers: WorkerConnection[];
        let user: { authorization: string };

        const write = async (method: string, path: string, content?: unknown, headers: object = ADMIN): Promise<Record<string, unknown>> => {

            const body = content === undefined ? '' : JSON.stringify(content);
            const { status, text } = await writer.send(path, { method, headers: { ...JSON_TYPE, ...headers }, body });
            expect(status, text).to.equal(200);
            return text === '' ? {} : JSON.parse(text) as Record<string, unknown>;
        };

        const create = (type: string, id: string, content: object): Promise<unknown> => write('POST', `/objects?type=${type}&handle=${id}`, content);

        const login = async (): Promise<string> => {

            const credentials = { grant_type: 'password', username: 'user', password: 'a password of a test' };
            return String((await write('POST', '/auth/token', credentials, {}))['access_token']);
        };

        /** Reads on each connection while a function changes the state; fails for an outdated answer. */
        const watch = async <State>(
            changing: Changing<State>, read: (connection: WorkerConnection) => Promise<State>, change: () => Promise<void>
        ): Promise<void> => {

            let isOver = false;
            const watching = Promise.all(readers.map(async (connection) => {

                while (!isOver) {
                    const began = performance.now();
                    const found = await read(connection);
                    const possible = changing.between(began, performance.now());
                    if (possible.includes(found)) {
                        continue;
                    }

                    // On a very busy machine code may take too long to compute rules: the stored ones apply until it has done so, and the log says so.
                    await until(() => service.log().includes(RULES_FAILED)).catch(() => undefined);
                    expect(service.log(), `${String(found)} instead of ${possible.join(' or ')}`).to.include(RULES_FAILED);
                }
            }));
            try {
                await Promise.race([change(), watching]);
            }
            finally {
                isOver = true;
            }

            await watching;
        };

        /** Changes to each of the states in turns. */
        const alternate = async <State>(
            states: readonly State[], set: (state: State) => Promise<unknown>, read: (connection: WorkerConnection) => Promise<State>
        ): Promise<void> => {

            const changing = new Changing<State>();
            await changing.to(states[0] as State, () => set(states[0] as State));
            await watch(changing, read, async () => {

                for (let i = 1; i <= ROUNDS; ++i) {
                    const state = states[i % states.length] as State;
                    await changing.to(state, () => set(state));
                    await delay(Math.random() * 10);
                }
            });
        };

        /** Returns a function that reads the status of a path. */
        const statusOf = (path: string, headers: object = {}) => {

            return async (connection: WorkerConnection): Promise<number> => (await connection.send(path, { headers: { ...headers } })).status;
        };

        before(TIMEOUT, async () => {

            database = await createDatabase();
            service = await startProcess(database, { WORKERS: String(WORKERS), LOG_LEVEL: 'error' });
            [writer] = await connectInTurns(service, 1) as [WorkerConnection];
            readers = await connectInTurns(service, 2 * WORKERS);
            const account = { username: { type: 'string', cordra: { auth: 'username' } }, password: { type: 'string', cordra: { auth: 'password' } } };
            await create('Schema', 'test/person', { name: 'Person', schema: { type: 'object', properties: account } });
            const members = { users: { type: 'array', items: { type: 'string' }, cordra: { auth: 'usersList' } } };
            await create('Schema', 'test/group-type', { name: 'Club', schema: { type: 'object', properties: members } });
            await create('Schema', 'test/type', { name: 'Changing', schema: { type: 'object' } });
            await create('Person', 'test/user', { username: 'user', password: 'a password of a test' });
            await create('Club', 'test/club', { users: [] });
            await create('Document', 'test/object', { name: 'x' });
            await create('Changing', 'test/typed', { name: 'as stored' });
            user = { authorization: `Bearer ${await login()}` };
        });

        after(async () => {

            [writer, ...readers].forEach((connection) => connection.close());
            await service.kill();
            await database.dispose();
        });

        it('follow the access control list', () => {

            const set = (status: number): Promise<unknown> => write('PUT', '/acls/test/object', { readers: status === 200 ? ['test/user'] : [], writers: [] });
            return alternate([200, 403], set, statusOf('/objects/test/object', user));
        });

        it('follow the members of a group', async () => {

            await write('PUT', '/acls/test/object', { readers: ['test/club'], writers: [] });
            const set = (status: number): Promise<unknown> => write('PUT', '/objects/test/club', { users: status === 200 ? ['test/user'] : [] });
            await alternate([200, 403], set, statusOf('/objects/test/object', user));
        });

        it('follow the rights and the code of the type', () => {

            const open = { authConfig: { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] } };
            const types: Record<string, object> = {
                open, shut: { authConfig: { ...open.authConfig, defaultAclRead: [] } },
                changed: { ...open, javascript: 'exports.onObjectResolution = (object) => { object.content.name = "changed"; return object; };' },
                refused: { ...open, javascript: 'exports.onObjectResolution = () => { throw "no"; };' }
            };
            const stateOf = ({ status, text }: Answer): string => {

                return status === 401 ? 'shut' : text === '{"message":"no"}' ? 'refused' : text.includes('changed') ? 'changed' : 'open';
            };

            return alternate(
                Object.keys(types), (state) => write('PUT', '/objects/test/type', { name: 'Changing', schema: { type: 'object' }, ...types[state] }),
                async (connection) => stateOf(await connection.send('/objects/test/typed'))
            );
        });

        /** Returns a function that searches, and reads a state from what is found. */
        const searched = <State>(
            query: string, stateOf: (found: { size: number; results: { content: { name: string } }[] }) => State, headers: object = {}
        ) => {

            const path = `/search?pageSize=5&query=${encodeURIComponent(query)}`;
            return async (connection: WorkerConnection): Promise<State> => {

                const { status, text } = await connection.send(path, { headers: { ...headers } });
                expect(status, text).to.equal(200);
                return stateOf(JSON.parse(text) as Parameters<typeof stateOf>[0]);
            };
        };

        it('find what the access control list allows', () => {

            const set = (size: number): Promise<unknown> => write('PUT', '/acls/test/object', { readers: size === 1 ? ['test/user'] : [], writers: [] });
            return alternate([1, 0], set, searched('id:"test/object"', ({ size }) => size, user));
        });

        it('find what the members of a group may read', async () => {

            await write('PUT', '/acls/test/object', { readers: ['test/club'], writers: [] });
            const set = (size: number): Promise<unknown> => write('PUT', '/objects/test/club', { users: size === 1 ? ['test/user'] : [] });
            await alternate([1, 0], set, searched('id:"test/object"', ({ size }) => size, user));
        });

        it('find what the rights and the code of the type, and the code of the design allow', async () => {

            const [open, shut] = [['public'], []].map((defaultAclRead) => ({ authConfig: { defaultAclRead, defaultAclWrite: [], aclCreate: [] } }));
            const show = (as: string): string => `exports.onObjectResolution = (object) => { object.content.name = "${as}"; return object; };`;
            const types: Record<string, object> = {
                open: open as object, shut: shut as object, harmless: { ...open, javascript: 'exports.beforeStorage = (object) => object;' },
                changed: { ...open, javascript: show('changed') }, refused: { ...open, javascript: 'exports.onObjectResolution = () => { throw "no"; };' },
                computed: { ...shut, javascript: `exports.getAuthConfig = () => (${JSON.stringify(open?.authConfig)});${show('computed')}` },
                hidden: { ...open, javascript: `exports.getAuthConfig = () => (${JSON.stringify(shut?.authConfig)});` },
                broken: { ...open, javascript: 'exports[["on", "ObjectResolution"].join("")] = () => { throw "no"; };' }
            };
            const shown: Record<string, string> = { open: 'as stored', harmless: 'as stored', changed: 'changed', computed: 'computed' };
            const setType = (state: string): Promise<unknown> => {

                return write('PUT', '/objects/test/type', { name: 'Changing', schema: { type: 'object' }, ...types[state] });
            };

            const read = searched('type:Changing AND id:"test/typed"', ({ results: [first] }) => first?.content.name ?? 'nothing');
            const changing = new Changing<string>();
            await changing.to('as stored', () => setType('open'));
            const states = Object.keys(types);
            await watch(changing, read, async () => {

                for (let i = 1; i <= 2 * ROUNDS; ++i) {
                    const state = states[i % states.length] as string;
                    await changing.to(shown[state] ?? 'nothing', () => setType(state));
                    // Long enough for workers to learn what code has to do with searches
                    await delay(i % 3 === 0 ? 60 : Math.random() * 10);
                }

                await changing.to('as stored', () => setType('open'));
                const design = JSON.parse((await writer.send('/objects/design', { headers: ADMIN })).text) as object;
                for (let i = 0; i < 4; ++i) {
                    await changing.to('nothing', () => write('PUT', '/objects/design', { ...design, javascript: 'exports.customizeQuery = () => "id:none";' }));
                    await delay(60);
                    await changing.to('as stored', () => write('PUT', '/objects/design', { ...design, javascript: 'exports.generateId = () => "test/x";' }));
                    await delay(60);
                }

                await changing.to('as stored', () => write('PUT', '/objects/design', design));
            });
        });

        it('follow the entity tag', async () => {

            let tag = '';
            const set = async (): Promise<void> => {

                await write('PUT', '/objects/test/object', { name: String(Math.random()) });
                tag = String((await writer.send('/objects/test/object', { headers: ADMIN })).headers.etag);
            };

            await set();
            for (let i = 0; i < ROUNDS; ++i) {
                const before = tag;
                await set();
                const statuses = await Promise.all(readers.map(statusOf('/objects/test/object', { ...ADMIN, 'if-none-match': before })));
                expect(statuses).to.equal(readers.map(() => 200));
                expect(await Promise.all(readers.map(statusOf('/objects/test/object', { ...ADMIN, 'if-none-match': tag })))).to.equal(readers.map(() => 304));
            }
        });

        it('reject a token and an API key that were revoked', async () => {

            await write('PUT', '/acls/test/object', { readers: ['test/user'], writers: [] });
            for (let round = 0; round < ROUNDS; ++round) {
                const { key, id } = await write('POST', '/auth/keys', { name: `key ${round}`, userId: 'test/user' });
                const token = await login();
                for (const [value, revoke] of [
                    [String(key), () => write('DELETE', `/auth/keys/${String(id)}`)], [token, () => write('POST', '/auth/revoke', { token }, {})]
                ] as const) {
                    const changing = new Changing<number>();
                    await changing.to(200, () => Promise.resolve());
                    await watch(changing, statusOf('/objects/test/object', { authorization: `Bearer ${value}` }), async () => {

                        await delay(10);
                        await changing.to(401, revoke);
                        await delay(10);
                    });
                }
            }
        });
    });

    describe(`users on ${name} who are authenticated elsewhere`, TIMEOUT, () => {

        let database: TestDatabase;
        let service: ServiceProcess;

        before(TIMEOUT, async () => {

            database = await createDatabase();
            service = await startProcess(database, { WORKERS: String(WORKERS), LOG_LEVEL: 'warn' });
        });

        after(async () => {

            await service.kill();
            await database.dispose();
        });

        it('are known to workers by what the primary process has recorded, and nothing is written or logged there', async () => {

            const connections = await connectInTurns(service, 2 * WORKERS);
            const [writer] = connections as [WorkerConnection];
            const send = async (method: string, path: string, content: unknown, headers: object = ADMIN): Promise<Record<string, unknown>> => {

                const { status, text } = await writer.send(path, { method, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(content) });
                expect(status, text).to.equal(200);
                return JSON.parse(text) as Record<string, unknown>;
            };

            const design = JSON.parse((await writer.send('/objects/design', { headers: ADMIN })).text) as object;
            const answer = '{ active: true, userId: "elsewhere/guest", groupIds: ["elsewhere/team"], grantAuthenticatedAccess: true }';
            await send('PUT', '/objects/design', { ...design, javascript: `exports.authenticate = ({ username }) => username === 'guest' ? ${answer} : null;` });
            await send('POST', '/objects?type=Document&handle=test/of-team', { name: 'x' });
            await send('PUT', '/acls/test/of-team', { readers: ['elsewhere/team'], writers: [] });
            const { access_token: token } = await send('POST', '/auth/token', { username: 'guest', password: 'x' }, {});
            const headers = { authorization: `Bearer ${String(token)}` };
            const answers = await Promise.all(connections.map((connection) => connection.send('/objects/test/of-team', { headers })));
            connections.forEach((connection) => connection.close());

            expect(answers.map(({ status }) => status)).to.equal(answers.map(() => 200));
            expect(service.log()).to.not.include('identity.principals-failed');
        });
    });
});
