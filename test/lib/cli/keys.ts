/** `doip-gateway keys`: API keys, by URL and on the data folder. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Run, runCommand } from '../../support/command.js';
import type { TestDatabase } from '../../support/database.js';
import { createSqlite } from '../../support/database.js';
import { ADMIN_PASSWORD } from '../../support/gateway.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('doip-gateway keys', () => {

    let test: TestServer;
    let database: TestDatabase;
    let folder: string;

    before(async () => {

        [test, database] = [await startServer(), await createSqlite()];
        folder = await mkdtemp(join(tmpdir(), 'gateway-keys-'));
    });

    after(async () => {

        await test.stop();
        await database.dispose();
        await rm(folder, { recursive: true });
    });

    const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> =>
        runCommand(database, args, '', { DATA_DIR: join(folder, 'local'), DATABASE_URL: '', DOIP_PORT: '', ...env });

    const WAYS: readonly (readonly [name: string, to: () => { args: readonly string[]; env: NodeJS.ProcessEnv }])[] = [
        ['by URL', () => ({ args: ['--url', test.url, '--user', 'admin'], env: { DOIP_PASSWORD: ADMIN_PASSWORD } })],
        ['on the data folder without a server', () => ({ args: [], env: {} })]
    ];
    for (const [way, to] of WAYS) {
        it(`creates, lists and revokes keys ${way}`, async () => {

            const { args, env } = to();
            await run(['put', '--type', 'Document', '--json', '{}', ...args], env);
            const made = await run([
                'keys', 'create', 'harvester', '--operation', 'Retrieve', '--operation', 'Search', '--type', 'Document', '--read-only', '--days', '9', ...args
            ], env);
            expect(made.code, made.error).to.equal(0);
            expect(made.out).to.match(/^doipkey_[0-9a-f]{56}\n$/);
            const [, id = ''] = /key ([0-9a-f]{16}) of admin, until \d{4}-\d\d-\d\d; it is shown this once only/.exec(made.error) ?? [];
            expect(id).to.not.equal('');

            const second = await run(['keys', 'create', 'other', ...args], env);
            expect(second.error).to.include('without an expiry');
            const listed = await run(['keys', 'list', ...args], env);
            const all = await run(['keys', 'list', '--all', ...args], env);
            const lines = listed.out.trimEnd().split('\n').map((line) => line.split('\t'));
            expect(lines.map((line) => line.slice(0, 6))).to.equal([
                ['ID', 'USER', 'NAME', 'OPERATIONS', 'TYPES', 'READ-ONLY'],
                [id, 'admin', 'harvester', '0.DOIP/Op.Retrieve,0.DOIP/Op.Search', 'Document', 'yes'],
                [lines[2]?.[0] ?? '', 'admin', 'other', 'all', 'all', 'no']
            ]);
            expect(all.out.split('\n').sort()).to.equal(listed.out.split('\n').sort());
            expect(listed.out).to.not.include(made.out.trim());

            const revoked = await run(['keys', 'revoke', id, ...args], env);
            expect([revoked.code, revoked.out]).to.equal([0, '']);
            expect(revoked.error).to.include(`key ${id} was revoked`);
            const again = await run(['keys', 'revoke', id, ...args], env);
            expect([again.code, again.error]).to.equal([1, 'doip-gateway: there is no such API key\n']);
        });
    }

    it('makes a key with which other commands log in', async () => {

        const { out } = await run(['keys', 'create', 'reader', '--read-only', '--url', test.url, '--user', 'admin'], { DOIP_PASSWORD: ADMIN_PASSWORD });
        const env = { DOIP_TOKEN: out.trim() };
        const found = await run(['call', 'Search', 'service', '-a', 'query=*:*', '-a', 'type=id', '--url', test.url], env);
        const refused = await run(['call', 'Create', 'service', '--json', '{"type": "Document"}', '--url', test.url], env);

        expect(found.code, found.error).to.equal(0);
        expect([refused.code, refused.error]).to.equal([77, 'doip-gateway: the API key is read-only: it does not permit 0.DOIP/Op.Create (0.DOIP/Status.103)\n']);
    });

    const faults: readonly (readonly [args: readonly string[], code: number, message: string])[] = [
        [['keys'], 64, 'unknown command keys; see doip-gateway help'],
        [['keys', 'create'], 64, 'usage: doip-gateway keys create NAME; see doip-gateway --help'],
        [['keys', 'create', 'x', '--days', '0'], 64, '--days must be a number from 1, not 0'],
        [['keys', 'create', 'x', '--user', 'ann'], 64, '--user needs --url: without it the service is that of DATA_DIR, and the caller its administrator'],
        [['keys', 'create', 'x', '--all'], 64, 'keys create has no option --all; see doip-gateway --help'],
        [['keys', 'list', '--all', '--for', 'ann'], 64, '--all and --for exclude each other'],
        [['keys', 'create', 'x', '--type', 'Nothing'], 1, 'Unknown type Nothing'],
        [['keys', 'create', 'x', '--operation', 'Nothing'], 1, 'operation Nothing is not known; methods of types are called by gateway/Op.Call'],
        [['keys', 'create', 'x', '--for', 'test/nobody'], 1, 'there is no user test/nobody']
    ];
    for (const [args, code, message] of faults) {
        it(`says what is wrong with ${args.join(' ')}`, async () => {

            const result = await run(args);

            expect([result.code, result.out, result.error]).to.equal([code, '', `doip-gateway: ${message}\n`]);
        });
    }
});
