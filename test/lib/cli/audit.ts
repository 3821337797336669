/** `doip-gateway audit` and `audit verify`, by URL and on the data folder. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Op } from '../../../lib/doip/operation-ids.js';
import { type Run, runCommand } from '../../support/command.js';
import type { TestDatabase } from '../../support/database.js';
import { createSqlite } from '../../support/database.js';
import { ADMIN_PASSWORD } from '../../support/gateway.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('doip-gateway audit', () => {

    let test: TestServer;
    let database: TestDatabase;
    let folder: string;

    before(async () => {

        [test, database] = [await startServer({ AUDIT_DAYS: 1 }), await createSqlite()];
        folder = await mkdtemp(join(tmpdir(), 'gateway-audit-'));
        for (let n = 0; n < 3; ++n) {
            await run(['put', ...remote.args, '--type', 'Document', '--json', `{"n":${n}}`, `test/${n}`], remote.env());
        }
    });

    after(async () => {

        await test.stop();
        await database.dispose();
        await rm(folder, { recursive: true });
    });

    const remote = {
        get args(): readonly string[] {

            return ['--url', test.url, '--user', 'admin'];
        },
        env: (): NodeJS.ProcessEnv => ({ DOIP_PASSWORD: ADMIN_PASSWORD })
    };

    const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> =>
        runCommand(database, args, '', { DATA_DIR: join(folder, 'local'), DATABASE_URL: '', DOIP_PORT: '', AUDIT_DAYS: '1', ...env });

    it('prints entries by URL in columns, and as JSON with all facts', async () => {

        const text = await run(['audit', ...remote.args, '--outcome', 'created', '--operation', Op.create, '--limit', '2'], remote.env());
        const json = await run(['audit', ...remote.args, '--object', 'test/1', '--format', 'ndjson', '--from', '2026-01-01'], remote.env());
        const none = await run(['audit', ...remote.args, '--object', 'test/1', '--to', '2026-01-01', '--format', 'ndjson'], remote.env());

        const lines = text.out.trimEnd().split('\n').map((line) => line.split('\t'));
        expect(lines.map(([time = '', ...rest]) => [/^TIME$|^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time), ...rest])).to.equal([
            [true, 'OUTCOME', 'USER', 'OPERATION', 'OBJECT', 'FROM', 'RULE'],
            [true, 'created', 'admin', Op.create, 'test/2', '127.0.0.1 doip-http', 'admin'],
            [true, 'created', 'admin', Op.create, 'test/1', '127.0.0.1 doip-http', 'admin']
        ]);
        expect((JSON.parse(json.out) as Record<string, unknown>)['outcome']).to.equal('created');
        expect([none.code, none.out]).to.equal([0, '']);
    });

    it('prints and verifies the log of a data folder without a server', async () => {

        const put = await run(['put', '--type', 'Document', '--json', '{}', 'test/local']);
        const listed = await run(['audit', '--object', 'test/local', '--format', 'ndjson']);
        const verified = await run(['audit', 'verify']);
        const again = await run(['audit', 'verify', '--expect', verified.out.trim()]);
        const [seal = ''] = verified.out.split(':');
        const other = await run(['audit', 'verify', '--expect', `${seal}:${'f'.repeat(64)}`]);

        expect(put.code, put.error).to.equal(0);
        expect((JSON.parse(listed.out) as Record<string, unknown>)).to.include({ outcome: 'created', user: 'admin', object: 'test/local' });
        expect(verified.out).to.match(/^\d+:[0-9a-f]{64}\n$/);
        expect(verified.error).to.match(/^\d+ entries under \d+ seals are intact \(/);
        expect([again.code, again.out]).to.equal([0, verified.out]);
        expect([other.code, other.out]).to.equal([65, '']);
        expect(other.error).to.match(new RegExp(`^doip-gateway: the audit log was changed: seal ${seal} is not the expected one: the log was written anew; up to there`));
    });

    for (const [args, message, code] of [
        [['audit', '--from', 'yesterday'], '--from must be a time such as 2026-03-01 or 2026-03-01T09:30Z, not yesterday', 64],
        [['audit', '--to', '2026-13-01'], '--to must be a time such as', 64],
        [['audit', '--format', 'csv'], '--format must be text or ndjson, not csv', 64],
        [['audit', '--operation', 'a', '--operation', 'b'], '--operation must be given once', 64],
        [['audit', '--limit', '0'], '--limit must be a number from 1, not 0', 64],
        [['audit', '--url', 'http://127.0.0.1:1', '--expect', 'x'], 'audit has no option --expect', 64],
        [['audit', '--user', 'admin'], '--user needs --url', 64],
        [['audit', '--outcome', 'lost'], '--outcome must be one of ', 64],
        [['audit', 'verify', '--expect', '7'], '--expect must be the number of a seal, a colon, and its hash, not 7', 64]
    ] as const) {
        it(`rejects ${args.join(' ')}`, async () => {

            const { code: actual, out, error } = await run(args);
            expect([actual, out.split('\n').length <= 2, error.includes(message)], error).to.equal([code, true, true]);
        });
    }
});
