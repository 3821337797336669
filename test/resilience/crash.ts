/**
 * Killed at any moment, the service loses nothing that it answered and shows nothing half-written.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startProcess } from '../support/process.js';
import { rounds, roundsMs } from '../support/rounds.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const ROUNDS = rounds(3, 20);
const WRITERS = 8;
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

/** An object that somebody tried to create. */
interface Attempt {
    readonly id: string;
    readonly name: string;
    /** Null for an object without payload. */
    readonly payload: Buffer | null;
    answered: boolean;
}

forEachDatabase((name, create) => {

    describe(`a killed service on ${name}`, () => {

        let database: TestDatabase;

        before(async () => {

            database = await create();
        });

        after(() => database.dispose());

        it(`keeps every acknowledged create, ${ROUNDS} kills in a row`, { timeout: roundsMs(300_000) }, async () => {

            const attempts: Attempt[] = [];
            let service = await startProcess(database);
            for (let i = 0; i < ROUNDS; ++i) {
                const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(service, `${i}-${writer}`, attempts)));
                // The first login of a process hashes a password; the kill comes when all writers are in full swing.
                await until(() => attempts.filter(({ id, answered }) => answered && id.startsWith(`test/${i}-`)).length >= WRITERS);
                await sleep(Math.random() * 250);
                await service.kill();
                await writing;
                service = await startProcess(database);
                for (const attempt of attempts.filter(({ id }) => id.startsWith(`test/${i}-`))) {
                    await verify(service, attempt);
                }
            }

            const answered = attempts.filter((attempt) => attempt.answered);
            for (const attempt of answered) {
                await verify(service, attempt);
            }

            expect(await service.stop()).to.equal(0);
            expect(answered.length).to.be.at.least(ROUNDS * WRITERS);
        });
    });
});

/** Creates objects one after the other until the service goes away. */
async function write({ url }: ServiceProcess, prefix: string, attempts: Attempt[]): Promise<void> {

    for (let i = 0; ; ++i) {
        const attempt: Attempt = {
            id: `test/${prefix}-${i}`, name: randomBytes(50).toString('hex'),
            payload: i % 3 === 2 ? randomBytes(300_000) : null, answered: false
        };
        attempts.push(attempt);
        const body = new FormData();
        body.append('content', JSON.stringify({ name: attempt.name }));
        if (attempt.payload) {
            body.append('data', new Blob([attempt.payload]), 'data.bin');
        }

        try {
            const answer = await fetch(`${url}/objects?type=Document&handle=${attempt.id}`, {
                method: 'POST', body, headers: { authorization: AUTHORIZATION }
            });
            const text = await answer.text();
            expect(answer.status, text).to.equal(200);
            attempt.answered = true;
        }
        catch (error) {
            if (!(error instanceof TypeError)) {
                throw error;
            }

            // The kill came first (fetch says so by a TypeError): the object may be there or not, but never in part.
            return;
        }
    }
}

async function verify({ url }: ServiceProcess, { id, name, payload, answered }: Attempt): Promise<void> {

    const answer = await fetch(`${url}/objects/${id}?full`);
    const object = await answer.json() as { content: { name: string }; payloads?: { size: number }[] };
    if (!answered && answer.status === 404) {
        return;
    }

    expect(answer.status, `${id} was answered`).to.equal(200);
    expect(object.content.name).to.equal(name);
    expect(object.payloads?.map(({ size }) => size) ?? []).to.equal(payload ? [payload.length] : []);
    if (payload) {
        const bytes = await fetch(`${url}/objects/${id}?payload=data`);
        expect(Buffer.from(await bytes.arrayBuffer()).equals(payload), `bytes of ${id}`).to.be.true();
    }
}
