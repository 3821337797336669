/** Clients of several nodes that want one name or one id, and changes of rights on one node that count on the others: in sizes of searches a little later. */

import { setTimeout as sleep } from 'node:timers/promises';
import { basic } from '../../../support/rest.js';
import { Register, type State } from './checker.js';
import type { GatewayNode, Reply } from './gateway-node.js';
import { NOT_MADE, type Load } from './load.js';

const PAUSE_MS = 500;

/** Age of a change that a search may not know: `SEARCH_MAX_LAG_SECONDS` of the installation, until which nodes notice, and until what is stored is searched, with some margin. */
const MAX_LAG_MS = 30_000 + 5000;

const READER = { username: 'reader', password: 'password of reader' };

const READER_ID = 'test/reader';

/** A username that another object has is answered with 400. */
const REJECTED = [...NOT_MADE, 400];

/** Makes the user whose rights change. */
export async function prepareRights({ nodes }: Load): Promise<void> {

    const reply = await (nodes[0] as GatewayNode).ask(`POST /objects?type=User&handle=${READER_ID}`, { body: READER });
    if (reply.status !== 200) {
        throw new Error(`no user: ${reply.status} ${reply.bytes.toString()}`);
    }
}

/** One id, or one username, is wanted by a client of each node at once: one gets it. */
export function racer(load: Load): () => Promise<void> {

    const { nodes, checker, random } = load;
    let count = 0;
    return async () => {

        checker.races += 1;
        const run = ++count;
        const isName = random.chance(0.5);
        const wanted = nodes.map((node, n) => {

            const id = isName ? `test/user-${run}-${n}` : `test/raced-${run}`;
            const v = `raced${run}by${n}`;
            return { node, id, v, body: isName ? { username: `user${run}`, v } : { v } };
        });
        const one = isName ? null : checker.register(`test/raced-${run}`);
        const registers = wanted.map(({ id }) => one ?? checker.register(id));
        const replies = await Promise.all(wanted.map(async ({ node, id, v, body }, n) => {

            const register = registers[n] as Register;
            const state = register.begin(v);
            return { state, register, reply: await node.ask(`POST /objects?type=${isName ? 'User' : 'Document'}&handle=${id}`, { body }), node };
        }));
        // Nothing is read before all have been answered, so that each outcome is known when the others are looked at.
        for (const { register, state, reply, node } of replies.filter(({ reply: { status } }) => status === 200)) {
            register.acknowledge(state, reply.etag);
            node.written();
        }

        for (const { register, state } of replies.filter(({ reply: { status } }) => REJECTED.includes(status))) {
            register.reject(state);
        }

        registers.forEach((register) => {

            register.isGivenUp = register.isUncertain;
        });
        const winners = replies.filter(({ reply: { status } }) => status === 200);
        if (winners.length > 1) {
            checker.find('duplicate', `${isName ? `username user${run}` : `id test/raced-${run}`} was given to ${winners.map(({ node }) => node.name).join()}`);
        }

        await sleep(PAUSE_MS);
    };
}

/** Names that two objects have: those whose creation was not answered may have been made as well. */
export async function duplicates(load: Load, status: (id: string) => Promise<number>): Promise<void> {

    const { nodes, checker } = load;
    for (let run = 1; checker.registers.has(`test/user-${run}-0`) || checker.registers.has(`test/raced-${run}`); ++run) {
        const ids = nodes.map((_, n) => `test/user-${run}-${n}`).filter((id) => checker.registers.has(id));
        const statuses = await Promise.all(ids.map(status));
        const made = ids.filter((_, n) => statuses[n] === 200);
        if (made.length > 1) {
            checker.find('duplicate', `${made.join()} have the same username`);
        }
    }
}

/** Gives a right by one node and takes it away by another, again and again; a third one is asked at once. */
export function rightsChanger(load: Load, name: string): () => Promise<void> {

    const { nodes, checker, random } = load;
    let count = 0;
    let ended: EndedRight[] = [];
    return async () => {

        const due = ended.filter(({ on }) => performance.now() - on > MAX_LAG_MS);
        ended = ended.filter((each) => !due.includes(each));
        await Promise.all(due.flatMap(({ register }) => nodes.map((node) => countAsReader(load, node, register))));

        const id = `test/${name}-${++count}`;
        // What was acknowledged last counts; where it is the end of a right, a read that is allowed is a leak.
        const register = new Register(id, checker, (value) => (value?.startsWith('allowed') ? 'leaked' : 'stale'));
        const isGroup = random.chance(0.5);
        const group = `${id}-group`;
        const made = isGroup ? await random.pick(nodes).ask(`POST /objects?type=Group&handle=${group}`, { body: { groupName: group, users: [] } }) : null;
        const created = await random.pick(nodes).ask(`POST /objects?type=Document&handle=${id}`, { body: { v: 'rights' } });
        const state = register.begin('denied');
        const closed = await random.pick(nodes).ask(`PUT /acls/${id}`, { body: { readers: isGroup ? [group] : [], writers: [] } });
        if (created.status !== 200 || closed.status !== 200 || made && made.status !== 200) {
            await sleep(PAUSE_MS);
            return;
        }

        register.acknowledge(state, null);
        for (let change = 0; change < 12 && !load.isOver; ++change) {
            const isAllowed = change % 2 === 0;
            if (!await changeRight(load, { register, isAllowed, group: isGroup ? group : null })) {
                return;
            }

            await Promise.all(nodes.map((node) => readAsReader(load, node, register)));
        }

        if (register.value === 'denied' && !register.isUncertain) {
            ended.push({ register, on: performance.now() });
        }
    };
}

/** A right that has ended for good. */
interface EndedRight {
    readonly register: Register;
    /** By `performance.now()`. */
    readonly on: number;
}

interface RightChange {
    readonly register: Register;
    readonly isAllowed: boolean;
    readonly group: string | null;
}

async function changeRight(load: Load, { register, isAllowed, group }: RightChange): Promise<boolean> {

    const { nodes, random } = load;
    const node = random.pick(nodes);
    const state: State = register.begin(isAllowed ? 'allowed' : 'denied');
    const members = isAllowed ? [READER_ID] : [];
    const reply: Reply = group === null ?
        await node.ask(`PUT /acls/${register.id}`, { body: { readers: members, writers: [] } }) :
        await node.ask(`PUT /objects/${group}`, { body: { groupName: group, users: members } });
    if (reply.status === 200) {
        register.acknowledge(state, null);
        node.written();
        // A search by any node does not show it either.
        if (!isAllowed) {
            await Promise.all(nodes.map((each) => searchAsReader(load, each, register)));
        }

        return true;
    }

    // The change is not conditional, so that it may still be made: another object takes the place of this one.
    await sleep(PAUSE_MS);
    return false;
}

async function readAsReader({ checker }: Load, node: GatewayNode, register: Register): Promise<void> {

    const reply = await node.ask(`GET /objects/${register.id}`, { headers: basic(READER.username, READER.password) });
    if (reply.status === 200 || reply.status === 403) {
        checker.reads += 1;
        register.read(reply.status === 200 ? 'allowed' : 'denied', reply.from, node.name);
    }
    else if (![-1, 0, 500, 503].includes(reply.status)) {
        checker.find('unexpected', `${node.name}: reading ${register.id} as another user ${reply.status} ${reply.bytes.toString().slice(0, 300)}`);
    }
}

/** Ids of a search are those of objects that may be read now. */
async function searchAsReader({ checker }: Load, node: GatewayNode, register: Register): Promise<void> {

    const reply = await node.ask(searchFor(register), { headers: basic(READER.username, READER.password) });
    if (reply.status === 200) {
        checker.searches += 1;
        const { results } = reply.json() as { results: string[] };
        register.read(results.includes(register.id) ? 'allowed' : 'denied', reply.from, `a search at ${node.name}`);
    }
}

/** What was taken away long ago is not even counted. */
async function countAsReader({ checker }: Load, node: GatewayNode, register: Register): Promise<void> {

    const reply = await node.ask(searchFor(register), { headers: basic(READER.username, READER.password) });
    if (reply.status === 200) {
        checker.searches += 1;
        const { size } = reply.json() as { size: number };
        register.read(size > 0 ? 'allowed' : 'denied', reply.from, `a search at ${node.name} that counts results`);
    }
}

function searchFor({ id }: Register): string {

    return `GET /search?ids&query=${encodeURIComponent(`id:"${id}"`)}`;
}

/** A token that is revoked by one node is rejected by all others. */
export function tokenRevoker(load: Load, name: string): () => Promise<void> {

    const { nodes, checker, random } = load;
    let count = 0;
    return async () => {

        const register = new Register(`token ${name}-${++count}`, checker, (value) => (value?.startsWith('allowed') ? 'leaked' : 'stale'));
        const login = register.begin('allowed');
        const reply = await random.pick(nodes).ask('POST /auth/token', { body: { grant_type: 'password', ...READER } });
        if (reply.status !== 200) {
            await sleep(PAUSE_MS);
            return;
        }

        register.acknowledge(login, null);
        const { access_token: token } = reply.json() as { access_token: string };
        const use = async (node: GatewayNode): Promise<void> => {

            const { status, from } = await node.ask(`GET /objects/${READER_ID}`, { headers: { authorization: `Bearer ${token}` } });
            if (status === 200 || status === 401) {
                checker.reads += 1;
                register.read(status === 200 ? 'allowed' : 'rejected', from, node.name);
            }
        };

        await Promise.all(nodes.map(use));
        const end = register.begin('rejected');
        const revoked = await random.pick(nodes).ask('POST /auth/revoke', { body: { token } });
        if (revoked.status === 200) {
            register.acknowledge(end, null);
            await Promise.all(nodes.map(use));
        }

        await sleep(PAUSE_MS);
    };
}
