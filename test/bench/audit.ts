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
import { compared, measureInTurns } from './in-turns.js';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'password of the benchmark';
const CLI = join(__dirname, '../../bundle/main.js');
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const BODY = JSON.stringify({ name: 'A map', description: 'x'.repeat(1950) });

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' }, rounds: { type: 'string', default: '8' } } });
    const [seconds, count] = [Number(values.seconds), Number(values.rounds)];
    const folder = mkdtempSync(join(tmpdir(), 'bench-audit-'));
    const log = openSync(join(folder, 'log'), 'w');
    const start = (name: string, days: string): Promise<MeasuredProcess> => MeasuredProcess.start(CLI, ['serve'], {
        DATA_DIR: join(folder, name), PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD, AUDIT_DAYS: days
    }, [], log);
    const services = [await start('without', '0'), await start('with', '365'), await start('control', '0')];
    try {
        const request = {
            path: '/objects?type=Document', method: 'POST' as const, body: BODY, headers: { 'content-type': 'application/json', authorization: AUTHORIZATION }
        };
        const [without, audited, control] = await measureInTurns(services, request, { seconds, rounds: count });
        for (const [name, measured] of [['with an audit log', audited], ['a second service without, as control', control]] as const) {
            const { speedRatio, costRatio } = compared(measured ?? [], without ?? []);
            const { perSecond, cost } = compared(without ?? [], without ?? []);
            console.log(`create, ${name}: ${speedRatio.toFixed(3)} of the requests per second of a service without (${perSecond.toFixed(0)}), ` +
                `${costRatio.toFixed(3)} of its processor time (${cost.toFixed(3)} ms); medians of ${count}`);
        }
    }
    finally {
        await Promise.all(services.map((service) => service.stop()));
        rmSync(folder, { recursive: true });
    }
}

void main();
