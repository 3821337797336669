/**
 * Runs a page of the documentation: its `sh` blocks in one shell, in a folder of their own, against a service that was started for
 * the page. Blocks with `file=NAME` are written to that folder where they stand.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connect } from '../../lib/client/index.js';
import { DIALECTS } from './database.js';
import type { Block, Page } from './doc-pages.js';
import { ROOT } from './doc-pages.js';
import { ADMIN_PASSWORD } from './gateway.js';
import { nativePort } from './native.js';
import { offerBinaries, packPackage } from './packed-package.js';
import { startProcess } from './process.js';
import { startServer } from './server.js';

/** What pages write for the address and the administrator's password of a service. */
const SHOWN_ADDRESS = '127.0.0.1:8080';
const SHOWN_NATIVE_ADDRESS = '127.0.0.1:9000';
const SHOWN_PASSWORD = /\bPASSWORD\b/g;

const CLI = join(ROOT, 'dist/bundle/main.js');

/** An installation of the package. */
const INSTALLATION = /^npm install .*\bdoip-gateway(?: |$)/m;

/** How a block ended. */
export interface BlockRun {
    readonly block: Block;
    /** The block that shows the answer; undefined when none does. */
    readonly answer: Block | undefined;
    readonly code: number;
    readonly out: string;
    readonly error: string;
    /** HTTP statuses of the requests by curl. */
    readonly statuses: readonly number[];
    /** The module of Python that the block needs and that is missing here, so that it was not run; undefined when it was. */
    readonly missing: string | undefined;
}

/** True for a page with something to run. */
export function isRunnable({ blocks }: Page): boolean {

    return blocks.some(({ language }) => language === 'sh');
}

/** The block after a command that shows its answer. */
export function answerOf({ blocks }: Page, command: Block): Block | undefined {

    const next = blocks[blocks.indexOf(command) + 1];
    return next?.isAdjacent && ['json', 'http', 'text'].includes(next.language) && !next.options.has('file') ? next : undefined;
}

/** Runs a page on a fresh service. */
export async function runPage(page: Page): Promise<readonly BlockRun[]> {

    const folder = await mkdtemp(join(tmpdir(), 'gateway-docs-'));
    const service = await startFor(page);
    const { host } = new URL(service.url);
    try {
        await prepare(folder);
        if (page.blocks.some(({ language, text }) => language === 'sh' && INSTALLATION.test(text))) {
            await prepareNpm(folder);
        }

        const script = scriptOf(page).replaceAll(SHOWN_ADDRESS, host).replaceAll(SHOWN_NATIVE_ADDRESS, service.native)
            .replaceAll(SHOWN_PASSWORD, ADMIN_PASSWORD);
        const failure = await shell(folder, script, service.dataDir);
        const commands = page.blocks.filter(({ language }) => language === 'sh');
        return await Promise.all(commands.map(async (block) => {

            const output = async (name: string): Promise<string> => {

                const text = await readFile(join(folder, '.run', `${block.line}.${name}`), 'utf8').catch(() => '');
                return text.replaceAll(host, SHOWN_ADDRESS);
            };

            const error = await output('error');
            return {
                block, error: error.replaceAll(/^HTTP \d+\n/gm, '') + failure, out: await output('out'), answer: answerOf(page, block),
                code: Number(await output('code') || '-1'), missing: await output('missing') || undefined,
                statuses: [...error.matchAll(/^HTTP (\d+)$/gm)].map(([, status]) => Number(status))
            };
        }));
    }
    finally {
        await service.stop();
        await rm(folder, { recursive: true });
    }
}

/** A service in this process, which starts faster; in a process of its own where the page uses the command line beside it. */
async function startFor({ blocks }: Page): Promise<{ url: string; native: string; dataDir: string | undefined; stop: () => Promise<void> }> {

    const settings = Object.fromEntries(blocks.filter(({ options }) => options.has('service'))
        .flatMap(({ text }) => text.split('\n')).map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]));
    if (!blocks.some(({ language, text }) => language === 'sh' && text.includes('npx doip-gateway'))) {
        const server = await startServer({ DOIP_PORT: 0, ...settings });
        return { url: server.url, native: `127.0.0.1:${nativePort(server)}`, dataDir: server.config.storage.dataDir, stop: () => server.stop() };
    }

    const database = await DIALECTS[0]!.create();
    const service = await startProcess(database, { DOIP_PORT: '0', ...settings });
    const { attributes } = await connect(service.url).hello() as unknown as { attributes: { port: number } };
    return {
        url: service.url, native: `127.0.0.1:${attributes.port}`, dataDir: database.options.dataDir,
        async stop() {

            await service.stop();
            await database.dispose();
        }
    };
}

/** What a page gets to see of this machine: our packages, the command line, this Node, and a curl that reports each status
 * on standard error and ends each answer with a new line. */
async function prepare(folder: string): Promise<void> {

    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules', 'doip-gateway'));
    await symlink(join(ROOT, 'node_modules', '@cnri'), join(folder, 'node_modules', '@cnri'));
    const tools = join(folder, '.run');
    await mkdir(tools);
    const programs = {
        node: `exec "${process.execPath}" "$@"`,
        curl: 'PATH="$REAL_PATH" exec curl -sS -w "%{stderr}HTTP %{http_code}\\n%{stdout}\\n" "$@"',
        npx: `[ "$1" = doip-gateway ] || { echo "npx $1 is not available to pages" >&2; exit 1; }; shift; exec "${process.execPath}" "${CLI}" "$@"`
    };
    await Promise.all(Object.entries(programs).map(([name, text]) => writeProgram(join(tools, name), text)));
}

async function writeProgram(path: string, text: string): Promise<void> {

    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
}

/** An npm that installs what this folder packs in place of `doip-gateway` of the registry, and everything else as it is. */
async function prepareNpm(folder: string): Promise<void> {

    const tarball = await packPackage(join(folder, '.run'));
    await offerBinaries(folder);
    await writeProgram(join(folder, '.run', 'npm'), `for word; do
    shift
    [ "$word" != doip-gateway ] || word='${tarball}'
    set -- "$@" "$word"
done
export npm_config_prefer_offline=true npm_config_update_notifier=false
PATH="$REAL_PATH" exec npm "$@"`);
}

/** All blocks of a page as one script, so that variables last to its end. */
function scriptOf({ blocks }: Page): string {

    return blocks.flatMap(({ language, options, text, line }) => {

        const file = options.get('file');
        if (file !== undefined) {
            return [`cat > '${file}' <<'END_OF_FILE'`, text, 'END_OF_FILE'];
        }

        const run = ['{', text, `} > "$RUN"/${line}.out 2> "$RUN"/${line}.error`, `echo $? > "$RUN"/${line}.code`];
        const needs = options.get('needs');
        return language !== 'sh' ? [] : needs === undefined ? run :
            [`if python3 -c 'import ${needs}' 2> /dev/null; then`, ...run, 'else', `printf '${needs}' > "$RUN"/${line}.missing`, 'fi'];
    }).join('\n');
}

async function shell(folder: string, script: string, dataDir: string | undefined): Promise<string> {

    const path = process.env['PATH'] ?? '';
    const child = spawn('sh', ['-s'], {
        cwd: folder, stdio: ['pipe', 'ignore', 'pipe'],
        env: {
            ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'warn', NO_PROXY: '*', no_proxy: '*', REAL_PATH: path, RUN: join(folder, '.run'),
            PATH: [join(folder, '.run'), path].join(delimiter)
        }
    });
    let error = '';
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    child.stdin.end(script);
    await once(child, 'close');
    return error;
}
