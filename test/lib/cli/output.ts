/** Where commands write: files and links to them, pipes and devices, standard output; when they are interrupted, and when no more can be written. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createReadStream, openSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { claimDataDir } from '../../../lib/app/data-dir.js';
import { writeLocalEntry } from '../../../lib/app/server-file.js';
import { runCommand, startCommand, type Run } from '../../support/command.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { CLI } from '../../support/process.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const ONE_LINE = /^doip-gateway: [^\n]+\n$/;
const WITHOUT_LINKS = { skip: process.platform === 'win32' };
const OBJECT = '{"id":"test/x"}';
const EXPORT = ['{"export":1,"prefix":"test"}\n', '{"end":true,"objects":0}\n'] as const;

describe('the output of commands', () => {

    let database: TestDatabase;
    let folder: string;
    let service: Server;
    /** How the service answers every request. */
    let answer: (response: ServerResponse) => void;
    let url: string;
    let release: () => void;

    beforeEach(async () => {

        database = await createSqlite();
        folder = join(database.options.dataDir, 'out');
        await mkdir(folder);
        // The service of the data folder is one that says whatever a test wants.
        service = createServer((request, response) => void request.resume().on('end', () => answer(response)));
        service.listen(0, '127.0.0.1');
        await once(service, 'listening');
        url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
        const lock = claimDataDir(database.options.dataDir);
        release = () => lock.release();
        await writeFile(join(database.options.dataDir, 'repository.sqlite'), 'never opened');
        writeLocalEntry(database.options.dataDir, { pid: process.pid, url, secret: 'local_x', certificate: null });
        says(OBJECT);
    });

    afterEach(async () => {

        service.close();
        service.closeAllConnections();
        release();
        await database.dispose();
    });

    /** Answers with texts; without an end, it waits after them. */
    function says(body: string, { type = 'application/json', isWhole = true } = {}): void {

        answer = (response) => {

            response.writeHead(200, { 'content-type': type, 'doip-response': '{"status": "0.DOIP/Status.001"}' });
            response.write(body);
            if (isWhole) {
                response.end();
            }
        };
    }

    const exports = (isWhole = true): void => says(isWhole ? EXPORT.join('') : EXPORT[0], { type: 'application/x-ndjson', isWhole });
    const get = (...args: string[]): Promise<Run> => runCommand(database, ['get', 'test/x', ...args]);
    const path = (name: string): string => join(folder, name);

    for (const [title, args, expected] of [['stays', [], 73], ['is replaced with --force', ['--force'], 0]] as const) {

        it(`${title} where another program has made it meanwhile`, WITHOUT_LINKS, async () => {

            const target = path('raced');
            const body = JSON.stringify(OBJECT);
            answer = (response) => {

                response.writeHead(200, { 'content-type': 'application/json', 'doip-response': '{"status": "0.DOIP/Status.001"}' });
                void writeFile(target, 'of another program').then(() => response.end(body));
            };

            const { code, error } = await get('--output', target, ...args);

            expect([code, error]).to.equal([expected, expected === 0 ? '' : `doip-gateway: ${target} exists already: choose another name, or --force\n`]);
            expect((await readFile(target, 'utf8')) === 'of another program').to.equal(expected !== 0);
            expect(await readdir(folder)).to.equal(['raced']);
        });
    }

    const LINKS: readonly (readonly [title: string, links: Readonly<Record<'link', string> & Partial<Record<'other' | 'mount', string>>>, files: readonly string[]])[] = [
        ['a file elsewhere', { link: 'disk/target' }, ['disk/target']],
        ['a file elsewhere, by another link', { link: 'other', other: 'disk/target' }, ['disk/target']],
        ['a file beside a link to its folder', { link: 'mount/../target', mount: 'disk/inner' }, ['disk/target']],
        ['no file', { link: 'disk/target' }, []],
        ['no file, by another link', { link: 'other', other: 'disk/target' }, []]
    ];

    for (const [title, links, files] of LINKS) {
        it(`is written to where a link leads to ${title}, with --force alone, and the link stays`, WITHOUT_LINKS, async () => {

            await mkdir(path('disk/inner'), { recursive: true });
            await Promise.all([...Object.entries(links).map(([name, target]: [string, string]) => symlink(target, path(name))), ...files.map((name) => writeFile(path(name), 'former'))]);

            const refused = await get('--output', path('link'));
            const before = [await readdir(path('disk')), await readdir(folder)];
            const { code, error } = await get('--output', path('link'), '--force');

            expect([refused.code, refused.error]).to.equal([73, `doip-gateway: ${path('link')} exists already: choose another name, or --force\n`]);
            expect(before).to.equal([['inner', ...files.map((name) => name.replace('disk/', ''))], ['disk', ...Object.keys(links).sort()]]);
            expect([code, error]).to.equal([0, '']);
            expect(await readFile(path('disk/target'), 'utf8')).to.equal(`${OBJECT}\n`);
            expect([await readdir(path('disk')), await readdir(folder)]).to.equal([['inner', 'target'], ['disk', ...Object.keys(links).sort()]]);
            expect(await readlink(path('link'))).to.equal(links.link);
        });
    }

    const NOWHERE: readonly (readonly [title: string, target: string, message: string])[] = [
        ['itself', 'link', 'too many links'],
        ['a folder that does not exist', 'missing/target', 'ENOENT']
    ];

    for (const [title, target, message] of NOWHERE) {
        it(`is refused for a link to ${title}`, WITHOUT_LINKS, async () => {

            await symlink(target, path('link'));
            const { code, error } = await get('--output', path('link'), '--force');

            expect([code, error.includes(message)], error).to.equal([73, true]);
            expect(error).to.match(ONE_LINE);
            expect(await readdir(folder)).to.equal(['link']);
        });
    }

    it('goes to the reader of a named pipe', WITHOUT_LINKS, async () => {

        execFileSync('mkfifo', [path('pipe')]);
        // Both are open, so that the command does not wait for a reader that never comes, nor the other way round.
        const [read, run] = await Promise.all([text(createReadStream(path('pipe'))), get('--output', path('pipe'), '--force')]);

        expect([run.code, run.error, read]).to.equal([0, '', `${OBJECT}\n`]);
        expect((await lstat(path('pipe'))).isFIFO()).to.be.true();
        expect(await readdir(folder)).to.equal(['pipe']);
    });

    // By a link, so that a device of this machine is never replaced.
    const DEVICES: readonly (readonly [device: string, code: number, message: RegExp])[] = [
        ['/dev/null', 0, /^$/],
        ['/dev/full', 73, /^doip-gateway: the output is not complete: ENOSPC[^\n]+\n$/]
    ];

    for (const [device, expected, message] of DEVICES) {
        it(`goes to ${device}`, WITHOUT_LINKS, async () => {

            await symlink(device, path('device'));
            const { code, error } = await get('--output', path('device'), '--force');

            expect([code, await readdir(folder)], error).to.equal([expected, ['device']]);
            expect(error).to.match(message);
            expect(await readlink(path('device'))).to.equal(device);
        });
    }

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        it(`leaves nothing of an export that ${signal} ends, and the former file as it was`, WITHOUT_LINKS, async () => {

            await writeFile(path('all.ndjson'), 'the last export');
            exports(false);
            const command = startCommand(database, ['export', '--force', path('all.ndjson')]);
            const error = text(command.stderr);
            await until(async () => (await readdir(folder)).some((name) => name.endsWith('.part')));
            command.kill(signal);
            const [code] = await once(command, 'exit') as [number | null];

            expect([code, await error]).to.equal([1, `doip-gateway: interrupted: what there was of ${path('all.ndjson')} is removed\n`]);
            expect(await readdir(folder)).to.equal(['all.ndjson']);
            expect(await readFile(path('all.ndjson'), 'utf8')).to.equal('the last export');
        });
    }

    const ENTRIES = '{"entries": [{"at": 1, "outcome": "ok", "user": "admin", "operation": "0.DOIP/Op.Create", "object": "test/x"}]}';
    const KEYS = '{"keys": [{"id": "k1", "userId": "admin", "name": "harvester"}]}';
    const PRINTING: readonly (readonly [args: readonly string[], says: () => void, message?: string])[] = [
        [['export', '-'], exports],
        [['get', 'test/x'], () => says(OBJECT)],
        [['search', '*'], () => says('{"results": [{"id": "test/x"}]}')],
        [['types'], () => says('{"operations": []}')],
        [['audit'], () => says(ENTRIES)],
        [['audit', '--format', 'ndjson'], () => says(ENTRIES)],
        [['audit', 'verify'], () => says('{"seals": 1, "entries": 1, "head": {"seal": 1, "hash": "x"}}')],
        [['keys', 'list'], () => says(KEYS)],
        [['keys', 'create', 'harvester'], () => says('{"key": "doipkey_x", "id": "k1", "userId": "admin"}'), 'key k1 was created, but is lost, so revoke it: ']
    ];

    for (const [args, prepare, message = ''] of PRINTING) {
        it(`of ${args.join(' ')} ends with one line when nobody reads it, and on a full disk`, WITHOUT_LINKS, async () => {

            prepare();
            const unread = startCommand(database, args);
            unread.stdout.destroy();
            const errors = [text(unread.stderr)];
            const [unreadCode] = await once(unread, 'exit') as [number | null];

            const device = openSync('/dev/full', 'w');
            const full = startCommand(database, args, {}, device);
            closeSync(device);
            errors.push(text(full.stderr));
            const [fullCode] = await once(full, 'exit') as [number | null];

            const [unreadError = '', fullError = ''] = await Promise.all(errors);
            expect([unreadCode, unreadError]).to.equal([1, `doip-gateway: ${message}the output is not complete: write EPIPE\n`]);
            expect([fullCode, fullError.startsWith(`doip-gateway: ${message}the output is not complete: ENOSPC`)], fullError).to.equal([73, true]);
            expect(fullError).to.match(ONE_LINE);
        });
    }

    it('is written also when nobody reads the messages', WITHOUT_LINKS, async () => {

        exports();
        const command = startCommand(database, ['export', path('all.ndjson')]);
        command.stderr.destroy();
        const [code] = await once(command, 'exit') as [number | null];

        expect([code, await readFile(path('all.ndjson'), 'utf8')]).to.equal([0, EXPORT.join('')]);
    });

    /** Runs a command whose files have a block at most, as on a disk that is full then. */
    async function runLimited(args: readonly string[]): Promise<Pick<Run, 'code' | 'error'>> {

        const child = spawn('sh', ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, CLI, ...args], {
            stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', DATA_DIR: database.options.dataDir, DATABASE_URL: '' }
        });
        const error = text(child.stderr);
        const [code] = await once(child, 'exit') as [number | null];
        return { code, error: await error };
    }

    it('of an export, and a file of rejected rows, end with one line and code 73 where they cannot grow', WITHOUT_LINKS, async () => {

        says(`${EXPORT[0]}${'{"id":"test/x","type":"Document"}\n'.repeat(100)}`, { type: 'application/x-ndjson' });
        const exported = await runLimited(['export', path('all.ndjson')]);
        await writeFile(path('rows.csv'), `n\n${'x\n'.repeat(100)}`);
        says('{"type": "object", "properties": {"n": {"type": "integer"}}}');
        const imported = await runLimited(['import', path('rows.csv'), '--type', 'Document', '--rejected', path('rejected.ndjson')]);

        expect([exported.code, exported.error]).to.equal([73, 'doip-gateway: the output is not complete: EFBIG: file too large, write\n']);
        expect(imported.code, imported.error).to.equal(73);
        expect(imported.error).to.contain('doip-gateway: the file for rejected rows cannot be written: EFBIG').and.not.contain('    at ');
        expect((await readdir(folder)).sort()).to.equal(['rejected.ndjson', 'rows.csv']);
    });
});
