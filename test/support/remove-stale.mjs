/**
 * Removes compiled files whose source is gone, as the compiler does not: otherwise tests that were moved or deleted would still run, and
 * packages would contain code that is not in use.
 */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const DIST = join(ROOT, 'dist');

/** What the bundlers write has no source of its own, and is removed by them. */
const BUNDLES = [join('ui', 'static'), 'bundle'];

/** Endings of what the compilers write, and of their sources. */
const SOURCES = [[/\.d\.ts(\.map)?$/, ['.ts']], [/\.js(\.map)?$/, ['.ts', '.peggy']]];

/** Removes them from `dist`. */
export function removeStale() {

    for (const name of readdirSync(DIST, { recursive: true })) {
        const [ending, sources] = SOURCES.find(([pattern]) => pattern.test(name)) ?? [];
        if (ending && !BUNDLES.some((folder) => name.startsWith(folder)) && !sources.some((source) => existsSync(join(ROOT, name.replace(ending, source))))) {
            rmSync(join(DIST, name), { force: true });
        }
    }
}
