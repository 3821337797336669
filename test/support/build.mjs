/**
 * `npm run build`, which `npm start` begins with: compiles the grammar and all TypeScript to `dist`, and bundles the service and the web UI, unless nothing has
 * changed since the last build. On a terminal it says what it does. Of several at the same time one builds, and the others wait for it.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildUi } from '../../ui/build.mjs';
import { buildBundle } from './bundle.mjs';
import { lockBuild } from './build-lock.mjs';
import { removeStale } from './remove-stale.mjs';
import { writeWebModules } from './web-modules.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const FOLDERS = ['lib', 'translators', 'db', 'test', 'ui'];

/** Other files on which the result depends; npm writes the last one whenever it installs something. */
const OTHERS = ['test/support/build.mjs', 'tsconfig.json', 'package.json', 'node_modules/.package-lock.json'];

const DIST = join(ROOT, 'dist');

/** Written by this program: a digest of the sources of a successful build. */
const STAMP = join(DIST, '.sources');

/** The program of earlier versions: npx keeps where the program of a folder is, and would not find the present one after an update. */
const FORMER_PROGRAM = join(ROOT, 'dist/lib/cli/main.js');

const TOOLS = [
    ['peggy/bin/peggy.js', '--format', 'commonjs', '--output', 'dist/lib/search/query/grammar.js', 'lib/search/query/grammar.peggy'],
    ['typescript-native/bin/tsc'],
    ['typescript-native/bin/tsc', '--project', 'ui']
];

/** Digest of path, size and time of every source. A file that is missing counts as empty. */
function digestOfSources() {

    const filesOf = (folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((name) => `${folder}/${name}`);
    const sources = FOLDERS.flatMap(filesOf).filter((path) => /\.(tsx?|peggy|css|mjs)$/.test(path));
    const digest = createHash('sha256');
    for (const path of [...sources, ...OTHERS].sort()) {
        const { size = 0, mtimeMs = 0 } = statSync(join(ROOT, path), { throwIfNoEntry: false }) ?? {};
        digest.update(`${path} ${size} ${mtimeMs}\n`);
    }

    return digest.digest('hex');
}

function isBuilt(digest) {

    return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest;
}

function say(text) {

    if (process.stderr.isTTY) {
        process.stderr.write(text);
    }
}

/** Runs a tool; resolves to its exit code. */
function run([script, ...args]) {

    const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules', script), ...args], { cwd: ROOT, stdio: 'inherit' });
    return status ?? 130;
}

async function build() {

    if (isBuilt(digestOfSources())) {
        return 0;
    }

    if (!existsSync(join(ROOT, 'node_modules', 'typescript-native'))) {
        process.stderr.write('doip-gateway: the packages that the build needs are not installed: run npm ci\n');
        return 1;
    }

    await lockBuild(DIST, () => say('Waiting for another build of this folder …\n'));
    const digest = digestOfSources();
    if (isBuilt(digest)) {
        return 0;
    }

    say(existsSync(STAMP) ? 'Building what has changed …\n' : 'Building, which takes half a minute the first time …\n');
    const started = performance.now();
    rmSync(STAMP, { force: true });
    for (const tool of TOOLS) {
        const code = run(tool);
        if (code !== 0) {
            return code;
        }
    }

    removeStale();
    await writeWebModules();
    await buildUi();
    await buildBundle();
    chmodSync(FORMER_PROGRAM, 0o755);
    writeFileSync(STAMP, digest);
    say(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);
    return 0;
}

process.exitCode = await build();
