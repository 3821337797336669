/**
 * What this program calls itself.
 */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the interface that existing clients test for; our own number stands beside it. */
export const COMPATIBLE_VERSION = '2.5.2';

const PACKAGE_FILE = join(__dirname, '../../../package.json');

/** Name and version of this program, and when it was built (RFC 3339). */
export const implementation = describeImplementation();

function describeImplementation(): { readonly name: string; readonly version: string; readonly timestamp: string } {

    const { name, version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { name: string; version: string };
    return { name, version, timestamp: statSync(__filename).mtime.toISOString() };
}
