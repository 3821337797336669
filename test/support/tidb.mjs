/**
 * A TiDB server of one's own, for the time of a test run: one process with an embedded store in a temporary folder. So SQL and transactions
 * are those of TiDB; what is distributed is not.
 *
 * The program is the one that TIDB_SERVER names, `tidb-server` in the PATH, or one that is compiled from the modules of Go and kept by its
 * version in the cache folder: that takes about ten minutes of two processors, 4 GB of disk and Go 1.23 or newer.
 * As a program (`node test/support/tidb.mjs`) it prints the URL and runs until it is interrupted; with `--build` it only builds.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collect, freePort, runAsProgram, startDatabaseServer } from './database-server.mjs';

const START_TIMEOUT_MS = 120_000;

/** Between 8.4 and 8.5; releases are no versions of a Go module, because their major version is not in its name. */
const MODULE = 'github.com/pingcap/tidb';
const REVISION = '20241125141335-ec8b81b98edc';
const VERSION = `v1.1.0-beta.0.${REVISION}`;

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'doip-gateway', `tidb-${REVISION}`);

/** Places of programs; Go is often in a folder that is not in the PATH. */
function find(name) {

    const folder = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin'].find((candidate) => existsSync(join(candidate, name)));
    return folder === undefined ? null : join(folder, name);
}

/** Returns the path of a `tidb-server`, which may have to be compiled first. */
export async function tidbServer() {

    const given = process.env.TIDB_SERVER ?? find('tidb-server');
    if (given) {
        return given;
    }

    const built = join(CACHE, 'tidb-server');
    if (!existsSync(built)) {
        await build(built);
    }

    return built;
}

/** Compiles the server, with one package at a time, so that other work on the machine goes on. */
async function build(target) {

    const go = find('go');
    if (go === null) {
        throw new Error('there is no tidb-server in the PATH, and no Go to build it with: install one of them, or name the program in TIDB_SERVER');
    }

    console.log(`building tidb-server ${REVISION}, which takes some minutes`);
    const folder = await mkdtemp(join(tmpdir(), 'doip-gateway-tidb-build-'));
    const env = { ...process.env, GOFLAGS: '-mod=mod -p=1', GOWORK: 'off' };
    const run = async (...args) => {

        const child = spawn(find('nice') ?? go, [...find('nice') === null ? [] : ['-n', '15', go], ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
        const output = collect(child.stdout);
        const [code] = await once(child, 'close');
        if (code !== 0) {
            throw new Error(`go ${args.join(' ')} ended with ${code}`);
        }

        return output();
    };

    try {
        await writeFile(join(folder, 'go.mod'), `module doip-gateway/tidb-server\n\ngo 1.23\n\nrequire ${MODULE} ${VERSION}\n`);
        const { GoMod: path } = JSON.parse(await run('mod', 'download', '-json', `${MODULE}@${VERSION}`));
        await writeFile(join(folder, 'go.mod'), `module doip-gateway/tidb-server\n\ngo 1.23\n\nrequire ${MODULE} ${VERSION}\n\n${replacements(await readFile(path, 'utf8'))}\n`);
        // Never compiled: it makes the program one that is needed.
        await writeFile(join(folder, 'needed.go'), `//go:build needed\n\npackage main\n\nimport _ "${MODULE}/cmd/tidb-server"\n`);
        await run('mod', 'tidy', '-e');
        const version = `-X ${MODULE}/pkg/parser/mysql.TiDBReleaseVersion=v8.5.0-alpha`;
        await run('build', '-ldflags', `-s -w ${version}`, '-o', join(folder, 'tidb-server'), `${MODULE}/cmd/tidb-server`);
        await mkdir(CACHE, { recursive: true });
        await copyFile(join(folder, 'tidb-server'), `${target}.${process.pid}`);
        await rename(`${target}.${process.pid}`, target);
    }
    finally {
        await rm(folder, { recursive: true, force: true });
    }
}

/** The replacements of TiDB's own modules, which count only in its own build; its parser is a module beside it. */
function replacements(goMod) {

    const [block = ''] = /^replace \([^)]*\)/m.exec(goMod) ?? [];
    return block.replace('=> ./pkg/parser', `=> ${MODULE}/pkg/parser v0.0.0-${REVISION}`);
}

/**
 * Starts a server. Resolves to its URL, with the right to do everything, and `stop()`, which removes every trace of it. In between `kill()` ends it
 * as a crash would, and `restart()` starts it again on its data.
 */
export async function startTidb() {

    const program = await tidbServer();
    const folder = await mkdtemp(join(tmpdir(), 'doip-gateway-tidb-'));
    const [port, statusPort] = [await freePort(), await freePort()];
    const url = `mysql://root@127.0.0.1:${port}`;
    // Its temporary files go to a folder named after the user and the ports.
    const options = ['-store', 'unistore', '-path', join(folder, 'data'), '-host', '127.0.0.1', '-P', `${port}`, '-status', `${statusPort}`,
        '-socket', join(folder, 'socket'), '-temp-dir', join(folder, 'temporary'), '-L', 'error', '-log-file', join(folder, 'log')
    ];
    const launch = () => spawn(program, options, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    // Nothing of its data is needed any more when it is stopped.
    return await startDatabaseServer({ name: 'TiDB', folder, url, launch, timeoutMs: START_TIMEOUT_MS, signal: 'SIGKILL' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    if (process.argv.includes('--build')) {
        console.log(await tidbServer());
    }
    else {
        runAsProgram(await startTidb());
    }
}
