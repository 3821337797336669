/**
 * Builds and tests, as `npm test` does.
 *
 *     node test/run.mjs                       compile, lint, start a private MariaDB, run most tests, several files at a time
 *     node test/run.mjs --all                 all tests, as `.ci/run` does on a bare machine: also browsers, engines, pages, kills and outages
 *     node test/run.mjs test/db test/x.ts     compile and run these folders and files only, without lint
 *     node test/run.mjs --no-mysql            SQLite only
 *     node test/run.mjs --built               run what is compiled already
 *     node test/run.mjs --parts FILE…         run these files and folders as in a whole run: in random order, several at a time; with --unit beside the unit tests
 *     node test/run.mjs --one-way FILE…       each suite in one of its ways, such as on one database, as without arguments; those of db and lib/stores in all
 *     node test/run.mjs --unit                compile and run what needs no MariaDB and starts no service, without what takes long
 *     node test/run.mjs test/db -- -v -g lock    hand options after -- to lab
 *
 * TEST_MYSQL_URL names a server to use instead of a private one. With CI=true a run without MariaDB fails.
 * Temporary files go to TMPDIR; without it to memory, where there is enough.
 * The last line is what lab counted: `N passed, M failed`.
 */

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMariadb, startMariadb } from './support/mariadb.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const TESTS = join(ROOT, 'dist/test');
const SUPPORT = join(TESTS, 'support');

const LAB = '@hapi/lab/bin/lab';

const CI = process.env.CI === 'true';

const SIGNALS = ['SIGINT', 'SIGTERM'];

/** Set by a signal. */
let isStopped = false;

/** Databases are made and dropped all the time; in memory that is ten times as fast. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED = 2 * 1024 ** 3;

/** Folders without tests. */
const TOOLS = ['dist/test/support/', 'dist/test/bench/', 'dist/test/resilience/programs/', 'dist/test/clients/'];

/** Parts that are run at a time: one more than cores, as tests wait for processes, timers and databases. With two more a whole run takes no less time. */
const AT_A_TIME = availableParallelism() + 1;

/** A part has this share of the files that are left, but not fewer than `LEAST_FILES`: each loads the service anew, and all shall end at the same time. */
const SHARE = 1 / (3 * AT_A_TIME);
const LEAST_FILES = 3;

/** Folders whose tests take long, as they start processes: they are run first. */
const SLOW = ['dist/test/resilience/', 'dist/test/examples/', 'dist/test/ui/', 'dist/test/interface/'];

/**
 * Folders and files that a run without `--all` leaves to CI: kills, outages, full disks and hostile clients; the pages of the documentation;
 * commands, each a process of its own; and files that take ten seconds and more of processor time or of waiting.
 */
const LEFT_TO_ALL = [
    'dist/test/resilience/',
    'dist/test/examples/',
    'dist/test/lib/cli/',
    'dist/test/interface/batch-hooks.js',
    'dist/test/interface/health.js',
    'dist/test/interface/native-doip-connections.js',
    'dist/test/interface/payload-texts.js',
    'dist/test/interface/search-code-limits.js',
    'dist/test/interface/start.js',
    'dist/test/interface/worker-forwarding.js',
    'dist/test/interface/workers.js',
    'dist/test/lib/jobs/processes.js',
    'dist/test/lib/metrics/metrics.js',
    'dist/test/lib/metrics/values.js',
    'dist/test/lib/operations/search/highest-safe-txn-id.js',
    'dist/test/lib/scripting/callers.js',
    'dist/test/lib/scripting/hooks/auth-config-hooks.js',
    'dist/test/lib/scripting/hooks/crowded-hooks.js',
    'dist/test/lib/scripting/limits.js',
    'dist/test/lib/scripting/pool/many-items.js',
    'dist/test/lib/scripting/writing-code.js',
    'dist/test/lib/server/limits.js'
];

/** A run without `--all` has each suite in one of its ways, by chance, such as on one database; these, which have SQL, in all. */
const IN_ALL_WAYS = ['dist/test/db/', 'dist/test/lib/stores/'];

/** Tests elsewhere that reach one of these by their imports, such as those in a browser, are left to it as well. */
const ENGINES = /support\/(opensearch|s3|browser|small-disk|oidc-provider|login-provider)\.js$/;

/** Where unit tests are; they mirror the tree. */
const UNIT = ['dist/test/lib/', 'dist/test/db/', 'dist/test/translators/'];

/** Tests that reach one of these by their imports start the service or another program, so they are no unit tests. */
const PROCESSES = /support\/(process|command|opensearch|s3)\.js$/;

/** Tests of single parts that are no unit tests either: MySQL's, and those that take more than about two seconds of processor time. */
const NOT_UNIT = [
    'db/engines/mysql/database',
    'db/engines/mysql/group-commit',
    'lib/bulk/random-uploads',
    'lib/bulk/upload/upload-service',
    'lib/growth',
    'lib/handles/handle-registration',
    'lib/identity/login-crowd',
    'lib/operations/objects/search-rights',
    'lib/operations/search/highest-safe-txn-id',
    'lib/operations/search/reindex-batch',
    'lib/operations/search/search',
    'lib/operations/versions/shared-bytes',
    'lib/payloads/text-extractor',
    'lib/scripting/callers',
    'lib/scripting/changing-code',
    'lib/scripting/hooks/auth-config-hooks',
    'lib/scripting/idle-threads',
    'lib/scripting/limits',
    'lib/scripting/pool/many-items',
    'lib/scripting/renamed-types',
    'lib/scripting/thread-loss',
    'lib/scripting/writing-code',
    'lib/search/caller-turns',
    'lib/search/docset/doc-id-set',
    'lib/search/hostile',
    'lib/search/index-forms',
    'lib/search/indexing/segment-leases',
    'lib/search/merging',
    'lib/search/overtaking-rounds',
    'lib/search/query/rewriter',
    'lib/search/recovery',
    'lib/search/reindexer',
    'lib/search/runtime/change-log-tailer',
    'lib/search/runtime/index-supervisor',
    'lib/search/runtime/inline-search',
    'lib/search/runtime/preemption',
    'lib/search/runtime/shared-snapshot',
    'lib/search/searcher/index-searcher',
    'lib/search/searcher/single-term-search',
    'translators/http/request/reading-time'
].map((file) => `dist/test/${file}.js`);

/** A test that takes longer hangs. Much more than any takes on a quiet machine, because the machine may be busy. */
const TEST_MS = 300_000;

/** Globals that playwright-core and CodeMirror leave. */
const IGNORED_GLOBALS = '__zod_globalConfig,__zod_globalRegistry,awslambda,Symbol(signal-exit emitter),Symbol(ͼ)';

/** How many of the slowest tests a whole run shows. */
const SLOWEST = 40;

/** Splits the command line into our switches, paths, and what lab gets. */
function parseArguments(args) {

    const end = args.indexOf('--');
    const ours = end === -1 ? args : args.slice(0, end);
    return {
        mysql: !ours.includes('--no-mysql') && !ours.includes('--unit'),
        unit: ours.includes('--unit'),
        all: ours.includes('--all'),
        built: ours.includes('--built'),
        parts: ours.includes('--parts'),
        way: ours.includes('--one-way'),
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
    // What runs before the tests is not measured.
    const env = { ...process.env, NODE_V8_COVERAGE: undefined };
    return await exit(spawn('npm', ['run', '--silent', script], { cwd: ROOT, stdio: 'inherit', env }));
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
    return text === '' ? { passed: 0, failed: 1, leaks: 0, failures: [], slowest: [], costs: {} } : JSON.parse(text);
}

/** A seed for the order of tests. */
function newSeed() {

    return randomInt(1_000_000);
}

/** Runs lab once; resolves to what it counted, its exit code and, when it does not print by itself, what it printed. */
async function runLab(paths, options, url, { prints = true, seed = newSeed(), oneWay = false } = {}) {

    const folder = await mkdtemp(join(tmpdir(), 'doip-gateway-counts-'));
    const file = join(folder, 'counts.json');
    try {
        const args = [
            ...paths, '-m', `${TEST_MS}`, '-I', IGNORED_GLOBALS, '--shuffle', ...(options.includes('--seed') ? [] : ['--seed', `${seed}`]),
            '-r', 'console', '-o', 'stdout', '-r', './test/support/counts-reporter.cjs', '-o', file, ...options
        ];
        const env = { ...process.env, TEST_MYSQL_URL: url, TEST_ONE_WAY: oneWay ? `${seed}` : '' };
        const { code, output } = prints ? { code: await tool('lab', LAB, args, env), output: '' } : await quietTool(LAB, args, env);
        return { ...await readCounts(file), code, output };
    }
    finally {
        await rm(folder, { recursive: true, force: true });
    }
}

/**
 * Lints while other things go on; resolves to the exit code, with what it printed. `isQuick` leaves out files that have not changed since they were
 * linted, though types that they import may have.
 */
async function lint(isQuick) {

    const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/'];
    const { code, output } = await quietTool('eslint/bin/eslint.js', ['.', ...isQuick ? cache : []]);
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

/** Those of them that are unit tests. */
async function unitFiles() {

    const known = new Map();
    const isTool = (name) => PROCESSES.test(name);
    const startsProcess = (imports, file) => imports.some(isTool) || imports.includes('node:child_process') && !file.startsWith(SUPPORT);
    const isUnit = (file) => UNIT.some((folder) => file.startsWith(folder)) && !NOT_UNIT.includes(file) && !reaches(join(ROOT, file), startsProcess, known);
    return (await testFiles()).filter(isUnit);
}

/** Those of all but the ones that are left to a run of all. */
async function filesOfChange() {

    const known = new Map();
    const usesEngine = (imports) => imports.some((name) => ENGINES.test(name));
    const isLeft = (file) => LEFT_TO_ALL.some((path) => file.startsWith(path)) || reaches(join(ROOT, file), usesEngine, known);
    const files = (await testFiles()).filter((file) => !isLeft(file));
    return [...files.filter((file) => !isInAllWays(file)), ...files.filter(isInAllWays)];
}

/** The files of a run in parts: those that are named, unit tests if they are wanted, all, or those of a change. */
async function filesFor({ unit, all, paths }) {

    if (paths.length === 0) {
        return unit ? await unitFiles() : all ? await testFiles() : await filesOfChange();
    }

    const files = await testFiles();
    const named = paths.flatMap((path) => {

        const name = compiled(path);
        const found = files.filter((file) => file === name || file.startsWith(`${name}/`));
        if (found.length === 0) {
            throw new Error(`there is no test ${path}`);
        }

        return found;
    });
    const units = unit ? await unitFiles() : [];
    const wanted = new Set([...named, ...units]);
    return files.filter((file) => wanted.has(file));
}

/**
 * Tells whether a test, or a module of the tests that it imports, fulfils a condition by its imports: packages by name, modules of the tests by
 * their path. `known` has the results so far.
 */
function reaches(file, condition, known) {

    if (!known.has(file)) {
        known.set(file, false);
        const imports = [...readFileSync(file, 'utf8').matchAll(/require\("([^"]+)"\)/g)]
            .map(([, name]) => (name.startsWith('.') ? join(dirname(file), name) : name));
        const ours = imports.filter((name) => name.startsWith(TESTS) && existsSync(name));
        known.set(file, condition(imports, file) || ours.some((name) => reaches(name, condition, known)));
    }

    return known.get(file);
}

/**
 * Runs all tests in parts, several at a time; resolves to the counts of all together. One of those who run parts begins when `first`
 * has ended.
 */
async function runParts(files, url, { first, oneWay }) {

    const sum = { passed: 0, failed: 0, leaks: 0, code: 0 };
    const slowest = [];
    const failures = [];
    const costs = new Map();
    let done = 0;
    console.log(`\n> lab, ${files.length} files`);
    await Promise.all(Array.from({ length: AT_A_TIME }, async (_, runner) => {

        await (runner === 0 ? first : null);
        while (files.length > 0 && !isStopped) {
            const part = nextPart(files);
            const seed = newSeed();
            const isSampled = oneWay && !isInAllWays(part[0]);
            const { output, ...counts } = await runLab(part, [], url, { prints: false, seed, oneWay: isSampled });
            Object.keys(sum).forEach((key) => {

                sum[key] += counts[key];
            });
            slowest.push(...counts.slowest);
            failures.push(...counts.failures);
            Object.entries(counts.costs).forEach(([group, ms]) => costs.set(group, (costs.get(group) ?? 0) + ms));
            done += part.length;
            console.log(counts.code === 0 ? `${done} files done, ${sum.passed} tests passed` :
                `${output}\nto repeat: ${isSampled ? `TEST_ONE_WAY=${seed} ` : ''}npx lab -m ${TEST_MS} --shuffle --seed ${seed} ${part.join(' ')}`);
        }
    }));
    printSlowest(slowest);
    printCosts(costs);
    printFailures(failures);
    return sum;
}

/** Takes the files of the next part, either such that run in all ways or others. */
function nextPart(files) {

    const most = Math.max(LEAST_FILES, Math.ceil(files.length * SHARE));
    const other = files.findIndex((file) => isInAllWays(file) !== isInAllWays(files[0]));
    return files.splice(0, other === -1 ? most : Math.min(most, other));
}

function isInAllWays(file) {

    return IN_ALL_WAYS.some((folder) => file.startsWith(folder));
}

/** Shows where the time went. */
function printSlowest(tests) {

    console.log('\nslowest tests:');
    tests.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST).forEach(({ title, ms }) => console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${title}`));
}

/** Shows where the processor time went, without that of MariaDB, and of processes that were left to their own. */
function printCosts(costs) {

    const sum = [...costs.values()].reduce((total, ms) => total + ms, 0);
    console.log(`\nmost processor time, of ${(sum / 1000).toFixed(0)} s:`);
    [...costs].sort(([, a], [, b]) => b - a).slice(0, SLOWEST).forEach(([group, ms]) => console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${group}`));
}

/** Shows what has failed, as it is far above when much was printed since. */
function printFailures(titles) {

    if (titles.length > 0) {
        console.log(`\nfailed tests:\n${titles.map((title) => `  ${title}`).join('\n')}`);
    }
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
    // Services of tests that run at the same time would compete for the default port.
    process.env.DOIP_PORT ??= '';
    const { mysql, unit, all, built, parts, way, paths, lab } = parseArguments(process.argv.slice(2));
    const whole = paths.length === 0;
    // Takes one core for as long as the build and a part of the tests.
    const linting = whole && !unit && existsSync(join(ROOT, 'eslint.config.js')) ? lint(!all) : Promise.resolve(0);
    if (!built && await npm('build') !== 0) {
        await linting;
        return 1;
    }

    const server = await database(mysql);
    try {
        const counts = (whole || parts) && lab.length === 0 ?
            await runParts(await filesFor({ unit, all, paths }), server.url, { first: linting, oneWay: way || whole && !all && !unit }) :
            await runLab(whole ? ['dist/test'] : paths.map(compiled), lab, server.url);
        if (server.url === '' && !unit) {
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

// Signals end the tools that are running, and no further part begins; then the server is stopped as usual.
const stopParts = () => {

    isStopped = true;
};

SIGNALS.forEach((signal) => process.on(signal, stopParts));

process.exitCode = await main();
