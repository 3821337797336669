/** What people see on a terminal: a banner and readable log lines; and that programs, which read a pipe, see neither. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ROOT } from '../support/doc-pages.js';
import { hasScript } from '../support/programs.js';
import { startProcess } from '../support/process.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const CLI = join(__dirname, '../../bundle/main.js');

/** The program of util-linux that runs another one on a terminal. */
const HAS_SCRIPT = hasScript();

interface Session {
    /** Everything on the screen. */
    screen(): string;
    /** Its exit code. */
    readonly ended: Promise<number | null>;
    /** Presses Ctrl-C; resolves to the exit code. */
    interrupt(): Promise<number | null>;
}

describe('on a terminal', () => {

    let database: TestDatabase;

    beforeEach(async () => {

        database = await createSqlite();
    });

    afterEach(() => database.dispose());

    const start = (env: NodeJS.ProcessEnv): Session => {

        const child = spawn('script', ['-qec', `exec '${process.execPath}' '${CLI}'`, '/dev/null'], {
            env: {
                PATH: process.env['PATH'], TERM: 'xterm', NO_COLOR: '1', PORT: '0', DOIP_PORT: '', DATA_DIR: database.options.dataDir, ...env
            }
        });
        let screen = '';
        child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
        const ended = (once(child, 'close') as Promise<[number | null]>).then(([code]) => code);
        return {
            ended,
            screen: () => screen.replaceAll('\r\n', '\n'),
            async interrupt() {

                child.stdin.write('\x03');
                return await ended;
            }
        };
    };

    it('a banner shows where the service is, where its data are and the first password; the log is readable', { skip: !HAS_SCRIPT }, async () => {

        const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
        const session = start({});
        await until(() => session.screen().includes('Ctrl-C'));
        const rows = new Map([...session.screen().matchAll(/^ {2}(\S+(?: \S+)*) {2,}(\S.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
        const password = /^admin, password (\S+)$/.exec(rows.get('Login') ?? '')?.[1] ?? '';
        const headers = { authorization: `Basic ${btoa(`admin:${password}`)}` };
        const login = await fetch(new URL('/check-credentials', rows.get('Page')), { headers });
        await fetch(`${rows.get('REST')}/test/missing%1b`, { headers: { accept: 'text/html' } });
        await until(() => session.screen().includes('/test/missing%1b'));
        const { status } = await fetch(rows.get('API') ?? '');
        const code = await session.interrupt();

        expect(status).to.equal(200);
        expect(session.screen()).to.include(`doip-gateway ${version}\n`).and.to.include('shown only this once; doip-gateway set-admin-password sets another');
        expect(rows.get('Data folder')).to.equal(database.options.dataDir);
        expect(rows.get('Database')).to.equal('SQLite, in the data folder');
        expect(login.status).to.equal(200);
        expect(session.screen()).to.match(/^\d\d:\d\d:\d\d INFO {2}GET \/objects\/test\/missing%1b 404 {2}http\.request requestId=/m);
        expect(session.screen()).to.match(/^\d\d:\d\d:\d\d INFO {2}stopped {2}service\.stopped ms=\d+$/m);
        expect(session.screen()).to.not.include('{"level"');
        expect(code).to.equal(0);
    });

    it('the banner names no password that was set, and says when the database is not available', { skip: !HAS_SCRIPT }, async () => {

        const session = start({ ADMIN_PASSWORD: 'a password that was set', DATABASE_URL: 'mysql://someone:a-secret@127.0.0.1:9/objects' });
        await until(() => session.screen().includes('Ctrl-C'));
        await session.interrupt();

        expect(session.screen()).to.match(/^ {2}Database {2,}objects at 127\.0\.0\.1:9, as user someone$/m);
        expect(session.screen()).to.match(/^ {2}State {2,}not ready yet: see the log$/m);
        expect(session.screen()).to.match(/^\d\d:\d\d:\d\d ERROR start failed, retrying {2}service\.start-failed version=\S+ againInMs=250\n {4}DatabaseError: /m);
        expect(session.screen()).to.not.include('a password that was set').and.to.not.include('a-secret').and.to.not.include('Login');
    });

    it('the first password is shown also when the port is in use', { skip: !HAS_SCRIPT }, async () => {

        const other = createServer().listen(0, '127.0.0.1');
        await once(other, 'listening');
        const { port } = other.address() as AddressInfo;
        const failing = start({ PORT: String(port) });
        const code = await failing.ended;
        other.close();
        const password = /^ {2}password of admin: (\S+)$/m.exec(failing.screen())?.[1] ?? '';
        const session = start({});
        await until(() => session.screen().includes('Ctrl-C'));
        const url = /^ {2}Page {2,}(\S+)$/m.exec(session.screen())?.[1] ?? '';
        const { status } = await fetch(new URL('/check-credentials', url), { headers: { authorization: `Basic ${btoa(`admin:${password}`)}` } });
        await session.interrupt();

        expect(code, failing.screen()).to.equal(69);
        expect(failing.screen()).to.include(`port ${port} of 127.0.0.1 is in use`).and.to.include('shown only this once');
        expect(status).to.equal(200);
        expect(session.screen()).to.not.include('Login');
    });

    it('a program that reads a pipe gets the password and the URL, and a log of JSON', async () => {

        const service = await startProcess(database, { LOG_LEVEL: 'info', ADMIN_PASSWORD: '' });
        await service.stop();

        expect(service.output()).to.match(/^password of admin, made at random and not stored: \S+\nhttp:\/\/127\.0\.0\.1:\d+\n$/);
        expect(service.log().trim().split('\n').map((line) => typeof (JSON.parse(line) as { event: unknown }).event)).to.only.include('string');
    });
});
