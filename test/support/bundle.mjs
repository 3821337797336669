/**
 * Bundles the service into `dist/bundle`, which is what users run: a start loads a few files instead of a thousand.
 *
 *     main.js               the command line
 *     index.js, client.js   `doip-gateway` and `doip-gateway/client`
 *     service-HASH.js       all three, so that they share each class; with the packages in BUNDLED
 *     ….code                compiled code of it, for the Node that builds
 *     …-worker.js, worker-main.js, guest/   scripts of threads, and of the sandbox
 *     licenses.txt          those of the packages in the bundle
 *
 * The single modules in `dist/lib` are for tests, and for types.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licensesOf } from '../../ui/build.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUNDLE = join(ROOT, 'dist/bundle');

/** Dependencies of which each start needs many files. The others are loaded as they are, most of them when they are used. */
const BUNDLED = new Set([
    '@hapi/boom', '@hapi/hapi', 'ajv', 'ajv-draft-04', 'ajv-formats', 'fastest-levenshtein', 'joi', 'knex', 'lru-cache', 'lunr', 'pino', 're2js'
]);

/** Drivers that knex may load, none of which this program has. */
const DRIVERS = ['mariadb', 'mysql', 'oracledb', 'pg', 'pg-query-stream', 'sqlite3', 'tedious'];

/** Scripts of threads, which their clients find beside themselves. */
const THREADS = [
    'lib/search/runtime/search-worker.ts', 'lib/search/runtime/merge-worker.ts', 'lib/search/relay/relay-worker.ts', 'lib/search/opensearch/document-worker.ts',
    'lib/payloads/text-worker.ts', 'lib/scripting/sandbox/worker-main.ts',
    'db/engines/sqlite/writer-worker.ts'
];

/** Modules that are loaded before the bundle, and without it. */
const LOADERS = ['lib/cli/node-version.ts', 'lib/util/code-cache.ts'];

const SERVICE = `
exports.commandLine = () => require('./lib/cli/main.ts');
exports.library = () => require('./lib/index.ts');
exports.client = () => require('./lib/client/index.ts');
`;

/** The grammar of queries is compiled by peggy. */
const compiledGrammar = {
    name: 'compiled-grammar',
    setup(build) {

        build.onResolve({ filter: /\/grammar\.js$/ }, () => ({ path: join(ROOT, 'dist/lib/search/query/grammar.js') }));
    }
};

/** Bundles; throws after esbuild has shown what is wrong. */
export async function buildBundle() {

    const { build } = await import('esbuild');
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const options = {
        absWorkingDir: ROOT, outdir: BUNDLE, bundle: true, platform: 'node', format: 'cjs', target: 'node20.12', sourcemap: true, metafile: true,
        logLevel: 'warning', tsconfigRaw: {}, plugins: [compiledGrammar],
        external: [...Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !BUNDLED.has(name)), ...DRIVERS]
    };
    rmSync(BUNDLE, { recursive: true, force: true });
    mkdirSync(BUNDLE, { recursive: true });
    const [service, threads] = await Promise.all([
        // `service` has a name by its content, as compiled code belongs to this content alone.
        build({ ...options, stdin: { contents: SERVICE, resolveDir: ROOT, sourcefile: 'service.js' }, entryNames: 'service-[hash]' }),
        build({ ...options, entryPoints: [...THREADS, ...LOADERS], entryNames: '[name]' })
    ]);
    writeFileSync(join(BUNDLE, 'licenses.txt'), licensesOf([service, threads].flatMap(({ metafile }) => Object.keys(metafile.inputs).map((path) => join(ROOT, path)))));
    cpSync(join(ROOT, 'dist/lib/scripting/sandbox/guest'), join(BUNDLE, 'guest'), { recursive: true, filter: (path) => !/\.d\.ts$|\.map$/.test(path) });
    const name = readdirSync(BUNDLE).find((each) => /^service-\w+\.js$/.test(each));
    importApart(join(BUNDLE, name));
    writeEntries(name);
    storeCode(name);
}

/** Packages that are loaded by `import()` are loaded by another module, as a script with compiled code cannot do that. */
function importApart(file) {

    writeFileSync(file, readFileSync(file, 'latin1').replace(/\bimport\(("[^"]+")\)/g, 'require("./packages.js")($1)'), 'latin1');
    writeFileSync(join(BUNDLE, 'packages.js'), '\'use strict\';\nmodule.exports = (name) => import(name);\n');
}

function writeEntries(name) {

    const write = (file, text) => writeFileSync(join(BUNDLE, file), text);
    // A module of its own, so that a process has one instance of each class.
    write('service.js', `'use strict';\nmodule.exports = require('./code-cache.js').loadCached(require('node:path').join(__dirname, '${name}')).exports;\n`);
    write('main.js', '#!/usr/bin/env node\n\'use strict\';\nrequire(\'./node-version.js\');\nrequire(\'./service.js\').commandLine().runCommandLine();\n');
    chmodSync(join(BUNDLE, 'main.js'), 0o755);
    const exported = createRequire(import.meta.url)(join(BUNDLE, 'service.js'));
    for (const [file, member] of [['index.js', 'library'], ['client.js', 'client']]) {
        // The last line tells Node the names that ES modules may import.
        const names = Object.keys(exported[member]()).join(', ');
        write(file, `'use strict';\nmodule.exports = require('./service.js').${member}();\n0 && (module.exports = { ${names} });\n`);
    }
}

/** Starts the service once, and stores its compiled code. A service whose code is not stored starts as well, in more time. */
function storeCode(name) {

    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-build-'));
    const program = `
const { exports, store } = require('./code-cache.js').loadCached(require('node:path').resolve(${JSON.stringify(name)}));
exports.library().run().then(() => {
    store();
    process.kill(process.pid, 'SIGTERM');
});`;
    try {
        const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1', DOIP_PORT: 'off', ADMIN_PASSWORD: 'not in use', LOG_LEVEL: 'error' };
        const { status } = spawnSync(process.execPath, ['-e', program], { cwd: BUNDLE, env, stdio: ['ignore', 'ignore', 'inherit'] });
        if (status !== 0) {
            process.stderr.write(`the compiled code of ${basename(BUNDLE)} was not stored: the service ended with ${status}\n`);
        }
    }
    finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
