/** What an installation has after all faults, by every node, compared with what its clients know. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Checker, Register } from './checker.js';
import type { GatewayNode, Reply } from './gateway-node.js';
import { readContent, readPayload, type Load } from './load.js';
import { duplicates } from './races.js';

/** Milliseconds until all nodes are ready, searches have everything, and jobs are done. */
const TIMEOUT_MS = 120_000;
const PAUSE_MS = 500;

/** Jobs that never end, or begin again at their time. */
const PERIODIC = /\.(purge|sweep|feed|prune)/;

interface Status {
    readonly jobs?: readonly { readonly type: string; readonly state: string }[];
    readonly index?: { readonly pendingChanges?: number };
}

/** Requests at a time. */
const CONCURRENCY = 6;

export async function verify(load: Load): Promise<void> {

    const { nodes, checker } = load;
    for (const node of nodes) {
        await becomesTrue(checker, `${node.name} is not ready`, async () => (await node.ask('GET /health/ready')).status === 200);
    }

    const registers = [...checker.registers.values()];
    await inParallel(registers, async (register, n) => {

        // What is there is read by all nodes, what is not by one.
        const readers = register.value === null && !register.isUncertain ? [nodes[n % nodes.length] as GatewayNode] : nodes;
        for (const node of readers) {
            await answered(checker, `${register.id} cannot be read at ${node.name}`, () => readContent(checker, node, register));
            if (/s\d+$/.test(register.value ?? '')) {
                await answered(checker, `the payload of ${register.id} cannot be read at ${node.name}`, () => readPayload(checker, node, register));
            }
        }
    });
    await duplicates(load, async (id) => (await (nodes[0] as GatewayNode).ask(`GET /objects/${id}`)).status);
    for (const node of nodes) {
        await verifySearch(checker, node, registers);
        let open = '';
        await becomesTrue(checker, () => `jobs at ${node.name} do not end: ${open}`, async () => {

            const reply = await node.ask('GET /status');
            const { jobs, index } = (reply.status === 200 ? reply.json() : {}) as Status;
            const left = jobs?.filter(({ type, state }) => state !== 'done' && (state === 'failed' || !PERIODIC.test(type)));
            open = JSON.stringify({ left, index });
            return left?.length === 0 && (index?.pendingChanges ?? 0) === 0;
        });
    }
}

/** A search for everything finds what is there. */
async function verifySearch(checker: Checker, node: GatewayNode, registers: readonly Register[]): Promise<void> {

    let wrong: string[] = [];
    const isRight = async (): Promise<boolean> => {

        const reply = await node.ask(`GET /search?ids&pageSize=-1&query=${encodeURIComponent('type:Document OR type:User')}`);
        if (reply.status !== 200) {
            wrong = [`status ${reply.status}`];
            return false;
        }

        const found = new Set((reply.json() as { results: string[] }).results);
        wrong = registers.filter(({ id, possible }) => !possible.some((value) => found.has(id) === (value !== null)))
            .map(({ id }) => `${id} ${found.has(id) ? 'is found' : 'is not found'}`);
        return wrong.length === 0;
    };

    const deadline = performance.now() + TIMEOUT_MS;
    while (!await isRight()) {
        if (performance.now() > deadline) {
            wrong.slice(0, 20).forEach((text) => checker.find('unsearchable', `${text} at ${node.name}, after all`));
            return;
        }

        await sleep(PAUSE_MS);
    }

    checker.searches += 1;
}

async function answered(checker: Checker, complaint: string, read: () => Promise<Reply>): Promise<void> {

    await becomesTrue(checker, complaint, async () => [200, 404].includes((await read()).status));
}

async function becomesTrue(checker: Checker, complaint: string | (() => string), condition: () => Promise<boolean>): Promise<void> {

    const deadline = performance.now() + TIMEOUT_MS;
    while (!await condition()) {
        if (performance.now() > deadline) {
            checker.find('stuck', typeof complaint === 'string' ? complaint : complaint());
            return;
        }

        await sleep(PAUSE_MS);
    }
}

async function inParallel<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {

    let next = 0;
    await Promise.all(Array.from({ length: CONCURRENCY }, async () => {

        while (next < items.length) {
            const index = next++;
            await work(items[index] as T, index);
        }
    }));
}
