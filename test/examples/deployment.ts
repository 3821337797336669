/** The Dockerfile, the compose file and the systemd unit: checked as far as that is possible without their engines. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFile, type ExecFileException, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { describeConfig } from '../../lib/config/index.js';
import { createSqlite } from '../support/database.js';
import { readPage, ROOT } from '../support/doc-pages.js';
import { startProcess } from '../support/process.js';
import { canTestWith, hasProgram } from '../support/programs.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const UNIT = 'docs/deploy/repository.service';

/** Receives what services send to systemd. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('bound', flush=True)
while True:
    print(receiver.recv(4096).decode(), flush=True)
`;

interface Compose {
    readonly services: Record<string, {
        readonly build?: string;
        readonly environment: Record<string, string>;
        readonly secrets: readonly string[];
        readonly volumes: readonly string[];
    }>;
    readonly secrets: Record<string, { readonly file: string }>;
    readonly volumes: Record<string, unknown>;
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const settings = new Set(describeConfig().flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));

describe('the image', () => {

    /** Lines by instruction; a line that ends in a backslash continues. */
    const instructions = (name: string): string[] => read('Dockerfile').replaceAll(/\\\n\s*/g, '').split('\n')
        .filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

    it('copies files that exist and that the build gets', () => {

        const allowed = read('.dockerignore').split('\n').filter((line) => line.startsWith('!')).map((line) => line.slice(1));
        const copied = instructions('COPY').filter((line) => !line.startsWith('--from')).flatMap((line) => line.split(' ').slice(0, -1));

        expect(copied.filter((path) => !existsSync(join(ROOT, path)))).to.equal([]);
        expect(copied.sort()).to.equal(allowed.sort());
    });

    it('runs the command line, by no root, with settings that exist', () => {

        const { bin } = JSON.parse(read('package.json')) as { bin: Record<string, string> };
        const variables = instructions('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0] ?? ''));

        expect(JSON.parse(instructions('ENTRYPOINT').join())).to.equal(['node', bin['doip-gateway']]);
        expect(instructions('USER')).to.equal(['node']);
        expect(variables.filter((name) => !settings.has(name))).to.equal(['NODE_ENV']);
    });

    it('has a health check that succeeds on a service only', async () => {

        const [command = '', ...args] = JSON.parse(/CMD (\[.*\])$/.exec(instructions('HEALTHCHECK').join())?.[1] ?? '[]') as string[];
        const database = await createSqlite();
        const service = await startProcess(database, { BASE_PATH: '/base' });
        const { port } = new URL(service.url);
        const check = (): Promise<unknown> => new Promise((resolve) => {

            const env = { PATH: process.env['PATH'], PORT: port, BASE_PATH: '/base' };
            execFile(command, args, { env }, (failure) => resolve(failure?.code ?? 0));
        });
        const running = await check();
        await service.stop();
        const stopped = await check();
        await database.dispose();

        expect([running, stopped]).to.equal([0, 1]);
    });
});

describe('the compose file', () => {

    it('is valid YAML, with settings, secrets and volumes that exist', () => {

        const { services, secrets, volumes } = parse(read('compose.yaml')) as Compose;
        const { repository, database } = services;
        const used = [repository, database].flatMap((service) => service?.secrets ?? []);
        const mounted = [repository, database].flatMap((service) => service?.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
        const made = readPage('docs/operating.md').blocks.map(({ text }) => text).join('\n');

        expect(Object.keys(repository?.environment ?? {}).filter((name) => !settings.has(name))).to.equal([]);
        expect([...new Set(used)].sort()).to.equal(Object.keys(secrets).sort());
        expect(mounted.sort()).to.equal(Object.keys(volumes).sort());
        expect(Object.values(secrets).filter(({ file }) => !made.includes(`> ${file.slice(2)}\n`))).to.equal([]);
    });
});

describe('the manifests for Kubernetes', () => {

    const FOLDER = 'docs/deploy/kubernetes';

    interface Container {
        readonly env: readonly { readonly name: string; readonly value: string }[];
        readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
        readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
        readonly securityContext: Record<string, unknown>;
        readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
    }

    interface Manifest {
        readonly kind: string;
        readonly metadata: { readonly name: string };
        readonly resources?: readonly string[];
        readonly patches?: readonly { readonly path: string }[];
        readonly configMapGenerator?: readonly { readonly name: string; readonly literals: readonly string[] }[];
        readonly spec: {
            readonly ports: readonly { readonly targetPort: string }[];
            readonly serviceName: string;
            readonly template: { readonly spec: {
                readonly terminationGracePeriodSeconds: number;
                readonly securityContext: Record<string, unknown>;
                readonly containers: readonly Container[];
                readonly volumes: readonly { readonly name: string }[];
            } };
            readonly volumeClaimTemplates: readonly Manifest[];
        };
    }

    const manifests = (path: string): Manifest[] => parseAllDocuments(read(join(FOLDER, path))).map((document) => {

        expect(document.errors, path).to.equal([]);
        return document.toJS() as Manifest;
    });

    const [set] = manifests('base/statefulset.yaml') as [Manifest];
    const { template: { spec: pod }, volumeClaimTemplates: claims, serviceName } = set.spec;
    const [container] = pod.containers as [Container];
    const values = new Map((manifests('base/kustomization.yaml')[0]?.configMapGenerator?.[0]?.literals ?? []).map((pair) => pair.split('=') as [string, string]));

    it('name files that exist', () => {

        for (const folder of ['base', 'mariadb']) {
            const [{ resources = [], patches = [] }] = manifests(`${folder}/kustomization.yaml`) as [Manifest];
            const paths = [...resources, ...patches.map(({ path }) => path)];
            expect(paths.filter((path) => !existsSync(join(ROOT, FOLDER, folder, path)))).to.equal([]);
            expect(paths.length).to.be.at.least(2);
        }
    });

    it('have settings, ports, volumes and services that belong together', () => {

        const [nodes] = manifests('mariadb/nodes.yaml') as [Manifest];
        const services = manifests('base/service.yaml');
        const env = [...container.env, ...nodes.spec.template.spec.containers[0]?.env ?? []];
        const made = readPage('docs/operating.md').blocks.map(({ text }) => text).join('\n');

        expect([...values.keys(), ...env.map(({ name }) => name)].filter((name) => !settings.has(name))).to.equal([]);
        expect(env.filter(({ value }) => !made.includes(`--from-file=${value.replace('/run/secrets/repository/', '')}=`))).to.equal([]);
        expect(container.ports.map(({ containerPort }) => String(containerPort)).slice(1)).to.equal([values.get('DOIP_PORT'), values.get('METRICS_PORT')]);
        expect(services.flatMap(({ spec: { ports } }) => ports.map(({ targetPort }) => targetPort)).sort())
            .to.equal(container.ports.map(({ name }) => name).sort());
        expect(services.map(({ metadata: { name } }) => name)).to.include(serviceName);
        expect(container.volumeMounts.map(({ name }) => name).sort())
            .to.equal([...pod.volumes, ...claims.map(({ metadata }) => metadata)].map(({ name }) => name).sort());
        expect(container.volumeMounts.some(({ mountPath }) => mountPath === values.get('DATA_DIR'))).to.be.true();
        expect([nodes.kind, nodes.metadata.name]).to.equal([set.kind, set.metadata.name]);
    });

    it('run as no root, with nothing that can be written but the volumes', () => {

        expect(pod.securityContext).to.include({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
        expect(container.securityContext).to.equal({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    });

    it('wait for a graceful stop', () => {

        const [drain, shutdown] = ['DRAIN_SECONDS', 'SHUTDOWN_SECONDS'].map((name) =>
            Number(values.get(name) ?? describeConfig().find((each) => each.name === name)?.fallback));
        expect(pod.terminationGracePeriodSeconds).to.be.above((drain ?? NaN) + 2 * (shutdown ?? NaN));
    });

    it('have probes that a service answers', async () => {

        const database = await createSqlite();
        const service = await startProcess(database);
        const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
        // It is ready once its index is built.
        let statuses: number[] = [];
        await until(async () => {

            statuses = await Promise.all(probes.map(async (probe) => (await fetch(`${service.url}${probe?.httpGet.path ?? '/none'}`)).status));
            return statuses.at(-1) !== 503;
        });
        await service.stop();
        await database.dispose();

        expect(statuses).to.equal([200, 200, 200]);
        expect(probes.map((probe) => probe?.httpGet.port)).to.equal(['http', 'http', 'http']);
    });

    it('are accepted by kustomize', { skip: !canTestWith('kustomize', hasProgram('kustomize', 'version')) }, () => {

        for (const folder of ['base', 'mariadb']) {
            const built = parseAllDocuments(execFileSync('kustomize', ['build', join(ROOT, FOLDER, folder)]).toString());
            expect(built.map((document) => (document.toJS() as Manifest).kind)).to.include(['ConfigMap', 'Service', 'StatefulSet']);
        }
    });
});

describe('the systemd unit', () => {

    let folder: string;

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-unit-'));
    });

    after(() => rm(folder, { recursive: true }));

    it('is accepted by systemd', { skip: !canTestWith('systemd-analyze') }, async () => {

        const file = join(folder, 'repository.service');
        await writeFile(file, read(UNIT).replace('/usr/bin/node', process.execPath));
        // It also ends with an error for other units of the machine.
        const { stdout, stderr } = await promisify(execFile)('systemd-analyze', ['verify', file]).catch((error: ExecFileException & { stdout: string; stderr: string }) => {

            if (typeof error.code !== 'number') {
                throw error;
            }

            return error;
        });

        expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('repository.service')).join('\n')).to.equal('');
    });

    it('starts what the package has, with settings that exist', () => {

        const { bin } = JSON.parse(read('package.json')) as { bin: Record<string, string> };
        const environment = readPage('docs/operating.md').blocks.find(({ text }) => text.startsWith('# /etc/repository.env'))?.text ?? '';
        const names = [...environment.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);

        expect(read(UNIT)).to.include(`ExecStart=/usr/bin/node ${bin['doip-gateway']} serve\n`);
        expect(names.length).to.be.above(3);
        expect(names.filter((name) => !settings.has(name))).to.equal([]);
    });

    it('is notified when the service listens and when it stops', { skip: !canTestWith('systemd-notify') || !canTestWith('python3') }, async () => {

        const socket = join(folder, 'notify');
        const receiver = spawn('python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
        let received = '';
        receiver.stdout.on('data', (chunk: Buffer) => (received += chunk.toString()));
        await until(() => received.startsWith('bound'));
        const database = await createSqlite();
        const service = await startProcess(database, { NOTIFY_SOCKET: socket });
        await until(() => received.includes('READY=1'));
        await service.stop();
        await until(() => received.includes('STOPPING=1'));
        receiver.kill();
        await once(receiver, 'exit');
        await database.dispose();

        expect(received).to.include(`READY=1\nSTATUS=serving at ${service.url}`);
    });

    it('is not needed: a service that cannot notify goes on', async () => {

        const database = await createSqlite();
        const service = await startProcess(database, { NOTIFY_SOCKET: '/nowhere', PATH: '/nowhere' });
        await until(() => service.log().includes('service.notify-failed'));
        const { status } = await fetch(`${service.url}/health/live`);
        await service.stop();
        await database.dispose();

        expect(status).to.equal(200);
    });
});
