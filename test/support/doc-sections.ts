/**
 * The sections of the documentation that are made from the code. As a program (`npm run docs`) it writes them into the pages, and
 * the types of the client for objects.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_TYPES, clientTypes } from './client-types.js';
import { coverageTable } from './coverage.js';
import { readPages, ROOT, withSections } from './doc-pages.js';
import { configTable, operationTable } from './tables.js';

/** Makers of the sections by their names. */
export const SECTIONS: ReadonlyMap<string, () => string> = new Map([
    ['configuration', configTable],
    ['operations', operationTable],
    ['coverage', coverageTable]
]);

function main(): void {

    for (const { path, text } of readPages()) {
        const renewed = withSections(text, SECTIONS);
        if (renewed !== text) {
            writeFileSync(join(ROOT, path), renewed);
            console.log(path);
        }
    }

    if (readFileSync(CLIENT_TYPES, 'utf8') !== clientTypes()) {
        writeFileSync(CLIENT_TYPES, clientTypes());
        console.log(CLIENT_TYPES);
    }
}

if (require.main === module) {
    main();
}
