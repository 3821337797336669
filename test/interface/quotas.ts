/** Quotas of users and types through the real interfaces: what counts, where a change is rejected, what gives room again, and who sees it. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { QuotaOptions } from '../../lib/objects/quotas/quotas.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { DIALECTS, waysOf } from '../support/database.js';
import type { TestGateway } from '../support/gateway.js';
import { startGateway } from '../support/gateway.js';
import { seeded } from '../support/random.js';
import { basic, jsonOf, multipart } from '../support/rest.js';
import type { Received, RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PASSWORD = 'password of a user';
const NO_QUOTAS: QuotaOptions = { countUsage: true, userObjects: 0, userBytes: 0, typeObjects: 0, typeBytes: 0 };

interface Totals {
    readonly objects: number;
    readonly bytes: number;
}

interface Report {
    readonly user: Totals & { readonly id: string; readonly maxObjects: number | null; readonly maxBytes: number | null };
    readonly type?: Totals;
}

onEveryDatabase((name, start) => {

    describe(`quotas on ${name}`, () => {

        let service: RestService;
        let users = 0;

        before(async () => {

            service = await start({ QUOTA_USER_OBJECTS: 3, QUOTA_USER_BYTES: 2000 });
        });

        after(() => service.stop());

        const newUser = async (): Promise<{ id: string; headers: Record<string, string> }> => {

            const username = `user-${++users}`;
            const { id } = await service.create('User', { username, password: PASSWORD });
            return { id, headers: basic(username, PASSWORD) };
        };

        const usageOf = async (headers: Record<string, string>, query = ''): Promise<Report> =>
            jsonOf(await service.anonymously(`GET /usage${query}`, { headers })) as unknown as Report;

        const create = (headers: Record<string, string>, content: JsonObject, type = 'Document'): Promise<Received> =>
            service.anonymously(`POST /objects?full&type=${type}`, { headers, payload: JSON.stringify(content) });

        const idOf = (answer: Received): string => String(jsonOf(answer)['id']);

        const setQuotas = async (quotas: JsonObject): Promise<void> => {

            const answer = await service.asAdmin('PUT /objects/design?jsonPointer=/quotas', { payload: JSON.stringify(quotas) });
            expect(answer.statusCode, answer.payload).to.equal(200);
        };

        it('reject objects beyond the quota with 507, store nothing, and accept them after a deletion', async () => {

            const { id, headers } = await newUser();
            const created = [];
            for (let i = 0; i < 3; ++i) {
                created.push(await create(headers, { n: i }));
            }

            const rejected = await create(headers, { n: 3 });
            const before = await usageOf(headers);

            expect(created.map(({ statusCode }) => statusCode)).to.equal([200, 200, 200]);
            expect([rejected.statusCode, jsonOf(rejected)['message']]).to.equal([507,
                `the quota of what ${id} has created is 3 objects and 2000 bytes, which this change would exceed: ` +
                'delete something, or ask an administrator for more']);
            expect(before.user).to.include({ id, objects: 3, maxObjects: 3, maxBytes: 2000 });
            expect(jsonOf(await service.asAdmin(`GET /search?query=${encodeURIComponent(`metadata/createdBy:"${id}"`)}&pageSize=0`))['size']).to.equal(3);

            await service.anonymously(`DELETE /objects/${idOf(created[0]!)}`, { headers });
            expect((await usageOf(headers)).user.objects).to.equal(2);
            expect((await create(headers, { n: 4 })).statusCode).to.equal(200);
        });

        it('reject a dry run as the change itself, and store nothing', async () => {

            const { headers } = await newUser();
            const answers: unknown[] = [];
            const both = async (line: string, payload: JsonObject): Promise<void> => {

                for (const query of ['&dryRun', '']) {
                    const { statusCode, payload: text } = await service.anonymously(`${line}${query}`, { headers, payload: JSON.stringify(payload) });
                    answers.push(statusCode === 200 ? 200 : `${statusCode} ${text}`);
                }
            };

            const created = await create(headers, { n: 0 });
            await both(`PUT /objects/${idOf(created)}?full`, { text: 'x'.repeat(2000) });
            await create(headers, { n: 1 });
            await both('POST /objects?type=Document', { n: 2 });
            await both('POST /objects?type=Document', { n: 3 });
            await both(`PUT /objects/${idOf(created)}?full`, { n: 4 });

            expect(answers[0]).to.match(/^507 .*quota/);
            expect(answers.map((answer, i) => answer === answers[i - i % 2])).to.equal(Array.from(answers, () => true));
            expect(answers.slice(2)).to.equal([200, 200, answers[4], answers[4], 200, 200]);
            expect(answers[4]).to.match(/^507 .*quota/);
            expect((await usageOf(headers)).user.objects).to.equal(3);
        });

        it('count bytes of content and payloads, of what grows, shrinks and is removed', async () => {

            const { headers } = await newUser();
            const content = { text: 'ä'.repeat(10) };
            const bytes = Buffer.byteLength(JSON.stringify(content));
            const answer = await service.anonymously('POST /objects?full&type=Document', {
                headers: { ...headers, ...multipart().headers },
                payload: multipart({ name: 'content', value: JSON.stringify(content) }, { name: 'file', value: 'x'.repeat(1500), filename: 'a.txt' }).payload
            });
            const path = `/objects/${idOf(answer)}`;
            const names = 'filea.txt'.length + String((jsonOf(answer)['payloads'] as { mediaType?: string }[])[0]?.mediaType ?? '').length;
            const own = Buffer.byteLength(JSON.stringify(jsonOf(answer)['content']));
            const bytesNow = async (): Promise<number> => (await usageOf(headers)).user.bytes - own;
            expect([answer.statusCode, own >= bytes, await bytesNow()]).to.equal([200, true, 1500 + names]);

            const more = multipart({ name: 'content', value: JSON.stringify(content) }, { name: 'file', value: 'x'.repeat(2000), filename: 'a.txt' });
            expect((await service.anonymously(`PUT ${path}`, { headers: { ...headers, ...more.headers }, payload: more.payload })).statusCode).to.equal(507);
            expect(await bytesNow()).to.equal(1500 + names);
            expect((await service.anonymously(`GET ${path}?payload=file`, { headers })).rawPayload.length).to.equal(1500);

            const less = multipart({ name: 'content', value: JSON.stringify(content) }, { name: 'file', value: 'x'.repeat(700), filename: 'a.txt' });
            expect((await service.anonymously(`PUT ${path}`, { headers: { ...headers, ...less.headers }, payload: less.payload })).statusCode).to.equal(200);
            expect(await bytesNow()).to.equal(700 + names);

            await service.anonymously(`DELETE ${path}?payload=file`, { headers });
            expect(await bytesNow()).to.equal(0);
        });

        it('count access control lists, and the names of payloads, even of empty ones', async () => {

            const { headers } = await newUser();
            const id = idOf(await create(headers, { text: '' }));
            const { user: { bytes } } = await usageOf(headers);
            const acl = { readers: ['public'], writers: ['creator'] };
            const put = (value: object): Promise<Received> => service.anonymously(`PUT /acls/${id}`, { headers, payload: JSON.stringify(value) });
            expect((await put(acl)).statusCode).to.equal(200);
            expect((await usageOf(headers)).user.bytes).to.equal(bytes + Buffer.byteLength(JSON.stringify(acl)));
            expect((await put({ readers: Array.from({ length: 100 }, (_, i) => `test/${'x'.repeat(100)}${i}`) })).statusCode).to.equal(507);

            const { headers: form, payload } = multipart(
                { name: 'content', value: '{"text":""}' }, ...Array.from({ length: 20 }, (_, i) => ({ name: `${'n'.repeat(100)}${i}`, value: '', filename: 'f'.repeat(100) }))
            );
            expect((await service.anonymously(`PUT /objects/${id}`, { headers: { ...headers, ...form }, payload })).statusCode).to.equal(507);
            expect((await put({})).statusCode).to.equal(200);
            expect(Math.abs((await usageOf(headers)).user.bytes - bytes)).to.be.below(3);
        });

        it('count published versions, with the payloads that they share', async () => {

            const { headers } = await newUser();
            const answer = await create(headers, { text: 'x'.repeat(600) });
            const { user: { bytes } } = await usageOf(headers);
            const publish = (): Promise<Received> => service.asAdmin(`POST /versions/?objectId=${idOf(answer)}`);
            const asOwner = (): Promise<Received> => service.anonymously(`POST /versions/?objectId=${idOf(answer)}`, { headers });

            expect([(await asOwner()).statusCode, (await asOwner()).statusCode, (await asOwner()).statusCode]).to.equal([200, 200, 507]);
            expect((await usageOf(headers)).user).to.include({ objects: 3, bytes: 3 * bytes });
            // An administrator may exceed the quota, and it is counted.
            expect((await publish()).statusCode).to.equal(200);
            expect((await usageOf(headers)).user).to.include({ objects: 4, bytes: 4 * bytes });
        });

        it('hold concurrent writers to the quota exactly', async () => {

            const { id, headers } = await newUser();
            await setQuotas({ users: { [id]: { objects: 10, bytes: null } } });
            const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => create(headers, { n })));
            const counts = new Map<number, number>();
            answers.forEach(({ statusCode }) => counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1));

            expect([...counts].toSorted(([a], [b]) => a - b)).to.equal([[200, 10], [507, 30]]);
            expect((await usageOf(headers)).user).to.include({ objects: 10, maxObjects: 10, maxBytes: null });
        });

        it('of the design replace the defaults for a user and hold for types', async () => {

            const { id, headers } = await newUser();
            const { headers: other } = await newUser();
            await service.asAdmin('PUT /schemas/Note', { payload: JSON.stringify({ type: 'object' }) });
            await setQuotas({ users: { [id]: { objects: null } }, types: { Note: { objects: 2 } } });

            const documents = await Promise.all(Array.from({ length: 6 }, (_, n) => create(headers, { n })));
            const notes = [await create(headers, { n: 1 }, 'Note'), await create(other, { n: 2 }, 'Note'), await create(other, { n: 3 }, 'Note')];

            expect(new Set(documents.map(({ statusCode }) => statusCode))).to.equal(new Set([200]));
            expect(notes.map(({ statusCode }) => statusCode)).to.equal([200, 200, 507]);
            expect(jsonOf(notes[2]!)['message']).to.match(/^the quota of all objects of the type Note is 2 objects, which this change would exceed: /);
            // A change of the type counts for the new type.
            const moved = await service.anonymously(`PUT /objects/${idOf(documents[0]!)}?type=Note`, { headers, payload: '{"n":7}' });
            expect(moved.statusCode).to.equal(507);
            await service.anonymously(`DELETE /objects/${idOf(notes[0]!)}`, { headers });
            expect((await service.anonymously(`PUT /objects/${idOf(documents[0]!)}?type=Note`, { headers, payload: '{"n":7}' })).statusCode).to.equal(200);
        });

        it('of a batch reject the items beyond, each on its own', async () => {

            const { headers } = await newUser();
            const items = Array.from({ length: 5 }, (_, n) => ({ type: 'Document', content: { n } }));
            const answer = jsonOf(await service.anonymously('POST /batchUpload', { headers, payload: JSON.stringify(items) }));
            const codes = (answer['results'] as { responseCode: number }[]).map(({ responseCode }) => responseCode);

            expect(codes.toSorted((a, b) => a - b)).to.equal([200, 200, 200, 507, 507]);
            expect((await usageOf(headers)).user.objects).to.equal(3);
        });

        it('are rejected in the design if they are no whole numbers', async () => {

            for (const wrong of [-1, 1.5, '10', true]) {
                const answer = await service.asAdmin('PUT /objects/design?jsonPointer=/quotas', { payload: JSON.stringify({ users: { x: { objects: wrong } } }) });
                expect([wrong, answer.statusCode]).to.equal([wrong, 400]);
            }
        });

        for (const [title, query, asUser, status] of [
            ['a caller without a login sees nothing', '', false, 401],
            ['a user sees the own usage', '', true, 200],
            ['a user does not see that of others', '?user=admin', true, 403],
            ['a user does not see that of types', '?type=Document', true, 403]
        ] as const) {
            it(`${title}`, async () => {

                const headers = asUser ? (await newUser()).headers : {};
                expect((await service.anonymously(`GET /usage${query}`, { headers })).statusCode).to.equal(status);
            });
        }

        it('are seen by administrators for all users and types, by REST and DOIP alike', async () => {

            const { id, headers } = await newUser();
            await create(headers, { n: 1 });
            const rest = jsonOf(await service.asAdmin(`GET /usage?user=${id}&type=User`)) as unknown as Report;
            const doip = jsonOf(await service.asAdmin(`GET /doip/${Op.usage}?targetId=service&user=${id}&type=User`));

            expect(rest.user).to.include({ id, objects: 1, maxObjects: 3, maxBytes: 2000 });
            expect(Number(rest.type?.objects)).to.be.above(0);
            expect(doip).to.equal(rest as unknown as typeof doip);
        });
    });

    describe(`a service that does not count, on ${name}`, () => {

        it('says so, and has no quotas', async () => {

            const service = await start();
            const answer = await service.asAdmin('GET /usage');
            await service.stop();

            expect([answer.statusCode, jsonOf(answer)['message']]).to.equal(
                [400, 'usage is not counted here: the operator can turn it on with the setting COUNT_USAGE']);
        });
    });
});

for (const { name, create: createDatabase } of waysOf(DIALECTS)) {
    describe(`totals on ${name}`, () => {

        it('equal a new count of all objects, after any changes', async () => {

            const database = await createDatabase();
            const random = seeded(20);
            const report = async (test: TestGateway): Promise<unknown> =>
                (await test.asAdmin(Op.usage, { attributes: { user: 'admin', type: 'Document' } })).value;
            let test = await startGateway(database, { quotas: NO_QUOTAS });
            const ids: string[] = [];
            for (let i = 0; i < 80; ++i) {
                const id = ids.length === 0 || random.chance(0.4) ? null : random.pick(ids);
                const content = { text: 'é'.repeat(random.integer(0, 300)) };
                const elements = { element: 'scan', text: 'x'.repeat(random.integer(0, 300)) };
                if (id === null) {
                    ids.push((await test.create('Document', content)).id);
                }
                else if (random.chance(0.3)) {
                    await test.asAdmin(Op.versionsPublish, { targetId: id });
                }
                else if (random.chance(0.2)) {
                    await test.asAdmin(Op.aclsUpdate, { targetId: id, input: [{ kind: 'json', value: { readers: [`test/é${random.integer(0, 1000)}`] } }] });
                }
                else if (random.chance(0.3)) {
                    await test.asAdmin(Op.delete, { targetId: id });
                    ids.splice(ids.indexOf(id), 1);
                }
                else {
                    await test.asAdmin(Op.update, { targetId: id, input: [
                        { kind: 'json', value: { id, attributes: { content }, elements: [{ id: 'scan', type: 'text/plain', attributes: { filename: `é${i}` } }] } },
                        { kind: 'json', value: { id: elements.element } },
                        { kind: 'bytes', body: (async function *() {

                            yield Buffer.from(elements.text);
                        })() }
                    ] });
                }
            }

            const counted = await report(test);
            await test.stop();
            test = await startGateway(database, { quotas: NO_QUOTAS });
            const kept = await report(test);
            await test.stop();
            // A start without counting makes the totals void; changes then go uncounted.
            test = await startGateway(database);
            await test.create('Document', { text: 'not counted' });
            await test.stop();
            test = await startGateway(database, { quotas: NO_QUOTAS });
            const recounted = await report(test) as { type: Totals; user: Totals };
            await test.asAdmin(Op.delete, { targetId: ids[0] ?? '' });
            await test.stop();
            await database.dispose();

            const added = Buffer.byteLength(JSON.stringify({ text: 'not counted' }));
            const { type, user } = counted as { type: Totals; user: Totals };
            expect(kept).to.equal(counted);
            expect(recounted.type.objects).to.equal(type.objects + 1);
            expect(recounted.user.objects).to.equal(user.objects + 1);
            expect([recounted.type.bytes - type.bytes, recounted.user.bytes - user.bytes].every((bytes) => bytes >= added && bytes < added + 60)).to.be.true();
        });
    });
}
