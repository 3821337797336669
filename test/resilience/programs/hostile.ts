/**
 * Sixteen hostile clients against a service with a heap of 1 GiB, ten minutes long or as long as said:
 *
 *     npm run resilience:hostile -- --seconds 60
 *
 * Prints how long a polite client waited. Fails when the service dies.
 */

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createSqlite } from '../../support/database.js';
import { attack, prepareTarget } from '../../support/hostile-clients.js';
import { startProcess } from '../../support/process.js';

const HEAP_MIB = 1024;

async function main(): Promise<number> {

    const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' }, clients: { type: 'string', default: '16' } } });
    const database = await createSqlite();
    try {
        const service = await startProcess(database, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`, LOG_LEVEL: 'fatal' });
        await prepareTarget(service.url);
        let hasEnded = false;
        const ended = service.ended().then((code) => {

            hasEnded = true;
            return code;
        });
        const { sent, waits, failures } = await attack(service.url, { clients: Number(values.clients), seconds: Number(values.seconds) });
        console.table(sent);
        const at = (share: number): string => (waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0).toFixed(0);
        console.log(`polite client: ${waits.length} requests, ${failures} failed; milliseconds: median ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, most ${at(1)}`);
        if (hasEnded) {
            console.log(`the service died:\n${service.log().slice(-4000)}`);
            return 1;
        }

        const status = await readFile(`/proc/${service.pid}/status`, 'utf8').catch(() => '');
        console.log(`the service lives; ${/VmHWM:.*/.exec(status)?.[0] ?? 'memory unknown'}`);
        await service.stop();
        await ended;
        return 0;
    }
    finally {
        await database.dispose();
    }
}

void main().then((code) => {

    process.exitCode = code;
});
