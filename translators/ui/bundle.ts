/** The files of the web UI, as the build wrote them. They are held in memory: there are few, and they do not change while the process runs. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../lib/util/package-folder.js';

/** How a file can be sent. */
export type Encoding = 'br' | 'gzip';

/** A file of the web UI. */
export interface BundledFile {
    readonly mediaType: string;
    readonly bytes: Buffer;
    /** The same, compressed by the build. Absent where compression would not help. */
    readonly encoded: ReadonlyMap<Encoding, Buffer>;
}

/** The web UI. Names of files contain a hash of their bytes, so that browsers may keep them. */
export interface Bundle {
    readonly files: ReadonlyMap<string, BundledFile>;
    /** Name of the script that comes before all modules. */
    readonly first: string;
    /** Name of the module that starts the web UI. */
    readonly script: string;
    /** Names of the modules that it imports at once. */
    readonly imports: readonly string[];
    /** Name of the style sheet. */
    readonly style: string;
}

/** What the build writes beside the files. */
interface Index {
    readonly first: string;
    readonly script: string;
    readonly imports: readonly string[];
    readonly style: string;
    readonly files: readonly string[];
}

/** `dist/ui/static`. */
const FOLDER = join(PACKAGE_FOLDER, 'dist/ui/static');

const MEDIA_TYPES: Readonly<Record<string, string>> = {
    js: 'text/javascript; charset=utf-8', txt: 'text/plain; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml', json: 'application/json; charset=utf-8'
};

const ENCODINGS: readonly (readonly [Encoding, ending: string])[] = [['br', '.br'], ['gzip', '.gz']];

/** Reads the web UI; null where it was not built. */
export function loadBundle(folder = FOLDER): Bundle | null {

    const path = join(folder, 'index.json');
    if (!existsSync(path)) {
        return null;
    }

    const { first, script, imports, style, files } = JSON.parse(readFileSync(path, 'utf8')) as Index;
    return { first, script, imports, style, files: new Map(files.map((name) => [name, readBundled(folder, name)])) };
}

function readBundled(folder: string, name: string): BundledFile {

    const encoded = ENCODINGS.filter(([, ending]) => existsSync(join(folder, name + ending)))
        .map(([encoding, ending]) => [encoding, readFileSync(join(folder, name + ending))] as const);
    return {
        mediaType: MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
        bytes: readFileSync(join(folder, name)), encoded: new Map(encoded)
    };
}
