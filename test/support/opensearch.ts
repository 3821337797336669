/**
 * A real OpenSearch for the time of a test file. `.ci/run` installs it; where there is none, tests that need it are skipped, except in CI.
 * `TEST_OPENSEARCH_URL` names one that runs already, which is only used under prefixes of the tests.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineClient } from '../../lib/search/opensearch/engine-client.js';
import { freePorts } from './free-ports.js';
import { until } from './until.js';

export const OPENSEARCH_VERSION = '2.19.1';

const RUNNING = process.env['TEST_OPENSEARCH_URL'];
const FOLDER = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'doip-gateway', `opensearch-${OPENSEARCH_VERSION}`, `opensearch-${OPENSEARCH_VERSION}`);

/** True where the tests can be run. In CI they must be. */
export const HAS_OPENSEARCH = RUNNING !== undefined || existsSync(join(FOLDER, 'bin', 'opensearch')) ||
    process.env['CI'] === 'true' && process.env['NO_OPENSEARCH'] !== 'true';

/** Nobody: the server refuses to run as root. */
const NOBODY = 65_534;
const START_MS = 300_000;

/** A running server. */
export interface TestOpenSearch {
    readonly url: string;
    readonly client: EngineClient;
    /** A URL for `SEARCH_URL` with a prefix of its own. */
    newUrl(base?: string): string;
    /** Null where the server is not that of the test. */
    pid(): number | null;
    /** False after its end, also one that nobody asked for. */
    isRunning(): boolean;
    /** Makes all changes visible to searches. */
    refresh(): Promise<void>;
    /** Ends the server without a warning; does nothing where it is not that of the test. */
    kill(): Promise<void>;
    restart(): Promise<void>;
    /** Sends it a signal; SIGSTOP makes it silent. */
    signal(name: NodeJS.Signals): void;
    stop(): Promise<void>;
}

/** Starts a server; takes about half a minute. @param parent folder in which it makes its own */
export async function startOpenSearch(parent = tmpdir()): Promise<TestOpenSearch> {

    const server = RUNNING === undefined ? await launch(parent) : null;
    const url = server?.url ?? RUNNING ?? '';
    const client = await EngineClient.open({ node: url, auth: null, prefix: 'test' });
    return {
        url, client,
        pid: () => server?.pid() ?? null,
        isRunning: () => server?.isRunning() ?? true,
        newUrl: (base = url) => `${base}/t${randomBytes(6).toString('hex')}`,
        async refresh() {

            await client.send({ method: 'POST', path: '/_refresh' });
        },
        kill: async () => server?.kill(),
        restart: async () => server?.start(),
        signal: (name) => server?.signal(name),
        async stop() {

            await client.close();
            await server?.stop();
        }
    };
}

async function launch(parent: string) {

    if (!existsSync(FOLDER)) {
        throw new Error(`OpenSearch ${OPENSEARCH_VERSION} is not installed: see .ci/run`);
    }

    const home = await mkdtemp(join(parent, 'doip-gateway-opensearch-'));
    cpSync(FOLDER, home, { recursive: true });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
        chownAll(home);
    }

    const port = await freePorts(2);
    const transport = port + 1;
    const url = `http://127.0.0.1:${port}`;
    let child: ChildProcess | null = null;
    const start = async (): Promise<void> => {

        const settings = {
            'discovery.type': 'single-node', 'http.port': port, 'transport.port': transport, 'network.host': '127.0.0.1',
            'cluster.routing.allocation.disk.threshold_enabled': false, 'node.processors': 2,
            // Points in time may be short, and end when it is time, not up to a minute later.
            'point_in_time.init.keep_alive': '5s', 'search.keep_alive_interval': '1s'
        };
        child = spawn(join(home, 'bin', 'opensearch'), Object.entries(settings).flatMap(([name, value]) => ['-E', `${name}=${value}`]), {
            cwd: home, stdio: 'ignore', ...isRoot ? { uid: NOBODY, gid: NOBODY } : {},
            env: {
                ...process.env, HOME: home, OPENSEARCH_JAVA_HOME: process.env['OPENSEARCH_JAVA_HOME'] ?? javaHome(),
                OPENSEARCH_JAVA_OPTS: '-Xms512m -Xmx512m'
            }
        });
        await until(async () => (await fetch(url).catch(() => null))?.ok === true, START_MS);
    };

    const isRunning = (): boolean => child !== null && child.exitCode === null && child.signalCode === null;
    const kill = async (): Promise<void> => {

        if (child && isRunning()) {
            const ended = once(child, 'exit');
            child.kill('SIGKILL');
            await ended;
        }
    };

    await start();
    return {
        url, start, kill, isRunning,
        pid: () => child?.pid ?? null,
        signal: (name: NodeJS.Signals) => void child?.kill(name),
        async stop() {

            await kill();
            await rm(home, { recursive: true, force: true });
        }
    };
}

function chownAll(folder: string): void {

    chownSync(folder, NOBODY, NOBODY);
    for (const name of readdirSync(folder, { recursive: true })) {
        chownSync(join(folder, String(name)), NOBODY, NOBODY);
    }
}

/** The Java that comes first in PATH; OpenSearch 2 runs with 11 to 21. */
function javaHome(): string {

    const known = ['/usr/lib/jvm/java-17-openjdk-amd64', '/usr/lib/jvm/default-java'].find((folder) => existsSync(folder));
    return process.env['JAVA_HOME'] ?? known ?? '';
}
