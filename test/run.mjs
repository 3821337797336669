/**
 * Builds and tests the whole, as `npm test` does; `.ci/run` does the same on a bare machine.
 *
 *     node test/run.mjs                       compile, lint, start a private MariaDB, run everything, several files at a time
 *     node test/run.mjs test/db test/x.ts     compile and run these folders and files only, without lint
 *     node test/run.mjs --no-mysql            SQLite only
 *     node test/run.mjs test/db -- -v -g lock    hand options after -- to lab
 *
 * TEST_MYSQL_URL names a server to use instead of a private one. With CI=true a run without MariaDB fails.
 * Temporary files go to TMPDIR; without it to memory, where there is enough.
 * The last line is what lab counted: `N passed, M failed`.
 */

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, statfsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMariadb, startMariadb } from './support/mariadb.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const LAB = '@hapi/lab/bin/lab';

const CI = process.env.CI === 'true';

const SIGNALS = ['SIGINT', 'SIGTERM'];

/** Databases are made and dropped all the time; in memory that is ten times as fast. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED = 2 * 1024 ** 3;

/** Folders without tests. */
const TOOLS = ['dist/test/support/', 'dist/test/bench/', 'dist/test/resilience/'];

/** Parts that are run at a time: one more than cores, as tests wait for processes, timers and databases. */
const AT_A_TIME = availableParallelism() + 1;

/** A part has this share of the files that are left, but not fewer than `LEAST_FILES`: each loads the service anew, and all shall end at the same time. */
const SHARE = 1 / (3 * AT_A_TIME);
const LEAST_FILES = 3;

/** Folders whose tests take long, as they start processes: they are run first. */
const SLOW = ['dist/test/interface/', 'dist/test/examples/'];

/** A test that takes longer hangs. Much more than any takes on a quiet machine, because the machine may be busy. */
const TEST_MS = 120_000;

/** How many of the slowest tests a whole run shows. */
const SLOWEST = 40;

/** Splits the command line into our switches, paths, and what lab gets. */
function parseArguments(args) {

    const end = args.indexOf('--');
    const ours = end === -1 ? args : args.slice(0, end);
    return {
        mysql: !ours.includes('--no-mysql'),
        paths: ours.filter((arg) => !arg.startsWith('--')),
        lab: end === -1 ? [] : args.slice(end + 1)
    };
}

/** Runs one of the installed tools with its output on ours; resolves to its exit code. */
async function tool(name, script, args, env = process.env) {

    console.log(`\n> ${name} ${args.join(' ')}`);
    return await exit(spawn(process.execPath, [join(ROOT, 'node_modules', script), ...args], { cwd: ROOT, stdio: 'inherit', env }));
}

/** Runs one of the installed tools; resolves to its exit code and what it printed. */
async function quietTool(script, args, env) {

    const child = spawn(process.execPath, [join(ROOT, 'node_modules', script), ...args], { cwd: ROOT, stdio: ['inherit', 'pipe', 'pipe'], env });
    const pieces = [];
    [child.stdout, child.stderr].forEach((stream) => stream.setEncoding('utf8').on('data', (text) => pieces.push(text)));
    return { code: await exit(child), output: pieces.join('') };
}

/** Runs a script of package.json; resolves to its exit code. */
async function npm(script) {

    console.log(`\n> npm run ${script}`);
    return await exit(spawn('npm', ['run', '--silent', script], { cwd: ROOT, stdio: 'inherit' }));
}

async function exit(child) {

    const stop = (signal) => child.kill(signal);
    SIGNALS.forEach((signal) => process.on(signal, stop));
    const [code, signal] = await once(child, 'close');
    SIGNALS.forEach((name) => process.off(name, stop));
    return code ?? (signal ? 1 : 0);
}

/** `test/db/statements.ts` → `dist/test/db/statements.js`. */
function compiled(path) {

    return join('dist', relative(ROOT, resolve(path))).replace(/\.ts$/, '.js');
}

/** A MySQL server to test with: the one given, a private one, or none. */
async function database(wanted) {

    if (!wanted) {
        return { url: '', stop() {} };
    }

    if (process.env.TEST_MYSQL_URL) {
        return { url: process.env.TEST_MYSQL_URL, stop() {} };
    }

    if (hasMariadb()) {
        return await startMariadb();
    }

    return { url: '', stop() {} };
}

/** What lab counted; when it did not come to its end, that is one failure. */
async function readCounts(file) {

    const text = existsSync(file) ? await readFile(file, 'utf8') : '';
    return text === '' ? { passed: 0, failed: 1, leaks: 0, slowest: [] } : JSON.parse(text);
}

/** A seed for the order of tests. */
function newSeed() {

    return randomInt(1_000_000);
}

/** Runs lab once; resolves to what it counted, its exit code and, when it does not print by itself, what it printed. */
async function runLab(paths, options, url, { prints = true, seed = newSeed() } = {}) {

    const folder = await mkdtemp(join(tmpdir(), 'doip-gateway-counts-'));
    const file = join(folder, 'counts.json');
    try {
        const args = [
            ...paths, '-m', `${TEST_MS}`, '--shuffle', ...(options.includes('--seed') ? [] : ['--seed', `${seed}`]),
            '-r', 'console', '-o', 'stdout', '-r', './test/support/counts-reporter.cjs', '-o', file, ...options
        ];
        const env = { ...process.env, TEST_MYSQL_URL: url };
        const { code, output } = prints ? { code: await tool('lab', LAB, args, env), output: '' } : await quietTool(LAB, args, env);
        return { ...await readCounts(file), code, output };
    }
    finally {
        await rm(folder, { recursive: true, force: true });
    }
}

/** Lints while other things go on; resolves to the exit code, with what it printed. */
async function lint() {

    const { code, output } = await quietTool('eslint/bin/eslint.js', ['.']);
    console.log(`\n> eslint .\n${output}`);
    return code;
}

/** All test files, in random order, those of slow folders first. */
async function testFiles() {

    const files = shuffled((await readdir(join(ROOT, 'dist/test'), { recursive: true })).map((name) => join('dist/test', name))
        .filter((file) => file.endsWith('.js') && !TOOLS.some((folder) => file.startsWith(folder))));
    const isSlow = (file) => SLOW.some((folder) => file.startsWith(folder));
    return [...files.filter(isSlow), ...files.filter((file) => !isSlow(file))];
}

/**
 * Runs all tests in parts, several at a time; resolves to the counts of all together. One of those who run parts begins when `first`
 * has ended.
 */
async function runParts(url, first) {

    const files = await testFiles();
    const sum = { passed: 0, failed: 0, leaks: 0, code: 0 };
    const slowest = [];
    let done = 0;
    console.log(`\n> lab, ${files.length} files`);
    await Promise.all(Array.from({ length: AT_A_TIME }, async (_, runner) => {

        await (runner === 0 ? first : null);
        while (files.length > 0) {
            const part = files.splice(0, Math.max(LEAST_FILES, Math.ceil(files.length * SHARE)));
            const seed = newSeed();
            const { output, ...counts } = await runLab(part, [], url, { prints: false, seed });
            Object.keys(sum).forEach((key) => {

                sum[key] += counts[key];
            });
            slowest.push(...counts.slowest);
            done += part.length;
            console.log(counts.code === 0 ? `${done} files done, ${sum.passed} tests passed` :
                `${output}\nto repeat: npx lab -m ${TEST_MS} --shuffle --seed ${seed} ${part.join(' ')}`);
        }
    }));
    printSlowest(slowest);
    return sum;
}

/** Shows where the time went. */
function printSlowest(tests) {

    console.log('\nslowest tests:');
    tests.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST).forEach(({ title, ms }) => console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${title}`));
}

function shuffled(items) {

    return items.map((item) => [Math.random(), item]).sort(([a], [b]) => a - b).map(([, item]) => item);
}

function useMemoryFolder() {

    if (process.env.TMPDIR === undefined && existsSync(MEMORY_FOLDER)) {
        const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
        if (bavail * bsize >= MEMORY_NEEDED) {
            process.env.TMPDIR = MEMORY_FOLDER;
        }
    }
}

async function main() {

    useMemoryFolder();
    const { mysql, paths, lab } = parseArguments(process.argv.slice(2));
    const whole = paths.length === 0;
    // Takes one core for as long as the build and a part of the tests.
    const linting = whole && existsSync(join(ROOT, 'eslint.config.js')) ? lint() : Promise.resolve(0);
    if (await npm('build') !== 0) {
        await linting;
        return 1;
    }

    const server = await database(mysql);
    try {
        const counts = whole && lab.length === 0 ?
            await runParts(server.url, linting) :
            await runLab(whole ? ['dist/test'] : paths.map(compiled), lab, server.url);
        if (server.url === '') {
            console.log('MariaDB: NOT TESTED. Install mariadb-server, or name a server in TEST_MYSQL_URL.');
        }

        const lintCode = await linting;
        if (lintCode !== 0) {
            console.log('eslint found errors, see above');
        }

        if (counts.leaks > 0) {
            console.log(`${counts.leaks} global variables leaked, see above`);
        }

        console.log(`${counts.passed} passed, ${counts.failed} failed`);
        const missing = CI && mysql && server.url === '';
        return counts.code !== 0 || counts.failed > 0 || counts.passed === 0 || lintCode !== 0 || missing ? 1 : 0;
    }
    finally {
        await server.stop();
    }
}

// Signals end the tool that is running; then the server is stopped as usual.
SIGNALS.forEach((signal) => process.on(signal, () => {}));

process.exitCode = await main();
