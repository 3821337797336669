/** Where this program is installed. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of the package: the nearest one above with a `package.json`, as bundled and single modules are at different depths. */
export const PACKAGE_FOLDER = nearestPackage(__dirname);

function nearestPackage(folder: string): string {

    return existsSync(join(folder, 'package.json')) || dirname(folder) === folder ? folder : nearestPackage(dirname(folder));
}
