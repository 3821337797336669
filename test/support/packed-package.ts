/**
 * The package as npm makes it, and its installation in other folders by npm, with its install scripts. SQLite, whose compilation takes minutes,
 * is compiled once, in this folder: its script finds it as a binary that is ready.
 */

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './doc-pages.js';

const execute = promisify(execFile);

/** What is not copied: the rest are the sources and what was built of them, which saves half a minute. `.ci/run` packs from nothing. */
const NOT_COPIED: ReadonlySet<string> = new Set(['.git', 'node_modules', 'data']);

/** What the npm that runs this test says to its programs would confuse another. */
const ENV: NodeJS.ProcessEnv = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_(?:lifecycle|package)_|INIT_CWD$)/.test(name))),
    npm_config_update_notifier: 'false', npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true'
};

/** Runs npm; resolves to what it prints. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<string> {

    const { stdout } = await execute('npm', args, { cwd, env: ENV, maxBuffer: Infinity });
    return stdout;
}

/**
 * Resolves to the file of the package: that of PACKAGE_FILE, otherwise one that is packed in a folder, from a copy of the sources as a clone would
 * have them.
 */
export async function packPackage(folder: string): Promise<string> {

    const packed = process.env['PACKAGE_FILE'] ?? '';
    if (packed !== '') {
        return packed;
    }

    const clone = join(folder, 'clone');
    await mkdir(clone, { recursive: true });
    const copied = (await readdir(ROOT)).filter((name) => !NOT_COPIED.has(name));
    await execute('cp', ['-a', ...copied.map((name) => join(ROOT, name)), clone]);
    await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
    const printed = await npm(clone, 'pack', '--silent', '--pack-destination', folder);
    return join(folder, printed.trim().split('\n').at(-1) ?? '');
}

const NATIVE = join(ROOT, 'node_modules/better-sqlite3');

/** Lets installations in a folder, and in those below it, find the compiled SQLite: a setting of prebuild-install, which its script runs. */
export async function offerBinaries(folder: string): Promise<void> {

    const binaries = join(folder, 'binaries');
    const { name, version } = JSON.parse(await readFile(join(NATIVE, 'package.json'), 'utf8')) as { name: string; version: string };
    const file = join(binaries, `${name}-v${version}-node-v${process.versions.modules}-${process.platform}-${process.arch}.tar.gz`);
    await mkdir(binaries);
    await execute('tar', ['-czf', file, '-C', NATIVE, 'build/Release/better_sqlite3.node']);
    await writeFile(join(folder, '.prebuild-installrc'), JSON.stringify({ 'local-prebuilds': binaries }));
}

/** Paths of the files in a package. */
export async function filesOf(tarball: string): Promise<string[]> {

    const { stdout } = await execute('tar', ['-tzf', tarball], { maxBuffer: Infinity });
    return stdout.trim().split('\n').map((path) => path.replace(/^package\//, ''));
}
