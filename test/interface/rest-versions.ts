import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jsonOf, multipart } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

type Record = Readonly<{ [member: string]: unknown }>;

onEveryDatabase((name, start) => {

    describe(`versions by REST on ${name}`, () => {

        let service: RestService;
        let count = 0;
        let id = '';

        before(async () => {

            service = await start();
        });

        beforeEach(async () => {

            id = `test/doc ${++count}`;
            await service.asAdmin(`POST /objects?type=Document&handle=${encodeURIComponent(id)}`, multipart(
                { name: 'content', value: '{"name":"Map"}' },
                { name: 'scan', value: 'bytes', filename: 'a.txt', type: 'text/plain' }
            ));
        });

        after(() => service.stop());

        const path = (more = ''): string => `/versions/?objectId=${encodeURIComponent(id)}${more}`;

        async function publish(more = ''): Promise<Record> {

            const response = await service.asAdmin(`POST ${path(more)}`);
            expect(response.statusCode, response.payload).to.equal(200);
            return jsonOf(response);
        }

        const payloadsOf = async (version: unknown): Promise<unknown> => {

            return jsonOf(await service.anonymously(`GET /objects/${encodeURI(String(version))}?full`))['payloads'];
        };

        it('are published and listed, with the object last', async () => {

            const record = await publish();
            const listed = JSON.parse((await service.anonymously(`GET ${path()}`)).payload) as Record[];

            expect(record).to.include({ type: 'Document', versionOf: id, publishedBy: 'admin', isTip: false });
            expect(listed).to.have.length(2);
            expect(listed[0]).to.equal(record);
            expect(listed[1]).to.include({ id, type: 'Document', isTip: true });
            expect(Object.keys(listed[1]!)).to.equal(['id', 'type', 'modifiedOn', 'isTip']);
        });

        it('get the requested id', async () => {

            const { id: version } = await publish('&versionId=test/wanted%20' + count);
            const payload = await service.anonymously(`GET /objects/test/wanted%20${count}?payload=scan`);

            expect(version).to.equal(`test/wanted ${count}`);
            expect([payload.statusCode, payload.payload, payload.headers['content-type']]).to.equal([200, 'bytes', 'text/plain;charset=utf-8']);
        });

        const clones: readonly (readonly [query: string, cloned: boolean])[] = [
            ['', true], ['&clonePayloads=true', true], ['&clonePayloads=True', true],
            ['&clonePayloads', false], ['&clonePayloads=', false], ['&clonePayloads=false', false]
        ];
        for (const [query, cloned] of clones) {
            it(`${cloned ? 'have' : 'do not have'} the payloads of the object with "${query}"`, async () => {

                const { id: version } = await publish(query);

                expect(await payloadsOf(version)).to.equal(
                    cloned ? [{ name: 'scan', filename: 'a.txt', mediaType: 'text/plain', size: 5 }] : undefined);
            });
        }

        it('are found with includeVersions only', async () => {

            const { id: version } = await publish();
            const query = encodeURIComponent(`versionOf:"${id}"`);
            const without = jsonOf(await service.anonymously(`GET /search?ids&query=${query}`));
            const including = jsonOf(await service.anonymously(`GET /search?ids&includeVersions=true&query=${query}`));

            expect(without).to.include({ size: 0, results: [] });
            expect(including).to.include({ size: 1, results: [version] });
        });

        const faults: readonly (readonly [title: string, line: () => string, status: number])[] = [
            ['of nothing in particular', () => 'POST /versions', 400],
            ['of an object that does not exist', () => 'POST /versions?objectId=test/none', 404],
            ['under an id that is taken', () => `POST ${path(`&versionId=${encodeURIComponent(id)}`)}`, 409],
            ['under an id that cannot be', () => `POST ${path('&versionId=x')}`, 400]
        ];
        for (const [title, line, status] of faults) {
            it(`are not published ${title}`, async () => {

                const response = await service.asAdmin(line());

                expect([response.statusCode, typeof jsonOf(response)['message']]).to.equal([status, 'string']);
                expect(JSON.parse((await service.anonymously(`GET ${path()}`)).payload)).to.have.length(1);
            });
        }

        it('are published by writers, and listed for readers', async () => {

            await service.asAdmin(`PUT /acls/${encodeURI(id)}`, { payload: '{"readers":[],"writers":[]}' });
            const answers = [
                await service.anonymously(`POST ${path()}`), await service.anonymously(`GET ${path()}`),
                await service.anonymously('GET /versions?objectId=test/none'), await service.anonymously('GET /versions')
            ];

            expect(answers.map(({ statusCode }) => statusCode)).to.equal([401, 401, 404, 400]);
        });
    });
});
