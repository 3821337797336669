/**
 * What the audit log costs: creation of objects of 2 KB by two services in processes of their own, one with an audit log, in turns, by requests
 * per second and by processor time.
 *
 *     npm run bench:audit -- --seconds 4 --rounds 8
 */

import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Autocannon from 'autocannon';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'password of the benchmark';
const CLI = join(__dirname, '../../lib/cli/main.js');
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const CONNECTIONS = 8;
const BODY = JSON.stringify({ name: 'A map', description: 'x'.repeat(1950) });

/** How a number of creations went. */
interface Result {
    readonly perSecond: number;
    /** Processor time of one in all threads of the service, in milliseconds. */
    readonly cost: number;
}

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' }, rounds: { type: 'string', default: '8' } } });
    const [seconds, count] = [Number(values.seconds), Number(values.rounds)];
    const folder = mkdtempSync(join(tmpdir(), 'bench-audit-'));
    const log = openSync(join(folder, 'log'), 'w');
    const start = (name: string, days: string): Promise<MeasuredProcess> => MeasuredProcess.start(CLI, ['serve'], {
        DATA_DIR: join(folder, name), PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD, AUDIT_DAYS: days
    }, [], log);
    const services = [await start('without', '0'), await start('with', '365'), await start('control', '0')] as const;
    try {
        const results = services.map((): Result[] => []);
        for (let round = -1; round < count; ++round) {
            // Each is the first as often as the others.
            for (let i = 0; i < services.length; ++i) {
                const at = (i + round + 1) % services.length;
                const result = await create(services[at]!, seconds);
                // The first round warms up.
                if (round >= 0) {
                    results[at]!.push(result);
                }
            }
        }

        const [without, audited, control] = results as [Result[], Result[], Result[]];
        for (const [name, measured] of [['with an audit log', audited], ['a second service without, as control', control]] as const) {
            const speeds = measured.map(({ perSecond }, i) => perSecond / (without[i]?.perSecond ?? NaN));
            const costs = measured.map(({ cost }, i) => cost / (without[i]?.cost ?? NaN));
            console.log(`create, ${name}: ${median(speeds).toFixed(3)} of the requests per second of a service without (${median(without.map(({ perSecond }) => perSecond)).toFixed(0)}), ` +
                `${median(costs).toFixed(3)} of its processor time (${median(without.map(({ cost }) => cost)).toFixed(3)} ms); medians of ${count}`);
        }
    }
    finally {
        await Promise.all(services.map((service) => service.stop()));
        rmSync(folder, { recursive: true });
    }
}

async function create(service: MeasuredProcess, seconds: number): Promise<Result> {

    const before = service.cpu().all;
    const { requests, non2xx } = await Autocannon({
        url: `${service.url}/objects?type=Document`, method: 'POST', body: BODY, connections: CONNECTIONS, duration: seconds,
        headers: { 'content-type': 'application/json', authorization: AUTHORIZATION }
    });
    if (non2xx > 0) {
        throw new Error(`${non2xx} objects were not created`);
    }

    return { perSecond: requests.average, cost: (service.cpu().all - before) / requests.total };
}

function median(values: readonly number[]): number {

    const sorted = [...values].sort((a, b) => a - b);
    return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? NaN)) / 2;
}

void main();
