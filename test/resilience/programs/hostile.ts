/**
 * Sixteen hostile clients against a service with a heap of 1 GiB, ten minutes long or as long as said:
 *
 *     npm run resilience:hostile -- --seconds 60
 *
 * Prints how long a polite client waited, who has another address. Fails when the service dies, when one of its requests fails, or when it waits for too long.
 */

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createSqlite } from '../../support/database.js';
import { HOSTILE_SERVICE, attack, prepareTarget, waitOf } from '../../support/hostile-clients.js';
import { startProcess } from '../../support/process.js';

/** Milliseconds that the polite client may wait, but for every hundredth request. */
const MOST_WAIT_MS = 5_000;

async function main(): Promise<number> {

    const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' }, clients: { type: 'string', default: '16' } } });
    const database = await createSqlite();
    try {
        const service = await startProcess(database, HOSTILE_SERVICE);
        await prepareTarget(service.url);
        let hasEnded = false;
        const ended = service.ended().then((code) => {

            hasEnded = true;
            return code;
        });
        const { sent, waits, failures } = await attack(service.url, { clients: Number(values.clients), seconds: Number(values.seconds) });
        console.table(sent);
        const at = (share: number): string => waitOf(waits, share).toFixed(0);
        const failed = Object.entries(failures).map(([reason, count]) => `${count} × ${reason}`).join(', ') || 'none';
        console.log(`polite client: ${waits.length} requests, failed: ${failed}; milliseconds: median ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, most ${at(1)}`);
        if (hasEnded) {
            console.log(`the service died:\n${service.log().slice(-4000)}`);
            return 1;
        }

        const status = await readFile(`/proc/${service.pid}/status`, 'utf8').catch(() => '');
        console.log(`the service lives; ${/VmHWM:.*/.exec(status)?.[0] ?? 'memory unknown'}`);
        await service.stop();
        await ended;
        return failed === 'none' && waitOf(waits, 0.99) <= MOST_WAIT_MS ? 0 : 1;
    }
    finally {
        await database.dispose();
    }
}

void main().then((code) => {

    process.exitCode = code;
});
