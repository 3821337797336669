/**
 * Tests on another version of Node: the unit tests, the interface in one way for each suite, and what else depends on Node, on SQLite; the stores and
 * some of the interface on MariaDB as well.
 *
 *     npm run test:node -- 26                       installs the newest Node 26 from npm, and tests on it
 *     npm run test:node -- 26 --prepare             installs it only, for `npm run bench:nodes`
 *     npm run test:node -- 26 test/interface/x.ts   only these files
 *
 * Everything is below node_modules/.cache/node-26: that Node, and a copy of this folder in which native modules are compiled for it.
 * The last line is what lab counted: `N passed, M failed`.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMariadb } from './support/mariadb.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Native modules, compiled for one version of Node. */
const NATIVE = 'better-sqlite3';

/** Beside the unit tests and the interface: files that depend on Node, by what of it they use. */
const OTHERS = [
    // Worker threads and memory limits, the sandbox in WebAssembly, the event loop.
    'resilience/script-limits', 'resilience/hostile-code', 'resilience/thread-ends', 'resilience/hostile-clients',
    // Regular expressions and texts; crashes and files.
    'resilience/hostile-strings', 'resilience/crash',
    // The published client, and the package as others use it.
    'examples/cordra-client', 'examples/embedding'
];

/** Files of the interface that are left to the machine's Node: OpenSearch takes more time than all others, and runs on Java. */
const NOT_AGAIN = new Set(['search-in-opensearch.ts']);

/** What depends on the driver of MariaDB and on how it waits for it; the rest is the same with either database. */
const ON_MARIADB = [
    'db/engines/mysql', 'lib/stores', ...['parity', 'rest-payloads', 'rest-search', 'batch-upload', 'quota-races'].map((name) => `interface/${name}.ts`)
];

async function run(command, args, { cwd, env = process.env }) {

    console.log(`\n> ${command} ${args.join(' ')}`);
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
    const [code] = await once(child, 'close');
    return code ?? 1;
}

async function demand(command, args, options) {

    const code = await run(command, args, options);
    if (code !== 0) {
        throw new Error(`${command} ${args[0]} failed`);
    }
}

/** Installs a version of Node from npm, which has the binaries for each system as a package; resolves to its folder. */
async function installNode(version, folder) {

    const home = join(folder, 'node_modules/node-binary');
    const wanted = `node-binary@npm:node-${process.platform}-${process.arch}@${version}`;
    await mkdir(folder, { recursive: true });
    if (!existsSync(join(home, 'bin/node'))) {
        await demand('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, wanted], { cwd: folder });
    }

    return home;
}

/** Copies this folder, without what belongs to the machine's Node. The copy is inside of it, so each entry is copied by itself; packages are linked. */
async function copyTree(tree) {

    const left = new Set(['.git', 'data', 'node_modules', 'node_modules/.cache']);
    const own = join('node_modules', NATIVE);
    await rm(tree, { recursive: true, force: true });
    for (const entry of (await readdir(ROOT)).filter((name) => !left.has(name)).concat(own)) {
        await cp(join(ROOT, entry), join(tree, entry), {
            recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter: (path) => path !== join(ROOT, own, 'build')
        });
    }

    // Nobody writes to packages, and copies of all their files would take twenty seconds of processor time.
    linkFolder(join(ROOT, 'node_modules'), join(tree, 'node_modules'), new Set(['.cache', NATIVE]));
}

/** Makes a folder with hard links to the files of another one. */
function linkFolder(from, to, left = new Set()) {

    mkdirSync(to, { recursive: true });
    const entries = readdirSync(from, { withFileTypes: true }).filter(({ name }) => !left.has(name));
    for (const entry of entries) {
        const [source, target] = [join(from, entry.name), join(to, entry.name)];
        if (entry.isDirectory()) {
            linkFolder(source, target);
        }
        else if (entry.isSymbolicLink()) {
            symlinkSync(readlinkSync(source), target);
        }
        else {
            linkSync(source, target);
        }
    }
}

/** Compiles the native modules of a tree for a Node; the result is kept for the next run. */
async function compile({ tree, folder, env, key }) {

    const target = join(tree, 'node_modules', NATIVE, 'build');
    const kept = join(folder, 'build');
    const stamp = join(folder, 'build-of');
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== key) {
        await demand('npm', ['rebuild', NATIVE, '--foreground-scripts'], { cwd: tree, env });
        await rm(kept, { recursive: true, force: true });
        await cp(join(target, 'Release', 'better_sqlite3.node'), join(kept, 'Release', 'better_sqlite3.node'));
        await writeFile(stamp, key);
    }

    await rm(target, { recursive: true, force: true });
    await cp(kept, target, { recursive: true });
}

async function main() {

    const [version = '', ...args] = process.argv.slice(2);
    if (!/^\d+(?:\.\d+){0,2}$/.test(version)) {
        console.error('name a version of Node, such as 26: npm run test:node -- 26');
        return 2;
    }

    const files = args.filter((arg) => !arg.startsWith('--'));
    const folder = join(ROOT, 'node_modules/.cache', `node-${version}`);
    const tree = join(folder, 'tree');
    await demand('npm', ['run', '--silent', 'build'], { cwd: ROOT });
    const home = await installNode(version, folder);
    // Its headers are beside it, so that nothing has to be fetched for native modules.
    const env = { ...process.env, PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`, npm_config_nodedir: home, npm_config_jobs: 'max' };
    const manifest = (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).version;
    await copyTree(tree);
    const isMeasured = args.includes('--prepare');
    // For tests alone half of the optimisation is enough, in half of the time.
    const flags = isMeasured ? {} : { CFLAGS: '-O1', CXXFLAGS: '-O1' };
    await compile({ tree, folder, env: { ...env, ...flags }, key: [manifest(home), manifest(join(ROOT, 'node_modules', NATIVE)), ...Object.values(flags)].join(' ') });
    if (isMeasured) {
        return 0;
    }

    const start = ['test/run.mjs', '--built', '--parts'];
    const test = (wanted, more = {}) => run(join(home, 'bin/node'), [...start, ...wanted], { cwd: tree, env: { ...env, ...more } });
    if (files.length > 0) {
        return await test(['--no-mysql', ...files]);
    }

    const ofInterface = (await readdir(join(tree, 'test/interface'))).filter((name) => !NOT_AGAIN.has(name)).map((name) => `test/interface/${name}`);
    const code = await test(['--unit', '--one-way', ...ofInterface, ...OTHERS.map((name) => `test/${name}.ts`)]);
    return hasMariadb() ? await test(['--one-way', ...ON_MARIADB.map((name) => `test/${name}`)], { NO_SQLITE: 'true' }) || code : code;
}

process.exitCode = await main();
