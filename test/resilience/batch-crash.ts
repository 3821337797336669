/**
 * Killed in the middle of batch uploads, the service keeps every item of every batch that it answered, and shows no item in
 * part: an answer says what is stored, not what will be.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { forEachDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const ROUNDS = rounds(2, 20);
const WRITERS = 3;
const ITEMS = 40;

/** One batch that somebody sent. */
interface Attempt {
    readonly writer: string;
    /** The id of its items begins with it. */
    readonly prefix: string;
    readonly items: readonly Item[];
    /** Batches of this writer so far, 1 for the first. */
    readonly number: number;
    answered: boolean;
}

interface Item {
    readonly id: string;
    readonly type: 'Document';
    readonly content: { readonly name: string };
    readonly payloads?: readonly { readonly name: 'data'; readonly base64Payload: string }[];
}

interface BatchRecord {
    readonly success: boolean;
    readonly results: readonly { readonly position: number; readonly responseCode: number; readonly response: { readonly id: string } }[];
}

forEachDatabase((name, create) => {

    describe(`a batch upload to a killed service on ${name}`, () => {

        let database: TestDatabase;

        before(async () => {

            database = await create();
        });

        after(() => database.dispose());

        it('keeps every acknowledged item completely, and no part of any other', { timeout: roundsMs(300_000) }, async () => {

            const attempts: Attempt[] = [];
            let service = await startProcess(database);
            for (let round = 0; round < ROUNDS; ++round) {
                const running = service;
                const ours = (): Attempt[] => attempts.filter(({ writer }) => writer.startsWith(`test/${round}-`));
                const writing = Promise.all(Array.from({ length: WRITERS }, (_, n) => write(running, `test/${round}-${n}`, attempts)));
                await until(() => ours().filter(({ answered }) => answered).length >= WRITERS, 60_000);
                await sleep(Math.random() * 40);
                await service.kill();
                await writing;
                service = await startProcess(database);
                for (const attempt of ours()) {
                    await verify(service, attempt);
                }
            }

            // What an earlier process answered is there after all later kills as well.
            for (const attempt of attempts.filter(({ answered }) => answered)) {
                await verify(service, attempt);
            }

            expect(await service.stop()).to.equal(0);
            expect(attempts.filter(({ answered }) => answered).length).to.be.at.least(ROUNDS * WRITERS);
            expect(attempts.some(({ answered }) => !answered), 'a batch was under way').to.be.true();
        });
    });
});

/** Sends batches one after the other until the service goes away. The last item of each changes an object of the writer. */
async function write({ url }: ServiceProcess, writer: string, attempts: Attempt[]): Promise<void> {

    for (let number = 1; ; ++number) {
        const prefix = `${writer}-${number}`;
        const items = [...Array.from({ length: ITEMS }, (_, n) => item(`${prefix}-${n}`, n)), rewritten(writer, number)];
        const attempt: Attempt = { writer, prefix, number, items, answered: false };
        attempts.push(attempt);
        const answer = await post(`${url}/batchUpload?format=ndjson`, items.map((each) => JSON.stringify(each)).join('\n'));
        if (!answer) {
            return;
        }

        expect(answer.success, JSON.stringify(answer).slice(0, 500)).to.be.true();
        expect(answer.results.map(({ position, response }) => [position, response.id]).toSorted(([a], [b]) => Number(a) - Number(b)))
            .to.equal(items.map(({ id }, position) => [position, id]));
        attempt.answered = true;
    }
}

/** Resolves to null when the kill came first: fetch says so by a TypeError. */
async function post(url: string, body: string): Promise<BatchRecord | null> {

    try {
        const answer = await fetch(url, { method: 'POST', body, headers: ADMIN_HEADERS });
        return await answer.json() as BatchRecord;
    }
    catch (error) {
        if (error instanceof TypeError) {
            return null;
        }

        throw error;
    }
}

/** Every sixth has a payload, some of them longer than what is kept beside the object. */
function item(id: string, n: number): Item {

    const payload = n % 6 === 5 ? randomBytes(n % 12 === 5 ? 400 : 90_000) : null;
    return {
        id, type: 'Document', content: { name: randomBytes(20).toString('hex') },
        ...payload ? { payloads: [{ name: 'data', base64Payload: payload.toString('base64') }] } : {}
    };
}

/** An object whose content and payload tell the same number, the one of the batch. */
function rewritten(writer: string, number: number): Item {

    return {
        id: `${writer}-last`, type: 'Document', content: { name: `${number}` },
        payloads: [{ name: 'data', base64Payload: Buffer.from(`${number}`.padStart(70_000)).toString('base64') }]
    };
}

async function verify(service: ServiceProcess, { writer, items, number, answered }: Attempt): Promise<void> {

    await Promise.all(items.slice(0, -1).map(async ({ id, content, payloads }) => {

        const found = await look(service, id);
        if (!answered && found === null) {
            return;
        }

        expect(found?.name, id).to.equal(content.name);
        expect(found?.payload?.toString('base64'), `bytes of ${id}`).to.equal(payloads?.[0]?.base64Payload);
    }));

    const last = await look(service, `${writer}-last`);
    if (answered || last) {
        expect(Number(last?.payload?.toString()), 'content and payload of one change').to.equal(Number(last?.name));
    }

    if (answered) {
        expect(Number(last?.name)).to.be.at.least(number);
    }
}

async function look({ url }: ServiceProcess, id: string): Promise<{ name: string; payload: Buffer | null } | null> {

    const answer = await fetch(`${url}/objects/${id}?full`);
    const object = await answer.json() as { content: { name: string }; payloads?: { size: number }[] };
    if (answer.status === 404) {
        return null;
    }

    expect(answer.status, id).to.equal(200);
    if (!object.payloads) {
        return { name: object.content.name, payload: null };
    }

    const bytes = await fetch(`${url}/objects/${id}?payload=data`);
    const payload = Buffer.from(await bytes.arrayBuffer());
    expect<unknown>(payload.length, id).to.equal(object.payloads[0]?.size);
    return { name: object.content.name, payload };
}
