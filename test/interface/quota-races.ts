/**
 * Quotas while writers of all protocols, a batch and uploads of the administrator run at the same time: no total is exceeded, and the
 * totals are those of a new count afterwards.
 */

import { setTimeout } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { TestDatabase } from '../support/database.js';
import type { Received, RestService } from '../support/rest-service.js';
import { forEachDatabase } from '../support/database.js';
import { NativeClient, OK, UNAUTHENTICATED } from '../support/native.js';
import { seeded } from '../support/random.js';
import { basic, jsonOf, multipart } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PASSWORD = 'password of a user';
const MAX_OBJECTS = 12;
const MAX_BYTES = 6000;

interface Totals {
    readonly objects: number;
    readonly bytes: number;
}

interface Report {
    readonly user: Totals & { readonly maxObjects: number | null };
    readonly type: Totals;
}

forEachDatabase((name, create) => {

    describe(`quotas during changes by all protocols at once, on ${name}`, () => {

        let database: TestDatabase;
        let service: RestService;

        /** Starts a service on the one database, which outlives it. */
        const start = async (settings: Record<string, unknown>): Promise<void> => {

            const shared = { ...database, dispose: () => Promise.resolve() };
            service = await startRest(() => Promise.resolve(shared), 'http/1.1', { DATA_DIR: database.options.dataDir, DOIP_PORT: 0, ...settings });
        };

        before(async () => {

            database = await create();
            await start({ COUNT_USAGE: true });
        });

        after(async () => {

            await service.stop();
            await database.dispose();
        });

        const newUser = async (username: string): Promise<string> => (await service.create('User', { username, password: PASSWORD })).id;
        const usageOf = async (user: string, type: string): Promise<Report> =>
            jsonOf(await service.asAdmin(`GET /usage?user=${user}&type=${type}`)) as unknown as Report;
        const setQuotas = async (quotas: JsonObject): Promise<void> => {

            expect((await service.asAdmin('PUT /objects/design?jsonPointer=/quotas', { payload: JSON.stringify(quotas) })).statusCode).to.equal(200);
        };

        const native = async <T>(work: (client: NativeClient) => Promise<T>): Promise<T> => {

            const client = await NativeClient.open(service.gateway.services.endpoint().native?.port ?? 0);
            try {
                return await work(client);
            }
            finally {
                client.close();
            }
        };

        it('hold REST, DOIP over HTTP, native DOIP and a batch of one user to the quota together', async () => {

            const id = await newUser('writer');
            await setQuotas({ users: { [id]: { objects: MAX_OBJECTS, bytes: MAX_BYTES } } });
            const headers = basic('writer', PASSWORD);
            const content = { text: 'x'.repeat(100) };
            const refused: string[] = [];
            const created = async (answer: Promise<Received>): Promise<number> => {

                const { statusCode, payload } = await answer;
                if (statusCode !== 200) {
                    refused.push(`${statusCode} ${payload.slice(0, 60)}`);
                }

                return Number(statusCode === 200);
            };

            const ways: (() => Promise<number>)[] = [
                () => created(service.anonymously('POST /objects?type=Document', { headers, payload: JSON.stringify(content) })),
                () => {

                    const form = multipart({ name: 'content', value: JSON.stringify(content) }, { name: 'file', filename: 'f', value: 'y'.repeat(100) });
                    return created(service.anonymously('POST /objects?type=Document', { ...form, headers: { ...headers, ...form.headers } }));
                },
                () => created(service.anonymously('POST /doip/0.DOIP/Op.Create?targetId=service', {
                    headers: { ...headers, 'content-type': 'application/json' }, payload: JSON.stringify({ type: 'Document', attributes: { content } })
                })),
                () => native(async (client) => {

                    const { head } = await client.ask(`${JSON.stringify({
                        targetId: 'service', operationId: '0.DOIP/Op.Create', authentication: { username: 'writer', password: PASSWORD },
                        input: { type: 'Document', attributes: { content } }
                    })}\n#\n#\n`);
                    if (head.status !== OK) {
                        refused.push(JSON.stringify(head).slice(0, 100));
                    }

                    return Number(head.status === OK);
                }),
                async () => {

                    const items = Array.from({ length: 4 }, () => ({ type: 'Document', content }));
                    const answer = await service.anonymously('POST /batchUpload', { headers, payload: JSON.stringify(items) });
                    return (jsonOf(answer)['results'] as { responseCode: number }[]).filter(({ responseCode }) => responseCode === 200).length;
                }
            ];
            // The password is verified once: of many that wait for it, some would be refused.
            expect((await service.anonymously('GET /check-credentials', { headers })).statusCode).to.equal(200);
            // What the administrator uploads for the user is counted, and not limited.
            const upload = service.asAdmin('POST /uploadObjects', { payload: JSON.stringify([
                { id: 'test/uploaded', type: 'Document', content, metadata: { createdBy: id } }, { id: 'test/other', type: 'Document', content }
            ]) });

            const atOnce = async (): Promise<number> => {

                const counts = await Promise.all(Array.from({ length: 6 }, () => ways).flat().map((way) => way()));
                return counts.reduce((all, count) => all + count, 0);
            };

            const beside = await atOnce();
            expect((await upload).statusCode).to.equal(200);
            // Most of the first may have been refused because of the upload.
            const sum = beside + await atOnce();
            const { user } = await usageOf(id, 'Document');
            const found = jsonOf(await service.asAdmin(`GET /search?query=${encodeURIComponent(`metadata/createdBy:"${id}"`)}&pageSize=0`))['size'];

            expect([user.objects, found, user.maxObjects]).to.equal([sum + 1, sum + 1, MAX_OBJECTS]);
            expect(sum, refused.join('\n')).to.be.within(MAX_OBJECTS - 1, MAX_OBJECTS);
        });

        it('count exactly what is there, whatever was changed, uploaded and replaced meanwhile', async () => {

            const random = seeded(31);
            const id = await newUser('changing');
            await setQuotas({ users: { [id]: { objects: 30, bytes: 20_000 } } });
            const headers = basic('changing', PASSWORD);
            const ids = Array.from({ length: 8 }, (_, n) => `test/shared-${n}`);
            const content = (): JsonObject => ({ text: 'é'.repeat(random.integer(0, 200)) });
            const statuses = new Set<unknown>();
            const rest = async (line: string, payload?: string): Promise<void> => {

                statuses.add((await service.anonymously(line, { headers, ...payload === undefined ? {} : { payload } })).statusCode);
            };

            const one = async (): Promise<void> => {

                const target = random.pick(ids);
                const text = JSON.stringify(content());
                switch (random.integer(0, 7)) {
                    case 0: return rest(`POST /objects?type=Document&handle=${target}`, text);
                    case 1: return rest(`PUT /objects/${target}`, text);
                    case 2: return rest(`DELETE /objects/${target}`);
                    case 3: return rest(`POST /versions/?objectId=${target}`);
                    case 4: return rest(`PUT /acls/${target}`, JSON.stringify({ readers: ['public', `test/é${random.integer(0, 99)}`], writers: ['creator'] }));
                    case 5: {
                        const form = multipart({ name: 'content', value: text }, { name: `f${random.integer(0, 2)}`, filename: 'é.txt', value: 'y'.repeat(random.integer(0, 500)) });
                        statuses.add((await service.anonymously(`PUT /objects/${target}`, { ...form, headers: { ...headers, ...form.headers } })).statusCode);
                        return;
                    }

                    case 6: return native(async (client) => {

                        const { head } = await client.ask(`${JSON.stringify({
                            targetId: target, operationId: '0.DOIP/Op.Update', authentication: { username: 'changing', password: PASSWORD },
                            input: { id: target, attributes: { content: content() } }
                        })}\n#\n#\n`);
                        statuses.add(head.status);
                    });
                    default: {
                        const items = Array.from({ length: 3 }, () => ({ id: random.pick(ids), type: 'Document', content: content() }));
                        return rest('POST /batchUpload', JSON.stringify(items));
                    }
                }
            };

            const uploads = async (): Promise<void> => {

                for (let round = 0; round < 4; ++round) {
                    await setTimeout(300);                              // Writers are rejected during an upload
                    const items = Array.from({ length: 5 }, (_, n) => ({
                        id: n < 3 ? ids[n] : `test/uploaded-${round}-${n}`, type: 'Document', content: content(),
                        metadata: { createdBy: n < 4 ? id : 'test/somebody' }
                    }));
                    statuses.add(`upload ${(await service.asAdmin('POST /uploadObjects', { payload: JSON.stringify(items) })).statusCode}`);
                }
            };

            const lane = async (): Promise<void> => {

                for (let i = 0; i < 40 && !statuses.has(401) && !statuses.has(UNAUTHENTICATED); ++i) {
                    await one();
                }
            };

            for (const target of ids) {
                await rest(`POST /objects?type=Document&handle=${target}`, '{}');
            }

            await Promise.all([lane(), lane(), lane(), uploads()]);
            // All of the lanes may have been rejected during uploads that took long.
            for (let i = 0; i < 400 && [200, 409, OK].some((status) => !statuses.has(status)); ++i) {
                await one();
            }

            // Replaces all objects, and so the users with their totals; the writers go on until their user is gone.
            const everything = [
                { id: 'test/document', type: 'Schema', content: { name: 'Document', schema: { type: 'object' } } },
                ...ids.slice(0, 4).map((object) => ({ id: object, type: 'Document', content: content(), metadata: { createdBy: id } }))
            ];
            const replaced = (await Promise.all([
                service.asAdmin('POST /uploadObjects?deleteCurrentObjects', { payload: JSON.stringify(everything) }), lane(), lane()
            ]))[0];
            expect(replaced.statusCode, replaced.payload).to.equal(200);
            expect([200, 409, OK, 'upload 200'].filter((status) => !statuses.has(status))).to.equal([]);
            expect([...statuses].filter((status) => Number(status) >= 500 && status !== 507 && status !== 503)).to.equal([]);

            const keys: [string, string][] = [[id, 'Document'], ['test/somebody', 'User'], ['admin', 'Schema'], ['anonymous', 'Document']];
            const totals = async (): Promise<unknown[]> => Promise.all(keys.map(async ([user, type]) => {

                const report = await usageOf(user, type);
                return [report.user.objects, report.user.bytes, report.type.objects, report.type.bytes];
            }));
            const counted = await totals();
            for (const settings of [{}, { COUNT_USAGE: true }]) {           // The first makes the totals void
                await service.stop();
                await start(settings);
            }

            expect(await totals()).to.equal(counted);
        });
    });
});
