import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Sqlite from 'better-sqlite3';
import { SILENT } from '../../db/log.js';
import { BlobStore } from '../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../lib/stores/blobs/blob-sweeper.js';
import { DatabaseElementStore } from '../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../lib/stores/blobs/element-store.js';
import { gather, pattern } from '../support/bytes.js';
import { createSqlite } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const PROGRAM = join(__dirname, '../support/sqlite-program.js');

describe('a SQLite database of a killed process', () => {

    let place: TestDatabase;
    let dataDir: string;

    beforeEach(async () => {

        place = await createSqlite();
        dataDir = place.options.dataDir;
        await (await place.open()).close();
    });

    afterEach(() => place.dispose());

    /** Runs the program, kills it after so many lines, and gives back all lines that came out. */
    async function killAfter(what: 'units' | 'blobs', lines: number): Promise<string[]> {

        const child = spawn(process.execPath, [PROGRAM, dataDir, what], { stdio: ['ignore', 'pipe', 'inherit'] });
        const seen: string[] = [];
        const output = createInterface({ input: child.stdout }).on('line', (line) => {

            seen.push(line);
            if (seen.length === lines) {
                child.kill('SIGKILL');
            }
        });
        await once(output, 'close');
        return seen;
    }

    function expectSound(file: string): void {

        const db = new Sqlite(join(dataDir, file));
        expect(db.pragma('integrity_check', { simple: true })).to.equal('ok');
        db.close();
    }

    it('has every acknowledged unit, and only whole units', async () => {

        const answered = await killAfter('units', 3000);

        const database = await place.open();
        const rows = await database.read<{ name: string }>({ sql: 'select name from settings where name not like \'schema.%\'' }, []);
        const names = new Set(rows.map(({ name }) => name));
        const lost = answered.filter((n) => !names.has(`a-${n}`) || !names.has(`b-${n}`));
        const torn = [...names].filter((name) => !names.has(name.startsWith('a') ? `b${name.slice(1)}` : `a${name.slice(1)}`));

        expect(answered.length).to.be.at.least(3000);
        expect(lost).to.equal([]);
        expect(torn).to.equal([]);
        expectSound('repository.sqlite');
    });

    it('has every linked blob, and sweeps the others', async () => {

        const answered = await killAfter('blobs', 25);

        const database = await place.open();
        const stores = new ElementStores(new DatabaseElementStore(database.blobs));
        const blobs = new BlobStore(database, stores, { log: SILENT });
        for (const line of answered) {
            const [blobId = 0, size = 0] = line.split(' ').map(Number);
            const bytes = await gather(blobs.open({ blobId, store: 'database', size }));
            expect(bytes.equals(pattern(0, size - 1))).to.be.true();
        }

        await new BlobSweeper(database, stores, blobs, SILENT).sweep(Date.now(), { grace: 0, stagedTtl: 0, limit: 100 });

        const linked = await database.read<{ id: number }>({ sql: 'select id from blobs order by id' }, []);
        expect(linked.length).to.be.at.least(answered.length);
        expect(await database.blobs.listBlobs(0, 1000)).to.equal(linked.map(({ id }) => id));
        expectSound('blobs.sqlite');
    });
});

describe('a SQLite database on a full disk', () => {

    it('rejects failed writes, keeps acknowledged ones, and works again with free space', async () => {

        const place = await createSqlite();
        const { dataDir } = place.options;
        await (await place.open()).close();

        // A limit on the size of files stands in for the full disk; without the signal a write simply fails.
        const script = `trap '' XFSZ; ulimit -f 2048; exec "${process.execPath}" "${PROGRAM}" "${dataDir}" units`;
        const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
        const answered: string[] = [];
        createInterface({ input: child.stdout }).on('line', (line) => answered.push(line));
        let errors = '';
        child.stderr.on('data', (text: Buffer) => {

            errors += text.toString();
        });
        await once(child, 'close');

        expect(errors).to.match(/DatabaseError: the database could not write/);
        expect(answered.length).to.be.above(100);
        const database = await place.open();
        const rows = await database.read<{ name: string }>({ sql: 'select name from settings where name not like \'schema.%\'' }, []);
        const names = new Set(rows.map(({ name }) => name));
        expect(answered.filter((n) => !names.has(`a-${n}`) || !names.has(`b-${n}`))).to.equal([]);
        const unit = { steps: [{ sql: 'insert into settings (name, value) values (?, ?)', bindings: ['more', 'space'] }] };
        expect((await database.commit(unit)).ok).to.be.true();
        await place.dispose();
    });
});

describe('the files of SQLite', () => {

    it('keep the log small, and return free space to the disk', async () => {

        const place = await createSqlite();
        const database = await place.open();
        const size = (file: string): number => statSync(join(place.options.dataDir, file)).size / (1024 * 1024);
        let log = 0;
        let chunk = new Uint8Array(256 * 1024);
        for (let i = 0; i < 480; ++i) {
            chunk = new Uint8Array(await database.blobs.writeChunk(1, i, chunk));
            log = Math.max(log, size('blobs.sqlite-wal'));
        }

        await database.blobs.seal(1);
        expect(log).to.be.below(16);

        await until(async () => await database.blobs.deleteChunks(1, 16) < 16);
        await database.close();
        expect(size('blobs.sqlite')).to.be.below(80);
        await place.dispose();
    });
});
