/** The data folder: one process at a time, also after that process was killed; and the instructions for a first start. */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SILENT } from '../../../db/log.js';
import { DataDirError, claimDataDir, readRepoInit, removeRepoInit } from '../../../lib/app/data-dir.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const HOLDER = `
    require(${JSON.stringify(join(__dirname, '../../../lib/app/data-dir.js'))}).claimDataDir(process.argv[1]);
    console.log('held');
    setInterval(() => {}, 1000);`;

let folder: string;

beforeEach(() => {

    folder = mkdtempSync(join(tmpdir(), 'gateway-data-'));
});

afterEach(() => {

    rmSync(folder, { recursive: true });
});

describe('the data folder', () => {

    let children: ChildProcess[];

    beforeEach(() => {

        children = [];
    });

    afterEach(async () => {

        await Promise.all(children.map(kill));
    });

    const kill = async (child: ChildProcess): Promise<void> => {

        if (child.exitCode === null && child.signalCode === null) {
            child.kill('SIGKILL');
            await once(child, 'exit');
        }
    };

    /** A process that holds the folder. */
    const holder = async (dataDir: string): Promise<ChildProcess> => {

        const child = spawn(process.execPath, ['-e', HOLDER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
        children.push(child);
        await once(child.stdout, 'data');
        return child;
    };

    it('is created with its parents, accessible to its owner only', () => {

        const dataDir = join(folder, 'a/b');

        claimDataDir(dataDir).release();

        expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
    });

    it('is rejected while another process holds its lock, with the process and the folder in the message', async () => {

        const child = await holder(folder);

        const error = expect(() => claimDataDir(folder)).to.throw(DataDirError);

        expect(error.message).to.equal(`the folder ${folder} is in use by process ${child.pid}: stop it, or choose another folder with DATA_DIR`);
    });

    it('loses the server file of a killed process when it is claimed, but not while another process holds its lock', async () => {

        const child = await holder(folder);
        const path = join(folder, 'server.json');
        writeFileSync(path, '{}');
        expect(() => claimDataDir(folder)).to.throw(DataDirError);
        const isThere = existsSync(path);
        await kill(child);
        claimDataDir(folder).release();

        expect([isThere, existsSync(path)]).to.equal([true, false]);
    });

    it('is rejected repeatedly without releasing the lock of the holder', async () => {

        await holder(folder);

        for (let i = 0; i < 5; ++i) {
            expect(() => claimDataDir(folder)).to.throw(DataDirError);
        }
    });

    it('is free at once after its process was killed', async () => {

        for (let i = 0; i < 3; ++i) {
            await kill(await holder(folder));
        }

        claimDataDir(folder).release();
    });

    it('is free after its process released it', () => {

        claimDataDir(folder).release();
        claimDataDir(folder).release();
    });

    it('cannot be locked twice by one process, by any path, and stays locked for others', async () => {

        const claim = claimDataDir(folder);

        try {
            expect(() => claimDataDir(relative(process.cwd(), folder))).to.throw(DataDirError, new RegExp(`in use by process ${process.pid}`));

            const other = spawn(process.execPath, ['-e', HOLDER, folder], { stdio: ['ignore', 'ignore', 'pipe'] });
            children.push(other);
            const [code] = await once(other, 'exit') as [number];
            expect(code).to.not.equal(0);
        }
        finally {
            claim.release();
        }
    });

    it('leaves one small lock file behind', () => {

        claimDataDir(folder).release();

        expect(readdirSync(folder)).to.equal(['gateway.lock']);
    });

    it('reports a damaged lock file with a remedy', () => {

        writeFileSync(join(folder, 'gateway.lock'), 'x'.repeat(5000));

        expect(() => claimDataDir(folder)).to.throw(DataDirError, /gateway\.lock in .* is damaged: remove it/);
    });

    it('reports a path that is a file with a remedy', () => {

        const path = join(folder, 'file');
        writeFileSync(path, '');

        expect(() => claimDataDir(path)).to.throw(DataDirError, /cannot be used \(EEXIST\): .* DATA_DIR/);
    });

    it('reports a missing write permission with a remedy', { skip: process.getuid?.() === 0 }, () => {

        chmodSync(folder, 0o500);

        expect(() => claimDataDir(folder)).to.throw(DataDirError, /cannot be used .* DATA_DIR/);
    });
});

describe('repoInit.json', () => {

    const write = (text: string): void => writeFileSync(join(folder, 'repoInit.json'), text);

    it('is null when there is no file', () => {

        expect(readRepoInit(folder)).to.be.null();
    });

    it('is read completely, and stays until it is removed', () => {

        const instructions = {
            adminPassword: 'open sesame', prefix: '20.1000', baseUri: 'https://example.org/', handleAdminIdentity: '300:20.1000/admin',
            design: { isReadOnly: true }
        };
        write(JSON.stringify(instructions));

        expect<unknown>(readRepoInit(folder)).to.equal(instructions);
        expect<unknown>(readRepoInit(folder)).to.equal(instructions);
    });

    it('may contain unknown members', () => {

        write('{"prefix":"20.1000","replicationCredentials":{}}');

        expect(readRepoInit(folder)?.prefix).to.equal('20.1000');
    });

    it('can be removed repeatedly', () => {

        write('{}');

        removeRepoInit(folder);
        removeRepoInit(folder);

        expect(existsSync(join(folder, 'repoInit.json'))).to.be.false();
    });

    it('are left, with a warning, where they cannot be removed', () => {

        mkdirSync(join(folder, 'repoInit.json'));
        const logged: unknown[] = [];
        removeRepoInit(folder, { ...SILENT, warn: (fields) => logged.push(fields) });

        expect(logged).to.have.length(1);
        expect(logged[0]).to.include({ event: 'data-dir.instructions-left', path: join(folder, 'repoInit.json') });
    });

    const bad: readonly (readonly [text: string, message: RegExp])[] = [
        ['', /repoInit\.json is not valid JSON$/],
        ['{"adminPassword":"s3cret"', /is not valid JSON$/],
        ['[]', /must be of type object/],
        ['{"adminPassword":7}', /adminPassword must be a string/],
        ['{"adminPassword":""}', /adminPassword is not allowed to be empty/],
        ['{"prefix":"a/b"}', /prefix must be a handle prefix/],
        ['{"baseUri":"example.org"}', /baseUri must be a valid uri/],
        ['{"handleAdminIdentity":"admin"}', /handleAdminIdentity must look like 300:/],
        ['{"design":[]}', /design must be of type object/],
        ['{"prefix":1,"baseUri":2}', /prefix .*; baseUri /],
        [`{"adminPassword":"${'s3cret'.repeat(200)}"}`, /adminPassword length/]
    ];

    for (const [text, message] of bad) {
        it(`is rejected when it is ${text === '' ? 'empty' : text.slice(0, 40)}`, () => {

            write(text);

            const error = expect(() => readRepoInit(folder)).to.throw(DataDirError, message);
            expect(error.message).to.not.include('s3cret');
        });
    }

    it('is rejected when it cannot be read', () => {

        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');

        expect(() => readRepoInit(folder)).to.throw(DataDirError, /cannot be read: ENOTDIR/);
    });
});
