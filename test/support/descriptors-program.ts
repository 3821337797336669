/**
 * A program for a test of a process without a free file descriptor:
 *
 *     node descriptors-program.js <data folder>
 *
 * Prints, as JSON, the error of opening one more file, and the conditions of a SQLite database then and afterwards. Some of its pages are in
 * the log only.
 */

import { closeSync, openSync } from 'node:fs';
import { openDatabase } from '../../db/engines/open.js';

const VALUE = 'x'.repeat(60_000);

/** Opens files until that fails; returns their descriptors and the code of the error. */
function exhaust(): { readonly used: readonly number[]; readonly code: string } {

    const used: number[] = [];
    for (;;) {
        try {
            used.push(openSync('/dev/null', 'r'));
        }
        catch (error) {
            return { used, code: String((error as NodeJS.ErrnoException).code) };
        }
    }
}

async function main(): Promise<void> {

    const [, , dataDir = ''] = process.argv;
    const database = await openDatabase({ dataDir, minFree: 0 });
    await database.migrate();
    for (let n = 0; n < 20; ++n) {
        await database.commit({ steps: [{ sql: 'insert into settings (name, value) values (?, ?)', bindings: [`value-${n}`, VALUE] }] });
    }

    const { used, code } = exhaust();
    const then = await database.condition?.();
    used.forEach((file) => closeSync(file));
    process.stdout.write(`${JSON.stringify([code, then, await database.condition?.()])}\n`);
    await database.close();
}

// Lab loads every file below test; this one acts only as a program.
if (require.main === module) {
    main().catch((error: unknown) => {

        console.error(error);
        process.exitCode = 1;
    });
}
