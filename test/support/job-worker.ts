/**
 * A program for tests of several processes on one database: does jobs of the kind `shared` and prints a line for each.
 *
 *     node job-worker.js <database options as JSON>
 *
 * A job with the payload `"hang"` never ends.
 */

import { openDatabase } from '../../db/engines/open.js';
import type { DatabaseOptions } from '../../db/engines/open.js';
import { SILENT } from '../../db/log.js';
import { JobRunner } from '../../lib/jobs/job-runner.js';
import { JobStore } from '../../lib/stores/jobs/job-store.js';

async function main(): Promise<void> {

    const database = await openDatabase(JSON.parse(process.argv[2] ?? '{}') as DatabaseOptions);
    const runner = new JobRunner(new JobStore(database), { log: SILENT, pollMs: 5 });
    runner.register({
        kind: 'shared',
        concurrency: 4,
        leaseMs: 8000,
        run: async ({ payload }) => {

            process.stdout.write(`${JSON.stringify(payload)}\n`);
            await new Promise((resolve) => setTimeout(resolve, payload === 'hang' ? 1_000_000 : 2));
        }
    });
    runner.start();
    process.stdout.write('ready\n');
    process.stdin.resume();
    process.stdin.once('end', () => void runner.stop().then(() => database.close()));
}

// Lab loads every file below test; this one acts only as a program.
if (require.main === module) {
    void main();
}
