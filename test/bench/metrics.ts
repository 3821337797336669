/**
 * What the metrics cost: retrieval of an object by services in processes of their own, one with metrics, in turns, by requests per second and by
 * processor time. A second service without metrics, the control, shows how exact this is. The metrics are scraped, as by Prometheus.
 *
 *     npm run bench:metrics -- --seconds 2 --rounds 16
 */

import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compared, measureInTurns } from './in-turns.js';
import { MeasuredProcess } from './measured-process.js';

const PASSWORD = 'password of the benchmark';
const CLI = join(__dirname, '../../bundle/main.js');
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const OBJECT = 'test/measured';

/** As Prometheus does by default, but more often, as a measurement is short. */
const SCRAPE_MS = 1000;

async function main(): Promise<void> {

    const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' }, rounds: { type: 'string', default: '16' } } });
    const folder = mkdtempSync(join(tmpdir(), 'bench-metrics-'));
    const log = openSync(join(folder, 'log'), 'w');
    const port = await freePort();
    const start = (name: string, metrics: string): Promise<MeasuredProcess> => MeasuredProcess.start(CLI, ['serve'], {
        DATA_DIR: join(folder, name), PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: PASSWORD, METRICS_PORT: metrics
    }, [], log);
    const services = [await start('without', ''), await start('with', String(port)), await start('control', '')];
    let scrapes = 0;
    const scraper = setInterval(() => void fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text()).then(() => ++scrapes), SCRAPE_MS);
    try {
        await Promise.all(services.map(({ url }) => create(url)));
        const rounds = Number(values.rounds);
        const [without, measured, control] = await measureInTurns(services, { path: `/objects/${OBJECT}` }, { seconds: Number(values.seconds), rounds });
        if (scrapes === 0) {
            throw new Error('the metrics were not scraped');
        }

        for (const [name, results] of [['with metrics', measured], ['a second service without, as control', control]] as const) {
            const { speedRatio, costRatio } = compared(results ?? [], without ?? []);
            const { perSecond, cost } = compared(without ?? [], without ?? []);
            console.log(`retrieve, ${name}: ${speedRatio.toFixed(3)} of the requests per second of a service without (${perSecond.toFixed(0)}), ` +
                `${costRatio.toFixed(3)} of its processor time (${(cost * 1000).toFixed(1)} µs); medians of ${rounds}`);
        }
    }
    finally {
        clearInterval(scraper);
        await Promise.all(services.map((service) => service.stop()));
        rmSync(folder, { recursive: true });
    }
}

async function create(url: string): Promise<void> {

    const response = await fetch(`${url}/objects?type=Document&handle=${OBJECT}`, {
        method: 'POST', headers: { 'content-type': 'application/json', authorization: AUTHORIZATION },
        body: JSON.stringify({ name: 'A map', description: 'x'.repeat(1950) })
    });
    const acl = await fetch(`${url}/acls/${OBJECT}`, {
        method: 'PUT', headers: { 'content-type': 'application/json', authorization: AUTHORIZATION }, body: '{"readers":["public"],"writers":[]}'
    });
    if (!response.ok || !acl.ok) {
        throw new Error(`the object was not created: ${response.status}, ${acl.status}`);
    }
}

async function freePort(): Promise<number> {

    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    return port;
}

void main();
