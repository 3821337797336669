/**
 * What idle nodes cost the database that they share: statements a second and processor time of a private MariaDB server, with some numbers of
 * nodes without requests, and from them what 50 nodes would cost.
 *
 *     npm run bench:idle-nodes -- --nodes 1,4,8 --seconds 60 --statements
 *
 * `--statements` lists the statements of the last measurement by their number, from the log of the server, which makes it slower.
 * `--with FOLDER` measures another build, such as that of an earlier version.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Mysql from 'mysql2/promise';
import { startPrivateMariadb } from '../support/private-mariadb.js';
import { MeasuredProcess, processorTime } from './measured-process.js';

const ROOT = join(__dirname, '../../..');

/** Time after the starts in which the nodes become idle, in seconds. */
const SETTLE_SECONDS = 15;

const EXTRAPOLATED = 50;

interface Cost {
    readonly nodes: number;
    /** Statements a second. */
    readonly statements: number;
    /** Milliseconds of the processor a second. */
    readonly processor: number;
    readonly connections: number;
}

async function main(): Promise<void> {

    const { values } = parseArgs({
        options: {
            nodes: { type: 'string', default: '1,4,8' }, seconds: { type: 'string', default: '60' },
            statements: { type: 'boolean', default: false }, with: { type: 'string', default: ROOT }
        }
    });
    const seconds = Number(values.seconds);
    const server = await startPrivateMariadb();
    const connection = await Mysql.createConnection(server.url);
    const folder = await mkdtemp(join(tmpdir(), 'bench-idle-nodes-'));
    const nodes: MeasuredProcess[] = [];
    try {
        await connection.query('create database idle');
        const observe = async (): Promise<Cost> => {

            await sleep(SETTLE_SECONDS * 1000);
            const before = { statements: await figure(connection, 'Questions'), processor: processorTime(server.pid()) };
            await sleep(seconds * 1000);
            return {
                nodes: nodes.length,
                // This program asks twice.
                statements: (await figure(connection, 'Questions') - before.statements - 2) / seconds,
                processor: (processorTime(server.pid()) - before.processor) / seconds,
                connections: await figure(connection, 'Threads_connected') - 1
            };
        };

        const costs = [await observe()];
        for (const count of values.nodes.split(',').map(Number)) {
            while (nodes.length < count) {
                nodes.push(await startNode(values.with, join(folder, String(nodes.length)), `${server.url}/idle`));
            }

            costs.push(await observe());
            print(costs.at(-1), costs[0]);
        }

        printExtrapolation(costs);
        if (values.statements) {
            await printStatements(connection, seconds);
        }
    }
    finally {
        await Promise.all(nodes.map((node) => node.stop()));
        await connection.end();
        await server.stop();
        await rm(folder, { recursive: true });
    }
}

async function startNode(build: string, dataDir: string, url: string): Promise<MeasuredProcess> {

    return await MeasuredProcess.start(join(build, 'dist/bundle/main.js'), ['serve'], {
        DATA_DIR: dataDir, DATABASE_URL: url, PORT: '0', DOIP_PORT: 'off', ADMIN_PASSWORD: 'password of the benchmark', LOG_LEVEL: 'warn', WORKERS: '0'
    });
}

function print(cost: Cost | undefined, empty: Cost | undefined): void {

    if (cost && empty) {
        console.log(`${cost.nodes} idle nodes: ${cost.statements.toFixed(1)} statements a second, ${(cost.statements / cost.nodes).toFixed(2)} for each node; ` +
            `${cost.processor.toFixed(2)} ms of the processor a second, ${empty.processor.toFixed(2)} without a node; ${cost.connections} connections`);
    }
}

/** Extrapolates along the line of the least squares. */
function printExtrapolation(costs: readonly Cost[]): void {

    const [slope, constant] = line(costs.map(({ nodes, processor }) => [nodes, processor]));
    console.log(`each node costs ${slope.toFixed(2)} ms of the processor a second; ${EXTRAPOLATED} nodes would cost ` +
        `${((slope * EXTRAPOLATED) / 10).toFixed(1)} % of a core, beside ${(constant / 10).toFixed(1)} % of the server itself`);
}

function line(points: readonly (readonly [number, number])[]): [slope: number, constant: number] {

    const mean = (pick: (point: readonly [number, number]) => number): number => points.reduce((sum, point) => sum + pick(point), 0) / points.length;
    const [x, y] = [mean(([first]) => first), mean(([, second]) => second)];
    const slope = mean((point) => (point[0] - x) * (point[1] - y)) / mean((point) => (point[0] - x) ** 2);
    return [slope, y - slope * x];
}

async function printStatements(connection: Mysql.Connection, seconds: number): Promise<void> {

    await connection.query('set global log_output = \'TABLE\', general_log = on');
    await sleep(seconds * 1000);
    await connection.query('set global general_log = off');
    const [rows] = await connection.query('select left(argument, 140) as text, count(*) as count from mysql.general_log ' +
        'where command_type in (\'Execute\', \'Query\') group by text order by count desc limit 60');
    for (const { text, count } of rows as { text: Buffer; count: number }[]) {
        console.log(`${(count / seconds).toFixed(2)} a second: ${text.toString()}`);
    }
}

async function figure(connection: Mysql.Connection, name: string): Promise<number> {

    const [rows] = await connection.query('show global status like ?', [name]);
    return Number((rows as { Value: string }[])[0]?.Value);
}

void main();
