/** The nightly backup of the documentation, which cron makes. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Sqlite from 'better-sqlite3';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { readPage } from '../../support/doc-pages.js';
import { startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the nightly backup', () => {

    let database: TestDatabase;
    let folder: string;

    before(async () => {

        [database, folder] = [await createSqlite(), await mkdtemp(join(tmpdir(), 'doip-gateway-nightly-'))];
        const gateway = await startGateway(database);
        await gateway.asAdmin('0.DOIP/Op.Create', { input: [
            jsonSegment({ id: 'test/files', type: 'Document', attributes: { content: {} } }), jsonSegment({ id: 'large' }), bytesSegment(Buffer.alloc(500_000, 'x'))
        ] });
        await gateway.stop();
    });

    after(async () => {

        await database.dispose();
        await rm(folder, { recursive: true });
    });

    it('keeps those of before beside one of a repository with damaged payloads, and removes none where none was written', { skip: process.platform === 'win32' }, async () => {

        const [backups, bin] = [await mkdtemp(join(folder, 'nightly-')), await mkdtemp(join(folder, 'bin-'))];
        const line = readPage('docs/operating.md').blocks.find(({ text }) => text.startsWith('0 3 * * * repository '))?.text ?? '';
        const script = line.replace('0 3 * * * repository ', '').replaceAll('\\%', '%').replace('/var/backups/repository', backups).replace('/opt/repository', bin);
        await writeFile(join(bin, 'npx'), `#!/bin/sh\n[ "$1 $2" = '--no doip-gateway' ] || exit 1\nshift 2\nexec '${process.execPath}' '${join(__dirname, '../../../bundle/main.js')}' "$@"\n`, { mode: 0o755 });
        const night = async (): Promise<string[]> => {

            const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, LOG_LEVEL: 'silent', DATA_DIR: database.options.dataDir, LC_ALL: 'C' };
            await promisify(execFile)('/bin/sh', ['-c', script], { env }).catch(() => {
                // What it leaves counts.
            });
            return (await readdir(backups)).map((name) => (/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)$/.test(name) ? 'day' : name)).toSorted();
        };

        const created = async (): Promise<unknown[]> => Promise.all((await readdir(backups)).toSorted().map(async (name) => (
            (JSON.parse(await readFile(join(backups, name, 'backup.json'), 'utf8')) as JsonObject)['createdOn']
        )));
        const nights = [await night()];
        const [good] = await created();
        const db = new Sqlite(join(database.options.dataDir, 'blobs.sqlite'));
        db.exec('delete from blob_chunks where n = 1');
        db.close();
        nights.push(await night());
        const second = await created();
        nights.push(await night());
        const third = await created();
        await truncate(join(database.options.dataDir, 'repository.sqlite'), 4096);
        nights.push(await night());
        const last = await created();

        expect(nights).to.equal([['day'], ['damaged', 'day'], ['damaged', 'day'], ['damaged', 'day']]);
        expect(second).to.include(good).and.have.length(2);
        expect(third).to.include(good).and.not.equal(second);
        expect(last).to.equal(third);
    });
});
