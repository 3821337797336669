/**
 * Name and version of this program.
 */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from './package-folder.js';

/** Version of the interface, which existing clients check; that of the implementation is a separate member. */
export const COMPATIBLE_VERSION = '2.5.2';

const PACKAGE_FILE = join(PACKAGE_FOLDER, 'package.json');

/** Name, version and build time (RFC 3339) of this program. */
export const implementation = describeImplementation();

function describeImplementation(): { readonly name: string; readonly version: string; readonly timestamp: string } {

    const { name, version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { name: string; version: string };
    return { name, version, timestamp: statSync(__filename).mtime.toISOString() };
}
