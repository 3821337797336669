/** Three nodes behind a load balancer, as docs/three-nodes.md describes: the files are valid, and HAProxy with them keeps clients served. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { describeConfig } from '../../lib/config/index.js';
import type { TestDatabase } from '../support/database.js';
import { createSqlite, DIALECTS } from '../support/database.js';
import { freePorts } from '../support/free-ports.js';
import { BUCKET, HAS_S3, startS3, startS3Relay, type S3Relay, type TestS3 } from '../support/s3.js';
import { readPage, ROOT } from '../support/doc-pages.js';
import { startMysqlProxy, type MysqlProxy } from '../support/mysql-proxy.js';
import { canTestWith, hasProgram } from '../support/programs.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { ADMIN_HEADERS, multipart } from '../support/rest.js';
import { tlsSettings } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const FOLDER = 'docs/deploy/cluster';
const NODES = ['node1', 'node2', 'node3'];
const DRAIN_SECONDS = 6;
/** More than the balancer needs for two checks of each node. */
const NOTICED_MS = 7000;

interface Service {
    readonly build?: string;
    readonly environment?: Record<string, string>;
    readonly secrets?: readonly string[];
    readonly volumes?: readonly string[];
    readonly depends_on?: object;
}

interface Compose {
    readonly services: Record<string, Service>;
    readonly secrets: Record<string, { readonly file: string }>;
    readonly volumes: Record<string, unknown>;
}

const HAS_HAPROXY = canTestWith('haproxy', hasProgram('haproxy', '-v'));

describe('the compose file of three nodes', () => {

    const compose = parse(readFileSync(join(ROOT, FOLDER, 'compose.yaml'), 'utf8'), { merge: true }) as Compose;
    const balancer = readFileSync(join(ROOT, FOLDER, 'haproxy.cfg'), 'utf8');

    it('has settings, secrets, volumes and files that exist', () => {

        const services = Object.values(compose.services);
        const settings = new Set(describeConfig().flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
        const commands = readPage('docs/three-nodes.md').blocks.map(({ text }) => text).join('\n');
        const mounted = services.flatMap(({ volumes = [] }) => volumes).map((volume) => volume.split(':')[0] ?? '');

        expect(Object.keys(compose.services).sort()).to.equal(['balancer', 'database', ...NODES]);
        for (const name of NODES) {
            expect(Object.keys(compose.services[name]?.environment ?? {}).filter((setting) => !settings.has(setting))).to.equal([]);
            expect(existsSync(join(ROOT, FOLDER, compose.services[name]?.build ?? '', 'Dockerfile'))).to.be.true();
        }

        expect([...new Set(services.flatMap(({ secrets = [] }) => secrets))].sort()).to.equal(Object.keys(compose.secrets).sort());
        expect(Object.values(compose.secrets).filter(({ file }) => !commands.includes(`> ${file.slice(2)}\n`))).to.equal([]);
        expect(mounted.filter((volume) => !volume.startsWith('.')).sort()).to.equal(Object.keys(compose.volumes).sort());
        expect(mounted.filter((volume) => volume.startsWith('.')).map((path) => existsSync(join(ROOT, FOLDER, path)))).to.equal([true]);
    });

    it('drains nodes for longer than the balancer takes to notice', () => {

        const [, seconds, checks] = /inter (\d+)s fall (\d+)/.exec(balancer) ?? [];
        const drain = Number(compose.services['node1']?.environment?.['DRAIN_SECONDS']);

        expect(drain).to.equal(DRAIN_SECONDS);
        expect(drain).to.be.above(Number(seconds) * Number(checks));
        expect(NODES.filter((name) => !balancer.includes(`server ${name} ${name}:8080\n`))).to.equal([]);
    });
});

const MYSQL = DIALECTS.find(({ dialect }) => dialect === 'mysql');
if (MYSQL) {
    describe('three nodes behind a balancer', { skip: !HAS_HAPROXY }, () => {

        let database: TestDatabase;
        /** In front of the database. */
        let proxy: MysqlProxy;
        let folders: TestDatabase[] = [];
        let nodes: ServiceProcess[] = [];
        let s3: TestS3 | null = null;
        let relay: S3Relay | null = null;
        let balancer: ChildProcess;
        let folder: string;
        let url: URL;

        before(async () => {

            database = await MYSQL.create();
            proxy = await startMysqlProxy(database.options.url ?? '');
            folders = await Promise.all(NODES.map(createSqlite));
            s3 = HAS_S3 ? await startS3() : null;
            relay = s3 ? await startS3Relay(s3.url) : null;
            const ports = await freePorts(NODES.length);
            nodes = await Promise.all(folders.map((data, i) => startNode(data, { PORT: String(ports + i) })));
            folder = await mkdtemp(join(tmpdir(), 'gateway-balancer-'));
            url = new URL(`https://127.0.0.1:${await freePorts()}`);
            balancer = await startBalancer();
            await until(async () => (await ask('GET', '/health/ready')).status === 200);
        });

        after(async () => {

            balancer.kill('SIGKILL');
            await Promise.all(nodes.map((node) => node.kill()));
            await proxy.close();
            await Promise.all([database, ...folders].map((each) => each.dispose()));
            await relay?.stop();
            await s3?.stop();
            await rm(folder, { recursive: true });
        });

        const startNode = (data: TestDatabase, more: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> => startProcess(database, {
            DATABASE_URL: proxy.url, DATA_DIR: data.options.dataDir, TRUSTED_PROXIES: 'loopback', DRAIN_SECONDS: String(DRAIN_SECONDS), WORKERS: '0', LOG_LEVEL: 'info',
            ...relay ? { PAYLOAD_STORE: `s3://${BUCKET}/nodes`, PAYLOAD_STORE_ENDPOINT: relay.url, PAYLOAD_STORE_TIMEOUT_SECONDS: '2' } : {}, ...more
        });

        /** The documented file, with the addresses and the certificate of the test. */
        const startBalancer = async (): Promise<ChildProcess> => {

            const { TLS_CERT, TLS_KEY } = await tlsSettings(folder);
            const certificate = join(folder, 'certificate.pem');
            await writeFile(certificate, `${await readFile(TLS_CERT, 'utf8')}\n${await readFile(TLS_KEY, 'utf8')}`);
            const text = await readFile(join(ROOT, FOLDER, 'haproxy.cfg'), 'utf8');
            const own = NODES.reduce((config, name, i) => config.replaceAll(`${name}:8080`, new URL(nodes[i]!.url).host), text)
                .replace('bind :80\n', `bind 127.0.0.1:${await freePorts()}\n`)
                .replace('bind :443 ssl crt /run/secrets/certificate', `bind ${url.host} ssl crt ${certificate}`);
            const file = join(folder, 'haproxy.cfg');
            await writeFile(file, own);
            execFileSync('haproxy', ['-c', '-f', file], { stdio: 'pipe' });
            const child = spawn('haproxy', ['-f', file], { stdio: 'ignore' });
            await once(child, 'spawn');
            return child;
        };

        const ask = (method: string, path: string, { body, headers = {} }: { body?: string | Buffer; headers?: Record<string, string> } = {}):
        Promise<{ status: number; text: string; retryAfter?: string | undefined }> => new Promise((resolve) => {

            const options = { method, headers: { ...ADMIN_HEADERS, ...headers }, rejectUnauthorized: false, agent: false };
            const sent = request(new URL(path, url), options, (response) => {

                let text = '';
                response.setEncoding('utf8').on('data', (chunk: string) => {

                    text += chunk;
                }).on('end', () => resolve({ status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] })).on('error', () => resolve({ status: 0, text }));
            });
            sent.on('error', ({ message }) => resolve({ status: 0, text: message }));
            sent.end(body);
        });

        /** Asks without a pause until it is told to stop; returns what did not succeed. */
        const asking = (line: () => readonly [method: string, path: string, body?: string]): { stop: () => Promise<{ count: number; failures: string[] }> } => {

            let isOver = false;
            const failures: string[] = [];
            let count = 0;
            const lanes = Array.from({ length: 3 }, async () => {

                while (!isOver) {
                    const [method, path, body] = line();
                    const { status, text } = await ask(method, path, body === undefined ? {} : { body });
                    count += 1;
                    if (status !== 200) {
                        failures.push(`${method} ${path}: ${status} ${text}`);
                    }
                }
            });
            return {
                async stop() {

                    isOver = true;
                    await Promise.all(lanes);
                    return { count, failures };
                }
            };
        };

        it('take logins by HTTPS, know the addresses of clients, and take long queries and uploads', async () => {

            const created = await ask('POST', '/objects?type=Document&handle=test/map', { body: '{"name":"A map"}', headers: { 'X-Forwarded-For': '203.0.113.9' } });
            const long = await ask('GET', `/search?query=${'x'.repeat(60_000)}`);
            const { payload, headers } = multipart({ name: 'content', value: '{}' }, { name: 'f', filename: 'f', value: 'y'.repeat(3_000_000) });
            const uploaded = await ask('PUT', '/objects/test/map', { body: payload, headers });
            const logs = nodes.map((node) => node.log()).join('\n');

            expect([created.status, long.status, uploaded.status]).to.equal([200, 200, 200]);
            expect((await ask('GET', '/objects/test/map?payload=f')).text.length).to.equal(3_000_000);
            expect(logs).to.contain('"remote":"127.0.0.1"').and.not.contain('203.0.113.9');
        });

        const readiness = (path = '/health/ready'): Promise<number[]> =>
            Promise.all(nodes.map((node) => fetch(`${node.url}${path}`).then((answer) => answer.status, () => 0)));

        it('say themselves that their database is away, and when to try again', async () => {

            proxy.accept(false);
            proxy.cutAll();
            await until(async () => !(await readiness('/health/ready?exclude=payloads,search')).includes(200));
            await sleep(NOTICED_MS);
            const paths = ['/objects/test/map', '/search?query=any', '/health/ready', '/health/live'];
            const answers = await Promise.all(paths.map((path) => ask('GET', path)));
            const page = await ask('GET', '/', { headers: { Accept: 'text/html' } });
            proxy.accept(true);
            await until(async () => (await readiness()).every((status) => status === 200));
            await until(async () => (await ask('GET', '/health/ready')).status === 200);
            // Each of them is used again.
            await sleep(NOTICED_MS);

            expect(answers.map(({ status, retryAfter }) => [status, Number(retryAfter) > 0])).to.equal([[503, true], [503, true], [503, true], [200, false]]);
            expect(answers.slice(0, 3).map(({ text }) => Object.keys(JSON.parse(text) as object))).to.equal([['message'], ['message'], ['message']]);
            expect([page.status, page.text.slice(0, 15).toLowerCase()]).to.equal([200, '<!doctype html>']);
        });

        it('answer every request while one is stopped and started again', async () => {

            let number = 0;
            const reads = asking(() => ['GET', '/objects/test/map']);
            const writes = asking(() => ['POST', `/objects?type=Document&handle=test/stopped-${++number}`, '{"name":"x"}']);
            await sleep(500);
            expect(await nodes[0]!.stop()).to.equal(0);
            const { port } = new URL(nodes[0]!.url);
            nodes[0] = await startNode(folders[0]!, { PORT: port });
            const results = [await reads.stop(), await writes.stop()];

            expect(results.flatMap(({ failures }) => failures)).to.equal([]);
            expect(results.every(({ count }) => count > 20)).to.be.true();
        });

        it('answer every read while one is killed, and have all that was acknowledged', async () => {

            let number = 0;
            const stored: string[] = [];
            const reads = asking(() => ['GET', '/objects/test/map']);
            const writes = Array.from({ length: 3 }, async () => {

                while (number < 150) {
                    const id = `test/killed-${++number}`;
                    if ((await ask('POST', `/objects?type=Document&handle=${id}`, { body: '{"name":"x"}' })).status === 200) {
                        stored.push(id);
                    }
                }
            });
            await until(() => stored.length > 20);
            await nodes[1]!.kill();
            await Promise.all(writes);
            const { failures, count } = await reads.stop();
            const found = await Promise.all(stored.map((id) => ask('GET', `/objects/${id}`)));

            expect(failures).to.equal([]);
            expect(count).to.be.above(20);
            expect(stored.length).to.be.above(100);
            expect(found.filter(({ status }) => status !== 200)).to.equal([]);
        });

        it('answer reads and writes of objects while none is ready, as the payload store is away, and one is stopped', { skip: !HAS_S3 }, async () => {

            const { status } = await ask('POST', '/objects?type=Document&handle=test/lasting', { body: '{"name":"A map"}' });
            let number = 0;
            const work = asking(() => (number++ % 2 === 0 ? ['GET', '/objects/test/lasting'] :
                ['POST', `/objects?type=Document&handle=test/lasting-${number}`, '{"name":"x"}']));
            relay?.behave(() => 'cut');
            await until(async () => !(await readiness()).includes(200));
            await sleep(NOTICED_MS);
            const ready = await ask('GET', '/health/ready');
            const ended = await nodes[2]!.stop();
            const { count, failures } = await work.stop();
            relay?.behave();
            await until(async () => (await ask('GET', '/health/ready')).status === 200);

            expect([status, ended]).to.equal([200, 0]);
            expect(failures).to.equal([]);
            expect(count).to.be.above(50);
            expect([ready.status, JSON.parse(ready.text)]).to.equal([503, { message: 'the payload store does not answer: payloads can be neither read nor stored' }]);
        });
    });
}
