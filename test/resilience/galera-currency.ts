/**
 * Rights, tokens and types that were changed by one server of a Galera cluster, and read by a node on another that has not applied the change yet: what
 * counts is the change, because reads wait for it.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import { Op } from '../../lib/doip/operation-ids.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { TestDatabase } from '../support/database.js';
import { type Galera, HAS_GALERA, startGalera } from '../support/galera.js';
import { type Answer, startGateway, type TestGateway } from '../support/gateway.js';
import { changeMembers, defineType } from '../support/type-code.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const INVALID = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';
const CREDENTIALS = { username: 'ann', password: 'password of ann' };

/** Milliseconds for which the other server applies nothing: a read that does not wait is answered meanwhile. It is no limit for anything. */
const HELD_MS = 1500;

/** Has no database of its own. */
const PLACE: TestDatabase = {
    dialect: 'mysql', options: { dataDir: '' }, open: () => Promise.reject(new Error('not here')), dispose: () => Promise.resolve()
};

describe('what was changed on one server of Galera', { skip: !HAS_GALERA, timeout: 300_000 }, () => {

    let cluster: Galera;
    let folders: string[] = [];
    let nodes: TestGateway[] = [];
    let here: TestGateway;
    let there: TestGateway;
    let ann: string;
    let group: string;
    let shaped: string;

    before({ timeout: 900_000 }, async () => {

        cluster = await startGalera(2);
        const connection = await Mysql.createConnection(cluster.urls[0] ?? '');
        await connection.query('create database repository');
        await connection.end();
        folders = await Promise.all(cluster.urls.map(() => mkdtemp(join(tmpdir(), 'doip-gateway-node-'))));
        for (const [n, url] of cluster.urls.entries()) {
            nodes.push(await startGateway(PLACE, { dataDir: folders[n] ?? '', databaseUrl: `${url}/repository` }));
        }

        [here, there] = nodes as [TestGateway, TestGateway];
        ({ id: ann } = await here.create('User', CREDENTIALS));
        ({ id: group } = await here.create('Group', { groupName: 'readers', description: '', users: [ann] }));
        await here.create('Document', {}, { id: 'test/shared', attributes: { acl: { readers: ['authenticated'], writers: [] } } });
        await here.create('Document', {}, { id: 'test/grouped', attributes: { acl: { readers: [group], writers: [] } } });
        shaped = await defineType(here, 'Shaped', '', { type: 'object', properties: { a: { type: 'string' } } });
    });

    after(async () => {

        await Promise.all(nodes.map((node) => node.stop()));
        nodes = [];
        await cluster?.stop();
        await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    });

    /** Changes something by one node while the server of the other applies nothing, and asks the other then. */
    async function askAfter(change: () => Promise<unknown>, ask: () => Promise<Answer>): Promise<string> {

        const connection = await Mysql.createConnection(cluster.urls[1] ?? '');
        try {
            // The server receives changes, and applies none.
            await connection.query('flush tables with read lock');
            await change();
            const asking = ask();
            await Promise.race([asking, sleep(HELD_MS)]);
            await connection.query('unlock tables');
            return (await asking).status;
        }
        finally {
            await connection.end();
        }
    }

    async function login(): Promise<string> {

        const { value } = await here.perform(Op.authToken, { input: CREDENTIALS });
        return (value as { access_token: string }).access_token;
    }

    const read = (targetId: string, token: string): Promise<Answer> => there.perform(Op.retrieve, { targetId, authentication: { token } });
    const write = (content: { readonly a: string | number }): Promise<Answer> =>
        there.asAdmin(Op.create, { input: { type: 'Shaped', attributes: { content } }, attributes: { dryRun: true } });

    async function give(acl: JsonObject): Promise<void> {

        const { status, value } = await here.asAdmin(Op.update, { targetId: 'test/shared', input: { attributes: { acl, content: {} } } });
        expect(status, JSON.stringify(value)).to.equal(OK);
    }

    it('counts on another at once: a token that was revoked', async () => {

        const token = await login();
        expect((await read('test/shared', token)).status).to.equal(OK);

        expect(await askAfter(() => here.perform(Op.authRevoke, { input: { token } }), () => read('test/shared', token))).to.equal(UNAUTHENTICATED);
    });

    it('counts on another at once: the access control list of an object', async () => {

        const token = await login();
        expect((await read('test/shared', token)).status).to.equal(OK);

        expect(await askAfter(() => give({ readers: [], writers: [] }), () => read('test/shared', token))).to.equal(FORBIDDEN);
        await give({ readers: ['authenticated'], writers: [] });
    });

    it('counts on another at once: the members of a group', async () => {

        const token = await login();
        expect((await read('test/grouped', token)).status).to.equal(OK);

        expect(await askAfter(() => changeMembers(here, group, { users: [] }), () => read('test/grouped', token))).to.equal(FORBIDDEN);
        await changeMembers(here, group, { users: [ann] });
    });

    it('counts on another at once: the schema of a type', async () => {

        expect((await write({ a: 'text' })).status).to.equal(OK);

        const change = (): Promise<void> => changeMembers(here, shaped, { schema: { type: 'object', properties: { a: { type: 'number' } } } });
        expect(await askAfter(change, () => write({ a: 'text' }))).to.equal(INVALID);
        expect((await write({ a: 1 })).status).to.equal(OK);
    });
});
