/**
 * Installs the published clients, with all versions fixed, below `node_modules/.cache`: from PyPI by pip into a virtual environment each,
 * from Maven Central by Maven. What is there already is used again.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from '../support/doc-pages.js';

const SOURCES = join(ROOT, 'test/clients');
const CACHE = join(ROOT, 'node_modules/.cache/published-clients');

/** A published client. */
export interface Client {
    readonly name: string;
    readonly language: 'python' | 'java';
    /** The program with its checks, beside this file; of Java the class. */
    readonly checks: string;
}

/** An installed client. */
export interface Installed {
    readonly client: Client;
    /** Command and arguments that run its checks, but for the group. */
    readonly checks: readonly string[];
    /** The same for an example, but for its file. */
    readonly example: readonly string[];
}

/** Something that has to be on the machine is not. */
export class MissingTool extends Error {}

/** How a command ended. */
export interface Ran {
    readonly code: number | null;
    readonly output: string;
}

/** The clients, each with checks in its own language. */
export const CLIENTS: readonly Client[] = [
    { name: 'cnri-doip-client', language: 'python', checks: 'python/cnri_client.py' },
    { name: 'doip-sdk', language: 'python', checks: 'python/doip_sdk_client.py' },
    { name: 'doipy', language: 'python', checks: 'python/doipy_client.py' },
    { name: 'net.dona.doip', language: 'java', checks: 'SdkClient' }
];

/** Installs a client. @throws MissingTool */
export function install(client: Client): Promise<Installed> {

    return client.language === 'python' ? installPython(client) : installJava(client);
}

/** Runs a command to its end; what it prints comes as one text. */
export async function run(command: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Ran> {

    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {

            output += chunk.toString();
        });
    }

    try {
        const [code] = await once(child, 'close') as [number | null];
        return { code, output };
    }
    catch (error) {
        // There is no such command.
        return { code: null, output: String(error) };
    }
}

async function mustRun(command: string, args: readonly string[]): Promise<void> {

    const { code, output } = await run(command, args);
    if (code !== 0) {
        throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.slice(-4000)}`);
    }
}

/** The folder of what the texts describe. It is made unless it is there and complete. */
async function cached(name: string, texts: readonly string[], make: (folder: string) => Promise<void>): Promise<string> {

    const folder = join(CACHE, `${name}-${createHash('sha256').update(JSON.stringify([CACHE, ...texts])).digest('hex').slice(0, 12)}`);
    const mark = join(folder, '.complete');
    if (!existsSync(mark)) {
        console.log(`installing ${name}`);
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder, { recursive: true });
        await make(folder);
        await writeFile(mark, '');
    }

    return folder;
}

async function installPython(client: Client): Promise<Installed> {

    const python = await findPython();
    const requirements = join(SOURCES, 'python', `${client.name}.txt`);
    const folder = await cached(client.name, [python, readFileSync(requirements, 'utf8')], async (target) => {

        await mustRun(python, ['-m', 'venv', target]);
        // The file names every package there is to install.
        await mustRun(join(target, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements]);
    });
    const program = join(folder, 'bin/python');
    return { client, checks: [program, '-B', join(SOURCES, client.checks)], example: [program] };
}

let found: Promise<string> | undefined;

function findPython(): Promise<string> {

    found ??= searchPython();
    return found;
}

/** A Python that the newest of the clients runs on, with the module that makes virtual environments. */
async function searchPython(): Promise<string> {

    for (const candidate of pythons()) {
        // The commands of pyenv are there, and fail, for versions that are installed but not chosen.
        const { code } = await run(candidate, ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))']);
        if (code === 0) {
            return candidate;
        }
    }

    throw new MissingTool('the Python clients need Python 3.12 or newer with the modules venv and ensurepip; PYTHON may name it');
}

function pythons(): readonly string[] {

    const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
    const byPyenv = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin/python3')) : [];
    return [
        ...process.env['PYTHON'] ? [process.env['PYTHON']] : [],
        'python3.12', ...byPyenv.filter((path) => path.includes('/3.12.')), 'python3', 'python3.13', 'python3.14', ...byPyenv
    ];
}

async function installJava(client: Client): Promise<Installed> {

    for (const tool of ['mvn', 'javac', 'java']) {
        if ((await run(tool, ['-version'])).code !== 0) {
            throw new MissingTool(`the Java client needs a JDK and Maven: there is no ${tool}`);
        }
    }

    const pom = join(SOURCES, 'java/pom.xml');
    const jars = await cached(client.name, [readFileSync(pom, 'utf8')], (target) =>
        mustRun('mvn', ['--quiet', '--batch-mode', '--file', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${target}`]));
    const classes = join(CACHE, 'classes');
    await rm(classes, { recursive: true, force: true });
    await mkdir(classes, { recursive: true });
    const path = `${jars}/*`;
    const sources = readdirSync(join(SOURCES, 'java')).filter((name) => name.endsWith('.java')).map((name) => join(SOURCES, 'java', name));
    await mustRun('javac', ['-cp', path, '-d', classes, '-encoding', 'UTF-8', ...sources]);
    return { client, checks: ['java', '-cp', [path, classes].join(delimiter), client.checks], example: ['java', '-cp', path] };
}
