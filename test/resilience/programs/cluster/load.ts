/** The clients: each writes objects of its own by one node, and reads what others write by all of them. */

import { createCipheriv, createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../support/random.js';
import { multipart } from '../../../support/rest.js';
import type { Checker, Register, State } from './checker.js';
import type { GatewayNode, Reply, Request } from './gateway-node.js';

/** Objects that one client keeps. */
const MAX_OBJECTS = 25;

/** Milliseconds between two requests of a client, and after one that was not answered. */
const PACE_MS = 15;
const PAUSE_MS = 300;

/** Sizes of payloads: within and above one row of the database, and one part of S3. */
const SIZES = [100, 5000, 70_000, 300_000, 1_000_000];
const LONG = 9_500_000;

/** Length of the text at the beginning of a payload that names it. */
const HEAD = 48;

export const PAYLOAD = 'file';

/** Statuses of a change: a conflict with another one; those after which it was not made; those after which it may have been. */
const CONFLICTS = [404, 409, 412];
export const NOT_MADE: readonly number[] = [...CONFLICTS, -1, 429, 503];
const UNKNOWN = [0, 500];

/** What clients have in common. */
export interface Load {
    readonly nodes: readonly GatewayNode[];
    readonly checker: Checker;
    readonly random: Random;
    isOver: boolean;
}

/** Repeats work until it is over. */
export async function repeat(load: Load, work: () => Promise<void>): Promise<void> {

    while (!load.isOver) {
        await work();
        await sleep(PACE_MS);
    }
}

/** A client that creates, changes and deletes objects by one node; with `hasPayload` each has one. */
export function writer(load: Load, node: GatewayNode, { name, hasPayload }: { name: string; hasPayload: boolean }): () => Promise<void> {

    const { checker, random } = load;
    const own: Register[] = [];
    let count = 0;
    return async () => {

        for (const register of own.filter(({ isGivenUp }) => isGivenUp)) {
            own.splice(own.indexOf(register), 1);
        }

        const register = own.length < MAX_OBJECTS && (own.length < 3 || random.chance(0.4)) ? checker.register(`test/${name}-${++count}`) : random.pick(own);
        if (register.value === null && !own.includes(register)) {
            own.push(register);
        }

        if (register.isUncertain && !await settle(node, register)) {
            return;
        }

        const isDeletion = register.value !== null && random.chance(0.25);
        await change(load, node, { register, value: isDeletion ? null : newValue(random, hasPayload), hasPayload });
        if (isDeletion && random.chance(0.6)) {
            own.splice(own.indexOf(register), 1);
        }
    };
}

let values = 0;

/** A text that no other write leaves; the size of the payload is in it. */
function newValue(random: Random, hasPayload: boolean): string {

    const size = random.chance(0.03) ? LONG : random.pick(SIZES);
    return `v${++values}x${random.integer(0, 1e6)}${hasPayload ? `s${size}` : ''}`;
}

interface Change {
    readonly register: Register;
    readonly value: string | null;
    readonly hasPayload: boolean;
}

/** Creates, changes or deletes an object, and checks at once what a search by the same node and a read by another one show. */
async function change(load: Load, node: GatewayNode, { register, value, hasPayload }: Change): Promise<void> {

    const { checker, random } = load;
    const { id, etag } = register;
    const isCreation = register.value === null;
    const request: Request = { headers: isCreation ? {} : { 'if-match': etag ?? '' } };
    const line = isCreation ? `POST /objects?type=Document&handle=${id}` : `${value === null ? 'DELETE' : 'PUT'} /objects/${id}`;
    const state = register.begin(value);
    const reply = await node.ask(line, value === null ? request : withBody(request, value, hasPayload));
    if (reply.status === 200) {
        register.acknowledge(state, reply.etag);
        node.written();
        await checkSearch(load, node, { id, state, incarnation: reply.incarnation });
        if (random.chance(0.7)) {
            await readObject(load, random.pick(load.nodes.filter((each) => each !== node)), register);
        }

        return;
    }

    if (NOT_MADE.includes(reply.status)) {
        register.reject(state);
        // A conflict may be one with an earlier change whose outcome is not known.
        await (CONFLICTS.includes(reply.status) ? settle(node, register) : null);
    }
    else if (!UNKNOWN.includes(reply.status)) {
        checker.find('unexpected', `${node.name}: ${line} ${reply.status} ${reply.bytes.toString().slice(0, 300)}`);
    }

    // A creation or a change without condition may be made at any later time, so that nobody changes the object any more.
    register.isGivenUp = register.isUncertain && isCreation;
    await sleep(PAUSE_MS);
}

function withBody(request: Request, value: string, hasPayload: boolean): Request {

    if (!hasPayload) {
        return { ...request, body: { v: value } };
    }

    const { payload, headers } = multipart({ name: 'content', value: JSON.stringify({ v: value }) }, { name: PAYLOAD, filename: PAYLOAD, value: payloadOf(value) });
    return { headers: { ...request.headers, ...headers }, body: payload };
}

/** The bytes that belong to a value. */
export function payloadOf(value: string): Buffer {

    const size = Number(/s(\d+)$/.exec(value)?.[1] ?? 0);
    const stream = createCipheriv('aes-128-ctr', createHash('md5').update(value).digest(), Buffer.alloc(16));
    return Buffer.concat([Buffer.from(`${value}\n`.padEnd(HEAD)), stream.update(Buffer.alloc(Math.max(0, size - HEAD)))]);
}

/** Reads an object whose last change has no certain outcome, until it is known. Returns false where it cannot be read. */
async function settle(node: GatewayNode, register: Register): Promise<boolean> {

    const reply = await node.ask(`GET /objects/${register.id}`);
    if (reply.status !== 200 && reply.status !== 404) {
        await sleep(PAUSE_MS);
        return false;
    }

    const state = register.read(valueOf(reply), reply.from, node.name);
    if (state) {
        register.settle(state, reply.etag);
    }

    return state !== null;
}

function valueOf(reply: Reply): string | null {

    return reply.status === 404 ? null : String((reply.json() as { v?: unknown }).v);
}

interface Written {
    readonly id: string;
    readonly state: State;
    readonly incarnation: number;
}

/** A search by the node that has made a change finds it. */
async function checkSearch({ checker }: Load, node: GatewayNode, { id, state, incarnation }: Written): Promise<void> {

    const query = state.value === null ? `id:"${id}"` : `/v:"${state.value}"`;
    const reply = await node.ask(`GET /search?ids&query=${encodeURIComponent(query)}`);
    if (reply.status !== 200) {
        return;
    }

    checker.searches += 1;
    const { results } = reply.json() as { results: string[] };
    if (results.includes(id) !== (state.value !== null) && reply.incarnation === incarnation && node.incarnation === incarnation) {
        checker.find('unsearchable', `${id} is ${state.value}, and ${node.name}, which has written it, finds ${JSON.stringify(results)}`);
    }
}

/** Reads an object, or its payload, by any node. */
export async function readObject(load: Load, node: GatewayNode, register: Register): Promise<Reply> {

    const isPayload = /s\d+$/.test(register.value ?? '') && load.random.chance(0.6);
    return isPayload ? await readPayload(load.checker, node, register) : await readContent(load.checker, node, register);
}

export async function readContent(checker: Checker, node: GatewayNode, register: Register): Promise<Reply> {

    const reply = await node.ask(`GET /objects/${register.id}`);
    if (reply.status === 200 || reply.status === 404) {
        checker.reads += 1;
        register.read(valueOf(reply), reply.from, node.name);
    }
    else if (![-1, 0, 500, 503].includes(reply.status)) {
        checker.find('unexpected', `${node.name}: reading ${register.id} ${reply.status} ${reply.bytes.toString().slice(0, 300)}`);
    }

    return reply;
}

export async function readPayload(checker: Checker, node: GatewayNode, register: Register): Promise<Reply> {

    const reply = await node.ask(`GET /objects/${register.id}?payload=${PAYLOAD}`);
    if (reply.status === 404) {
        checker.reads += 1;
        register.read(null, reply.from, node.name);
    }
    else if (reply.status === 200) {
        checker.reads += 1;
        const [value = ''] = reply.bytes.subarray(0, HEAD).toString('latin1').split('\n');
        if (payloadOf(value).equals(reply.bytes)) {
            register.read(value, reply.from, node.name);
        }
        else {
            checker.find('half-visible', `${register.id}: ${reply.bytes.length} bytes beginning with ${JSON.stringify(value)} at ${node.name}`);
        }
    }
    else if (![-1, 0, 500, 503].includes(reply.status)) {
        checker.find('unexpected', `${node.name}: bytes of ${register.id} ${reply.status} ${reply.bytes.toString().slice(0, 300)}`);
    }

    return reply;
}

/** A client that reads objects of all others by one node. */
export function reader(load: Load, node: GatewayNode): () => Promise<void> {

    let recent: Register[] = [];
    return async () => {

        if (recent.length === 0 || load.random.chance(0.02)) {
            recent = [...load.checker.registers.values()].slice(-400);
        }

        const register = recent.length > 0 ? load.random.pick(recent) : null;
        const reply = register && await readObject(load, node, register);
        if (reply && reply.status <= 0) {
            await sleep(PAUSE_MS);
        }
    };
}
