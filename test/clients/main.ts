/**
 * The published native DOIP clients, unmodified, against a running service:
 *
 *     npm run clients
 *     npm run clients -- doipy doip-sdk
 *
 * Installs them, runs the checks of each and its example in docs/native-doip.md, and prints a line for each check and a table. Fails when a
 * check fails or is missing; where a tool for an installation is missing, it fails with CI=true, and otherwise says so.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../../lib/util/json-types.js';
import { readPage } from '../support/doc-pages.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { CLIENTS, install, MissingTool, run, type Installed } from './installation.js';
import { Repository } from './repository.js';

/** Every client has to report each of these; it may report more. */
const CHECKS: readonly string[] = [
    'Hello', 'ListOperations', 'Create', 'Retrieve', 'Retrieve, with elements', 'an element', 'a part of an element', 'Update', 'Update of an element',
    'removal of an element', 'Delete', 'Search', 'Search for ids', 'other operations',
    'login by user name', 'login by user id', 'login by token', 'login by key', 'login as another user', 'client certificate',
    '200 operations', '200 operations on one connection', '8 threads', 'elements of 0 B, 20 KB and 5 MB', 'search with 1,000 results',
    'wrong password', 'unknown target', 'unknown operation',
    'an element that breaks off', 'bytes that break off', 'JSON that breaks off', 'the next request',
    'a restart of the service', 'an idle connection', 'an operation of 20 s', 'the documented example'
];

/** A client that takes longer hangs. */
const TIMEOUT_MS = 600_000;

/** The service that closes idle connections closes them after so many seconds. */
const IDLE_SECONDS = 3;

/** The outcome of a check. */
interface Outcome {
    readonly name: string;
    readonly result: 'ok' | 'failed' | 'cannot';
    readonly detail: string;
    readonly seconds: number;
}

/** What a program prints: the outcome of a check, or something that it wants done. */
type Line = Outcome | { readonly ask: 'restart' | 'damage' };

/** Runs the checks of a group; resolves to their outcomes. */
async function runChecks({ client, checks }: Installed, group: string, repository: Repository, config: JsonObject): Promise<readonly Outcome[]> {

    const [command = '', ...args] = checks;
    const child = spawn(command, [...args, group], {
        stdio: ['pipe', 'pipe', 'pipe'], timeout: TIMEOUT_MS, killSignal: 'SIGKILL',
        env: { ...process.env, CLIENT_CHECKS: JSON.stringify({ ...config, port: repository.port }) }
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    const outcomes: Outcome[] = [];
    for await (const text of createInterface(child.stdout)) {
        const line = parse(text);
        if (line === null) {
            errors += `${text}\n`;
        }
        else if ('ask' in line) {
            await (line.ask === 'restart' ? repository.restart() : repository.damage());
            child.stdin.write('done\n');
        }
        else {
            outcomes.push(line);
            print(client.name, line);
        }
    }

    const [code, signal] = await ended;
    if (code !== 0) {
        outcomes.push({ name: `the checks (${group})`, result: 'failed', detail: `ended with ${code ?? signal}\n${errors}`, seconds: 0 });
        print(client.name, outcomes.at(-1)!);
    }

    return outcomes;
}

/** A line of the protocol; null for anything else that a client prints. */
function parse(text: string): Line | null {

    try {
        return JSON.parse(text) as Line;
    }
    catch {
        return null;
    }
}

function print(client: string, { name, result, detail, seconds }: Outcome): void {

    const columns = [(result === 'failed' ? 'FAILED' : result).padEnd(6), client.padEnd(16), `${seconds.toFixed(1)} s`.padStart(7), name];
    console.log(columns.join('  ') + (detail === '' ? '' : `: ${detail.trim().replaceAll('\n', '\n    ')}`));
}

/** Runs the example of a client in the documentation, for the service of the checks. */
async function runExample({ client, example }: Installed, repository: Repository): Promise<Outcome> {

    const started = performance.now();
    const block = readPage('docs/native-doip.md').blocks.find(({ options }) => options.get('client') === client.name);
    const folder = await mkdtemp(join(tmpdir(), 'client-example-'));
    try {
        const file = join(folder, client.language === 'java' ? 'Example.java' : 'example.py');
        await writeFile(file, (block?.text ?? '').replaceAll(/\b9000\b/g, `${repository.port}`).replaceAll(/\bPASSWORD\b/g, ADMIN_PASSWORD));
        const [command = '', ...args] = example;
        const { code, output } = await run(command, [...args, file], { cwd: folder });
        const isRight = code === 0 && output.includes('A map');
        return {
            name: 'the documented example', result: isRight ? 'ok' : 'failed', detail: isRight ? '' : `ended with ${code}\n${output}`,
            seconds: (performance.now() - started) / 1000
        };
    }
    finally {
        await rm(folder, { recursive: true });
    }
}

/** All checks of the clients. What is idle or waits is checked of all at the same time, and beside the others. */
async function checkAll(clients: readonly Installed[]): Promise<ReadonlyMap<string, readonly Outcome[]>> {

    const [repository, impatient] = await Promise.all([Repository.start(), Repository.start({ DOIP_IDLE_SECONDS: `${IDLE_SECONDS}` })]);
    try {
        const config = await repository.fill();
        const waits = Promise.all(clients.map((client) => runChecks(client, 'waits', impatient, { ...config, idleSeconds: IDLE_SECONDS })));
        const outcomes: Outcome[][] = [];
        for (const client of clients) {
            const example = await runExample(client, repository);
            print(client.client.name, example);
            outcomes.push([example, ...await runChecks(client, 'calls', repository, config)]);
        }

        const later = await waits;
        return new Map(clients.map(({ client }, index) => [client.name, [...outcomes[index] ?? [], ...later[index] ?? []]]));
    }
    finally {
        await Promise.all([repository.stop(), impatient.stop()]);
    }
}

/** A row for each check, a column for each client. */
function printTable(outcomes: ReadonlyMap<string, readonly Outcome[]>): void {

    const more = [...outcomes.values()].flat().map(({ name }) => name).filter((name) => !CHECKS.includes(name));
    const words = { ok: 'ok', cannot: '–', failed: 'FAILED' };
    const rows = [...CHECKS, ...new Set(more)].map((check) => [check, Object.fromEntries([...outcomes].map(([client, of]) => {

        const outcome = of.find(({ name }) => name === check);
        return [client, outcome ? words[outcome.result] : CHECKS.includes(check) ? 'MISSING' : ''];
    }))] as const);
    console.table(Object.fromEntries(rows));
}

async function main(): Promise<number> {

    const { positionals } = parseArgs({ allowPositionals: true });
    const wanted = CLIENTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    const missing: string[] = [];
    const installed: Installed[] = [];
    for (const client of wanted) {
        try {
            installed.push(await install(client));
        }
        catch (error) {
            if (!(error instanceof MissingTool)) {
                throw error;
            }

            missing.push(`${client.name}: NOT TESTED: ${error.message}`);
        }
    }

    const outcomes = installed.length > 0 ? await checkAll(installed) : new Map<string, readonly Outcome[]>();
    if (outcomes.size > 0) {
        printTable(outcomes);
    }

    const all = [...outcomes.values()].flat();
    const failed = all.filter(({ result }) => result === 'failed').length;
    const unreported = [...outcomes.values()].flatMap((of) => CHECKS.filter((check) => !of.some(({ name }) => name === check))).length;
    missing.forEach((text) => console.log(text));
    console.log(`published clients: ${installed.length}, checks that passed: ${all.filter(({ result }) => result === 'ok').length}, ` +
        `failed: ${failed}, missing: ${unreported}, not possible with the client: ${all.filter(({ result }) => result === 'cannot').length}`);
    const isFailure = failed > 0 || unreported > 0 || installed.length === 0 || (missing.length > 0 && process.env['CI'] === 'true');
    return isFailure ? 1 : 0;
}

void main().then((code) => {

    process.exitCode = code;
}, (error: unknown) => {

    console.error(error);
    process.exitCode = 1;
});
