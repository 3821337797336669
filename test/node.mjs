/**
 * Tests on another version of Node: those parts of the suite that depend on Node, on SQLite.
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
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Native modules, compiled for one version of Node. */
const NATIVE = 'better-sqlite3';

/**
 * Beside the unit tests: files that start the service, by what of Node they use. The other files of these folders test our own logic, which
 * is the same on each Node.
 */
const SERVICE = [
    // The command line, modules, signals, exit codes, a terminal.
    'interface/start', 'interface/failed-starts', 'interface/terminal',
    // HTTP/1.1 and HTTP/2, streams, back-pressure, broken connections, compression, TLS.
    'interface/rest-payloads', 'interface/elements', 'interface/long-bodies', 'interface/search-streams', 'interface/broken-compression',
    'resilience/hostile-clients', 'interface/native-doip', 'interface/native-doip-connections',
    // Worker threads and memory limits, the sandbox in WebAssembly, the event loop.
    'resilience/script-limits', 'resilience/hostile-code', 'resilience/thread-ends', 'interface/type-hooks', 'interface/payload-texts',
    // Cryptography, headers, URLs, texts.
    'interface/rest-auth', 'interface/login-providers', 'interface/sessions', 'resilience/hostile-strings', 'interface/numbers',
    // Crashes and files.
    'resilience/crash', 'resilience/backup-drill', 'interface/health'
].map((name) => `test/${name}.ts`);

/** The published client and the package as others use it. */
const EXAMPLES = ['test/examples/cordra-client.ts', 'test/examples/embedding.ts'];

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

/** Copies this folder, without what belongs to the machine's Node. The copy is inside of it, so each entry is copied by itself. */
async function copyTree(tree) {

    const left = new Set(['.git', 'data', 'node_modules', 'node_modules/.cache']);
    const native = join(ROOT, 'node_modules', NATIVE, 'build');
    await rm(tree, { recursive: true, force: true });
    for (const folder of ['', 'node_modules/']) {
        const entries = (await readdir(join(ROOT, folder))).map((name) => folder + name).filter((name) => !left.has(name));
        for (const entry of entries) {
            await cp(join(ROOT, entry), join(tree, entry), {
                recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter: (path) => path !== native
            });
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
    await compile({ tree, folder, env, key: `${manifest(home)} ${manifest(join(ROOT, 'node_modules', NATIVE))}` });
    if (args.includes('--prepare')) {
        return 0;
    }

    const wanted = files.length > 0 ? files : ['--unit', ...SERVICE, ...EXAMPLES];
    return await run(join(home, 'bin/node'), ['test/run.mjs', '--no-mysql', '--built', '--parts', ...wanted], { cwd: tree, env });
}

process.exitCode = await main();
