import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TestDatabase } from '../../support/database.js';
import type { ServiceProcess } from '../../support/process.js';
import { createSqlite } from '../../support/database.js';
import { ROOT } from '../../support/doc-pages.js';
import { startProcess } from '../../support/process.js';
import { readToEnd } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const CLI = join(__dirname, '../../../bundle/main.js');

interface Run {
    readonly code: number | null;
    readonly out: string;
    readonly error: string;
}

/** Runs a command that ends by itself. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {

    const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', ...env } });
    let out = '';
    let error = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    const [code] = await once(child, 'close') as [number | null];
    return { code, out, error };
}

describe('the command line', () => {

    let database: TestDatabase;
    let running: ServiceProcess[] = [];

    beforeEach(async () => {

        database = await createSqlite();
    });

    afterEach(async () => {

        await Promise.all(running.map((service) => service.stop()));
        running = [];
        await database.dispose();
    });

    const start = async (env: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> => {

        const service = await startProcess(database, env);
        running.push(service);
        return service;
    };

    it('is run by npx in a clone', async () => {

        const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
        // npx keeps where the program of a folder is, and this folder may have been built by another version.
        const cache = await mkdtemp(join(tmpdir(), 'gateway-npx-'));
        const { stdout } = await promisify(execFile)('npx', ['--no-install', 'doip-gateway', 'version'], { cwd: ROOT, env: { ...process.env, npm_config_cache: cache } });
        await rm(cache, { recursive: true });

        expect(stdout.trim()).to.equal(version);
    });

    it('serves, and prints the URL last', async () => {

        const service = await start();

        const answer = await fetch(`${service.url}/startupStatus`);

        expect(service.output().trimEnd().split('\n').at(-1)).to.equal(service.url);
        expect([answer.status, Object.keys(await answer.json() as object)]).to.equal([200, ['state', 'details', 'subsystems']]);
    });

    it('prints a generated password once', async () => {

        const first = await start({ ADMIN_PASSWORD: '' });
        const password = /password of admin.*: (\S+)/.exec(first.output())?.[1] ?? '';
        const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
        const login = await fetch(`${first.url}/check-credentials`, { headers: { authorization } });
        await running.pop()?.stop();
        const second = await start({ ADMIN_PASSWORD: '' });
        const again = await fetch(`${second.url}/check-credentials`, { headers: { authorization } });

        expect(password.length).to.be.above(11);
        expect(login.status).to.equal(200);
        expect(again.status).to.equal(200);
        expect(second.output()).to.not.include('password');
    });

    it('exits with 0 when it is stopped', async () => {

        await start();

        expect(await running.pop()?.stop()).to.equal(0);
    });

    it('receives the signals sent to npm start, without a shell in between', { skip: process.platform === 'win32' }, async () => {

        const root = join(__dirname, '../../../..');
        const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
        const command = scripts['start']?.split('&&').at(-1) ?? '';
        const child = spawn('sh', ['-c', `true && ${command}`], {
            cwd: root, env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: database.options.dataDir, DATABASE_URL: '' }
        });
        let out = '';
        child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
        const ended = once(child, 'exit');
        try {
            await until(() => out.includes('http'), 60_000);
        }
        finally {
            child.kill();
        }

        expect((await ended)[0]).to.equal(0);
    });

    it('lets a request in progress finish, even when npm repeats the interrupt', async () => {

        // The second signal must come within half a second, which it does not always on a busy machine.
        let [answer, code]: [string, number | null] = ['', null];
        for (let attempt = 0; attempt < 5 && code !== 0; ++attempt) {
            const service = await start({ LOG_LEVEL: 'info' });
            const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
            const text = readToEnd(socket);
            socket.write('POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
            await until(() => fetch(`${service.url}/startupStatus`).then(({ ok }) => ok));

            service.signal('SIGINT');
            await until(() => service.log().includes('service.stopping'));
            service.signal('SIGINT');
            socket.write('}');
            [code, answer] = await Promise.all([service.ended(), text]);
            running.pop();
        }

        expect(answer).to.match(/^HTTP\/1\.1 400 [\s\S]*connection: close/i);
        expect(code).to.equal(0);
    });

    it('exits at once on a second signal', async () => {

        const service = await start({ LOG_LEVEL: 'info' });
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
        const ended = readToEnd(socket);
        socket.write('POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
        await until(() => fetch(`${service.url}/startupStatus`).then(({ ok }) => ok));

        service.signal('SIGTERM');
        await until(() => service.log().includes('service.stopping'));
        await delay(700);                                   // Longer than two signals count as one
        service.signal('SIGTERM');

        expect(await service.ended()).to.equal(1);
        running.pop();
        await ended;
    });

    it('logs an uncaught exception and exits', async () => {

        const crash = join(database.options.dataDir, 'crash.cjs');
        await writeFile(crash, 'process.on("SIGUSR2", () => { throw new Error("out of the blue"); });');
        const service = await start({ NODE_OPTIONS: `--require ${crash}` });

        service.signal('SIGUSR2');

        expect(await service.ended()).to.equal(1);
        running.pop();
        expect(service.log()).to.include('"level":"fatal"').and.to.include('out of the blue');
    });

    it('prints only the URL to standard output, and logs to standard error', async () => {

        const service = await start({ LOG_LEVEL: 'debug', DATABSE_URL: 'mysql://elsewhere/db' });
        await fetch(`${service.url}/startupStatus`);

        expect(service.output()).to.equal(`${service.url}\n`);
        await until(() => service.log().includes('/startupStatus'));
        const lines = service.log().trim().split('\n').map((line) => JSON.parse(line) as Record<'level' | 'time' | 'event' | 'variable' | 'setting', string>);
        expect(lines.map(({ event }) => event)).to.include(['service.listening', 'http.request']);
        expect(lines[0]).to.include({ level: 'warn', variable: 'DATABSE_URL', setting: 'DATABASE_URL' });
    });

    it('locks the data folder, which is free at once after a kill', async () => {

        const first = await start();
        const second = await run(['serve'], { PORT: '0', DATA_DIR: database.options.dataDir });
        await running.pop()?.kill();
        const third = await start();

        expect(second.code).to.equal(69);
        expect(second.error).to.include(`in use by process ${first.pid}`);
        expect((await fetch(`${third.url}/startupStatus`)).status).to.equal(200);
    });

    it('reports the port that is in use', async () => {

        const other = createServer().listen(0, '127.0.0.1');
        await once(other, 'listening');
        const { port } = other.address() as AddressInfo;

        const { code, error } = await run(['serve'], { PORT: String(port), DATA_DIR: database.options.dataDir });
        other.close();

        expect(code).to.equal(69);
        expect(error).to.equal(`doip-gateway: port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another PORT\n`);
    });

    for (const [version, code] of [['18.20.4', 1], ['20.11.1', 1], ['20.12.0', 0], ['24.0.0', 0]] as const) {
        it(`${code === 0 ? 'accepts' : 'rejects'} Node ${version}`, async () => {

            const program = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(CLI)});`;

            const child = spawn(process.execPath, ['-e', program, '-', 'version']);
            const [error, [ended]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);

            expect(ended).to.equal(code);
            expect(error).to.equal(code === 0 ? '' : `doip-gateway: this is Node ${version}; Node 20.12 or newer is needed\n`);
        });
    }

    const table: [title: string, args: string[], env: NodeJS.ProcessEnv, code: number, out: RegExp, error: RegExp][] = [
        ['prints help, with every setting', ['--help'], {}, 0, /usage: doip-gateway[\s\S]* PORT \(8080\)/, /^$/],
        ['prints help for the command help', ['help'], {}, 0, /usage: doip-gateway[\s\S]* PORT \(8080\)/, /^$/],
        ['prints help for a command with --help', ['help', 'import'], {}, 0, /usage: doip-gateway/, /^$/],
        ['prints its version for the command version', ['version'], {}, 0, /^\d+\.\d+\.\d+\n$/, /^$/],
        ['exits when its data folder is a file', ['serve'], { PORT: '0', DATA_DIR: __filename }, 69, /^$/, /the data folder .* cannot be used \(EEXIST\): it is no folder/],
        ['exits when its data folder is in a file', ['serve'], { PORT: '0', DATA_DIR: `${__filename}/data` }, 69, /^$/, /cannot be used \(ENOTDIR\): it is no folder/],
        ['prints its version', ['--version'], {}, 0, /^\d+\.\d+\.\d+\n$/, /^$/],
        ['rejects an unknown command', ['frobnicate'], {}, 64, /^$/, /unknown command frobnicate/],
        ['rejects an unknown option', ['--frobnicate'], {}, 64, /^$/, /--frobnicate/],
        ['reports an invalid setting', ['serve'], { PORT: 'eighty' }, 78, /^$/, /PORT \(environment\) must be a number, got "eighty"/],
        ['reports an unknown host', ['serve'], { PORT: '0', HOST: 'nowhere.invalid' }, 69, /.*/, /HOST nowhere\.invalid is no address of this machine/],
        ['reports a missing configuration file', ['serve'], { CONFIG_FILE: '/nowhere/config.json' }, 78, /^$/, /\/nowhere\/config\.json/]
    ];
    for (const [title, args, env, code, out, error] of table) {
        it(`${title}, in one line`, async () => {

            const answer = await run(args, { DATA_DIR: database.options.dataDir, ...env });

            expect(answer.code).to.equal(code);
            expect(answer.out).to.match(out);
            expect(answer.error).to.match(error);
            expect(answer.error.split('\n').length).to.be.at.most(2);
        });
    }

    it('reports an unknown setting in the configuration file', async () => {

        const file = join(database.options.dataDir, 'config.json');
        await writeFile(file, '{"PROT": 8080}');

        const { code, error } = await run(['serve'], { CONFIG_FILE: file, DATA_DIR: database.options.dataDir });

        expect(code).to.equal(78);
        expect(error).to.include('PROT').and.to.include('PORT');
    });
});
