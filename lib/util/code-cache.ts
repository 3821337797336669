/**
 * Loads a large script with its compiled code, which V8 keeps in a file beside it: compilation takes most of the time of loading. The file is
 * an optimisation only: without the right to write there, or for another version of Node, the script is compiled.
 */

import { closeSync, fchmodSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

/** Time in milliseconds after which compiled code is stored: it contains the functions that were called until then. */
const STORE_AFTER_MS = 10_000;

type Wrapper = (exports: unknown, require: NodeJS.Require, module: { exports: unknown }, filename: string, dirname: string) => void;

/** A loaded script. */
export interface LoadedScript {
    readonly exports: unknown;
    /** True when its compiled code was found. */
    readonly isCached: boolean;
    /** Stores the compiled code, if that is of use and possible; returns whether it did. */
    readonly store: () => boolean;
}

/**
 * Loads a CommonJS script, which cannot use `import()`. Compiled code that is not found is stored after some seconds.
 *
 * @param file absolute path of an ASCII file that never changes: its name contains a digest of its content, since V8 compares lengths only
 */
export function loadCached(file: string): LoadedScript {

    const require = createRequire(file);
    if (process.sourceMapsEnabled) {
        // Node reads source maps of modules that it has loaded itself.
        return { exports: require(file), isCached: false, store: () => false };
    }

    // Depends on the version of V8, its flags and the processor.
    const cache = `${file}.${cachedDataVersionTag().toString(16)}.code`;
    const cachedData = read(cache);
    const script = new Script(wrap(readFileSync(file, 'latin1')), { filename: file, ...cachedData ? { cachedData } : {} });
    const isCached = cachedData !== undefined && script.cachedDataRejected === false;
    const module = { exports: {} as unknown };
    (script.runInThisContext() as Wrapper).call(module.exports, module.exports, require, module, file, dirname(file));
    const store = (): boolean => !isCached && write(cache, script.createCachedData());
    if (!isCached) {
        setTimeout(store, STORE_AFTER_MS).unref();
    }

    return { exports: module.exports, isCached, store };
}

function read(path: string): Buffer | undefined {

    try {
        return readFileSync(path);
    }
    catch {
        return undefined;
    }
}

/** Writes a file that is complete whenever it exists, after a power cut as well. */
function write(path: string, bytes: Buffer): boolean {

    const part = `${path}.${process.pid}`;
    try {
        const file = openSync(part, 'wx');
        try {
            writeFileSync(file, bytes);
            fchmodSync(file, 0o644);                        // Readable like the script, whoever starts the service first
            fsyncSync(file);
        }
        finally {
            closeSync(file);
        }

        renameSync(part, path);
        return true;
    }
    catch {
        rmSync(part, { force: true });
        return false;
    }
}
