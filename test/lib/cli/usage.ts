/**
 * The commands in detail: which lines and words they take, what they say of wrong ones, and through which server they work.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimDataDir } from '../../../lib/app/data-dir.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { TestDatabase } from '../../support/database.js';
import { runCommand } from '../../support/command.js';
import { createSqlite } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { startProcess } from '../../support/process.js';
import { tlsSettings } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the commands', () => {

    let database: TestDatabase;

    before(async () => {

        database = await createSqlite();
    });

    after(() => database.dispose());

    const HEADER = '{"export":1,"prefix":"test"}';
    const good = (id: string, more = ''): string => `{"id":"${id}","type":"Document","attributes":{"content":{}}${more}}`;
    const IMPORTS: readonly [title: string, lines: readonly string[], code: number, messages: readonly string[]][] = [
        ['an export that was cut off', [HEADER, good('test/1')], 65, ['the export is not complete: its last line is missing']],
        ['another version', ['{"export":2}', good('test/never')], 65, ['an export of version 2 cannot be read here, only version 1']],
        ['lines that are wrong', [
            good('test/3'), 'oops', '{"type":"Document","content":{}}', '{"id":"bad","type":"Document","content":{}}', '{"id":"test/4","content":{}}',
            good('test/5', ',"elements":[{"id":"p","length":5}]'), '{"element":"p","base64":"YWJj"}', good('test/6'), '{"element":"p","base64":"YWJj"}',
            good('test/7', ',"metadata":{"createdOn":"now"}'), good('test/8', ',"secrets":{"password":"x"}'), good('test/9')
        ], 65, [
            'item 1: 400 JSON is malformed', 'item 2: 400 an imported object must have an id', 'item 3, bad: 400 Invalid handle: bad',
            'item 4, test/4: 400 Missing object type', 'item 5, test/5: 400 payload p has 3 bytes instead of 5',
            'item 9, test/7: 400 metadata.createdOn must be a time', 'item 10, test/8: 400 secrets hold a record that is no hash',
            '3 objects created, 0 updated, 0 were there already, 7 refused', 'doip-gateway: 7 objects were refused'
        ]],
        ['objects in REST form', ['{"id":"test/10","type":"Document","content":{"a":1},"payloads":[{"name":"p","base64Payload":"YQ=="}]}'], 0, ['1 objects created']]
    ];

    for (const [title, lines, code, messages] of IMPORTS) {
        it(`import ${title}`, async () => {

            const run = await runCommand(database, ['import', '-'], lines.join('\n'));

            expect(run.code, run.error).to.equal(code);
            for (const message of messages) {
                expect(run.error).to.contain(message);
            }
        });
    }

    it('explain their arguments and reject invalid ones', async () => {

        const folder = database.options.dataDir;
        const cases: [string[], number, string][] = [
            [['export'], 64, 'usage: doip-gateway export FILE'],
            [['import', 'a', 'b'], 64, 'usage: doip-gateway import FILE'],
            [['import', join(folder, 'nothing')], 66, 'cannot be read: ENOENT'],
            [['export', join(folder, 'no/where')], 73, 'cannot be written: ENOENT'],
            [['set-admin-password'], 64, 'no password was given'],
            [['reindexx'], 64, 'unknown command reindexx']
        ];
        for (const [args, code, message] of cases) {
            const run = await runCommand(database, args);

            expect([run.code, run.error.includes(message)], run.error).to.equal([code, true]);
        }
    });

    it('work through a server with TLS, and with no other server at its address', async () => {

        const database = await createSqlite();
        const service = await startProcess(database, await tlsSettings(database.options.dataDir));
        const entry = join(database.options.dataDir, 'server.json');
        const told = JSON.parse(await readFile(entry, 'utf8')) as JsonObject;

        const good = await runCommand(database, ['export', '-']);
        const elsewhere = await createSqlite();
        const { TLS_CERT } = await tlsSettings(elsewhere.options.dataDir, { own: true });
        const other = await readFile(TLS_CERT, 'utf8');
        const refused: string[] = [];
        for (const certificate of [other, null]) {
            await writeFile(entry, JSON.stringify({ ...told, certificate }));
            const { code, error } = await runCommand(database, ['export', '-']);
            refused.push(`${code} ${error.replaceAll(service.url, 'URL')}`.trim());
        }

        await service.stop();
        await Promise.all([database.dispose(), elsewhere.dispose()]);

        expect(good.code, good.error).to.equal(0);
        expect(good.out).to.contain('"end":true');
        expect(refused).to.equal(Array.from({ length: 2 }, () => '69 doip-gateway: the server at URL shows another certificate than the server of this folder'));
    });

    it('say that they have to wait for a server that waits for its database', async () => {

        const { dataDir } = database.options;
        const lock = claimDataDir(dataDir);
        const run = await runCommand(database, ['put', 'test/x', '--type', 'Document', '--json', '{}']);
        lock.release();

        expect([run.code, run.error]).to.equal([69, `doip-gateway: the folder ${dataDir} is in use by process ${process.pid}, which is another command, or a server that ` +
            'starts, stops, or waits for its database (see /startupStatus): try again later\n']);
    });

    it('reindex everything', async () => {

        const run = await runCommand(database, ['reindex']);

        expect([run.code, run.error]).to.equal([0, 'all objects were indexed anew (opened here)\n']);
    });

    it('are for administrators only', async () => {

        const gateway = await startGateway(database);
        await gateway.create('User', { username: 'bob', password: 'bob-password' });
        const statuses: string[] = [];
        for (const operation of ['gateway/Op.Export', 'gateway/Op.Import']) {
            statuses.push((await gateway.perform(operation)).status, (await gateway.perform(operation, { authentication: { username: 'bob', password: 'bob-password' } })).status);
        }

        const guessed = await gateway.perform('gateway/Op.Export', { authentication: { token: `local_${'0'.repeat(64)}` } });
        await gateway.stop();

        expect(statuses).to.equal(['102', '103', '102', '103'].map((code) => `0.DOIP/Status.${code}`));
        expect(guessed.status).to.equal('0.DOIP/Status.102');
    });
});
