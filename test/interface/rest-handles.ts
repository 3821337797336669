import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Received, RestService } from '../support/rest-service.js';
import { multipart, jsonOf } from '../support/rest.js';
import { onEveryDatabase, startRest } from '../support/rest-service.js';
import { createSqlite } from '../support/database.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

interface HandleRecord {
    readonly responseCode: number;
    readonly handle: string;
    readonly values: readonly { index: number; type: string; data: { format: string; value: unknown }; ttl: number; timestamp: string }[];
}

function recordOf(response: Received): HandleRecord {

    return JSON.parse(response.payload) as HandleRecord;
}

onEveryDatabase((name, start) => {

    describe(`handles on ${name}`, () => {

        let service: RestService;
        before(async () => {

            service = await start({ BASE_URI: 'https://repo.example/' });
            const content = { id: '', name: 'A map', home: 'https://map.example/' };
            await service.asAdmin('POST /objects?type=Document&handle=test/map', multipart(
                { name: 'content', value: JSON.stringify(content) }, { name: 'scan 1', value: 'bytes', filename: 'a.txt' }));
            await service.create('Document', { name: 'secret' }, 'handle=test/secret');
            await service.asAdmin('PUT /acls/test/secret', { payload: JSON.stringify({ readers: [], writers: [] }) });
        });
        after(() => service.stop());

        async function design(handleMintingConfig: object): Promise<void> {

            const { payload } = await service.asAdmin('GET /objects/design');
            const content = { ...JSON.parse(payload) as object, handleMintingConfig: { prefix: 'test', baseUri: 'https://repo.example/', ...handleMintingConfig } };
            const response = await service.asAdmin('PUT /objects/design', { payload: JSON.stringify(content) });
            expect(response.statusCode).to.equal(200);
        }

        it('resolve to the record of the object', async () => {

            await design({});

            const response = await service.anonymously('GET /api/handles/test/map');
            const { responseCode, handle, values } = recordOf(response);

            expect([response.statusCode, response.headers['content-type']]).to.equal([200, 'application/json; charset=utf-8']);
            expect([responseCode, handle]).to.equal([1, 'test/map']);
            expect(values.map(({ index, type, data, ttl }) => [index, type, data, ttl])).to.equal([
                [1, '10320/loc', {
                    format: 'string',
                    value: '<locations>\n<location href="https://repo.example/objects/test/map" weight="0" view="json" />\n' +
                        '<location href="https://repo.example/hdl/test/map?locatt=view:ui" weight="1" view="ui" />\n</locations>'
                }, 86400],
                [2, '0.TYPE/DOIPService', { format: 'string', value: 'test/service' }, 86400]
            ]);
            expect(values.every(({ timestamp }) => TIME.test(timestamp))).to.be.true();
        });

        it('resolve by the minting configuration, from the next request on', async () => {

            await design({
                handleAdminIdentity: '300:test/admin', omitDoipServiceHandleValue: true,
                defaultLinks: [{ type: 'payload', all: true }, { type: 'url', specific: '/home', primary: true }]
            });

            const { values } = recordOf(await service.anonymously('GET /api/handles/test%2Fmap'));

            expect<unknown>(values.map(({ index, type, data }) => [index, type, data.value])).to.equal([
                [100, 'HS_ADMIN', { handle: 'test/admin', index: 300, permissions: '111111111111' }],
                [1, '10320/loc', '<locations>\n<location href="https://repo.example/objects/test/map?payload=scan%201" weight="0" view="scan 1" />\n' +
                    '<location href="https://map.example/" weight="1" view="/home" />\n</locations>']
            ]);
        });

        it('resolve to the requested values', async () => {

            await design({ handleAdminIdentity: '300:test/admin' });
            const ask = async (query: string): Promise<unknown> => {

                const { responseCode, values } = recordOf(await service.anonymously(`GET /api/handles/test/map?${query}`));
                return [responseCode, values.map(({ index }) => index)];
            };

            expect(await ask('index=2&auth&cert=true')).to.equal([1, [2]]);
            expect(await ask('type=hs_admin&index=2')).to.equal([1, [100, 2]]);
            expect(await ask('type=HS_ADMIN&type=10320/loc')).to.equal([1, [100, 1]]);
            expect(await ask('type=0.TYPE/DOIPService.')).to.equal([1, [2]]);
            expect(await ask('type=0.TYPE/DOIP.')).to.equal([200, []]);
            expect(await ask('index=5')).to.equal([200, []]);
        });

        it('resolve for the service itself', async () => {

            await design({ doipServiceHandleValues: [{ index: 3, type: 'URL', data: 'https://about.example/' }] });

            const { values } = recordOf(await service.anonymously('GET /api/handles/test/service'));

            expect(values.map(({ index, type }) => [index, type])).to.equal([[1, '0.TYPE/DOIPServiceInfo'], [3, 'URL']]);
            expect(JSON.parse(String(values[0]?.data.value))).to.include({ id: 'test/service', type: '0.TYPE/DOIPServiceInfo' });
        });

        it('are indented on request', async () => {

            const response = await service.anonymously('GET /api/handles/test/map?pretty');

            expect(response.payload).to.match(/^\{\n {2}"responseCode": 1,\n/);
        });

        for (const [title, line] of [
            ['does not exist', 'GET /api/handles/test/none'], ['may not be read', 'GET /api/handles/test/secret'], ['is no handle', 'GET /api/handles/design']
        ] as const) {
            it(`of what ${title} are not found`, async () => {

                const handle = line.slice('GET /api/handles/'.length);
                const response = await service.anonymously(line);

                expect(response.statusCode).to.equal(404);
                expect(jsonOf(response)).to.equal({ message: `handle ${handle} does not exist`, responseCode: 100, handle });
            });
        }

        it('of private objects resolve only for permitted callers', async () => {

            const followed = await service.anonymously('GET /hdl/test/secret?locatt=view:json');
            const resolved = await service.asAdmin('GET /api/handles/test/secret');

            expect([followed.statusCode, jsonOf(followed)['responseCode']]).to.equal([404, 100]);
            expect([resolved.statusCode, recordOf(resolved).responseCode]).to.equal([200, 1]);
        });

        for (const [line, message] of [
            ['GET /api/handles/', 'Missing handle: it must follow in the path'], ['GET /hdl', 'Missing handle: it must follow in the path'],
            ['GET /api/handles/test/map?index=one', /index/]
        ] as const) {
            it(`are rejected in ${line}`, async () => {

                const response = await service.anonymously(line);

                expect(response.statusCode).to.equal(400);
                expect(jsonOf(response)['message']).to.match(typeof message === 'string' ? new RegExp(`^${message}$`) : message);
            });
        }

        it('redirect programs to the object', async () => {

            await design({});

            const response = await service.anonymously('GET /cordra/hdl/test/map?locatt=view:json');

            expect([response.statusCode, response.headers['location']]).to.equal([302, '/cordra/objects/test/map']);
        });

        for (const query of ['', '?locatt=view:ui', '?locatt=view:nothing', '?locatt=country:gb']) {
            it(`show a page of the service without a user interface (${query})`, async () => {

                await design({});

                const response = await service.anonymously(`GET /hdl/test/map${query}`);

                expect([response.statusCode, response.headers['content-type']]).to.equal([200, 'text/html; charset=utf-8']);
                expect(response.headers['content-security-policy']).to.match(/^default-src 'none';.* sandbox/);
                expect(response.headers['x-content-type-options']).to.equal('nosniff');
                expect(response.payload).to.contain('<h1>test/map</h1>').and.to.contain('href="/objects/test/map"');
            });
        }

        it('redirect to views by name, by default to the primary one', async () => {

            await design({ defaultLinks: [{ type: 'payload', all: true }, { type: 'url', specific: '/home', primary: true }] });
            const location = async (query: string): Promise<unknown> => {

                const { statusCode, headers } = await service.anonymously(`GET /hdl/test/map?${query}`);
                return [statusCode, headers['location']];
            };

            expect(await location('locatt=view:scan%201')).to.equal([302, 'https://repo.example/objects/test/map?payload=scan%201']);
            expect(await location('locatt=view:/home')).to.equal([302, 'https://map.example/']);
            expect(await location('')).to.equal([302, 'https://map.example/']);
            expect((await service.anonymously('GET /hdl/test/map?noredirect')).payload).to.contain('10320/loc').and.not.to.contain('<a ');
        });

        it('have the values from the script of the design, and standard values without any', async () => {

            await design({ javascript: `exports.createHandleValues = (object, context) => {

                if (object.id === 'test/odd') {
                    return { index: 1 };
                }

                return [{ index: 7, type: 'URL', data: { format: 'string', value: 'https://a.example/' + object.content.name } }];
            };` });
            await service.create('Document', { name: 'odd' }, 'handle=test/odd');

            const { values } = recordOf(await service.anonymously('GET /api/handles/test/map'));
            const odd = await service.anonymously('GET /api/handles/test/odd');
            await service.asAdmin('POST /updateHandles');
            const status = async (): Promise<Readonly<Record<string, unknown>>> => jsonOf(await service.asAdmin('GET /updateHandles'));
            await until(async () => !(await status())['inProgress']);
            await service.asAdmin('DELETE /objects/test/odd');

            expect<unknown>(values.map(({ index, type, data }) => [index, type, data.value])).to.equal([
                [7, 'URL', 'https://a.example/A map'], [1, '0.TYPE/DOIPService', 'test/service']
            ]);
            // Not made by the script, and nothing is told of what is wrong with it.
            expect(odd.statusCode).to.equal(200);
            expect(recordOf(odd).values.map(({ index, type }) => [index, type])).to.equal([[1, '10320/loc'], [2, '0.TYPE/DOIPService']]);
            expect((await status())['exceptionCount']).to.equal(1);
            const followed = await service.anonymously('GET /hdl/test/map');
            expect([followed.statusCode, followed.headers['location']]).to.equal([302, 'https://a.example/A%20map']);
        });

        it('are displayed as text, with any content', async () => {

            const hostile = 'test/<script>alert(1)<%2fscript>"\'&';
            await design({ defaultLinks: [{ type: 'url', specific: '/name' }] });
            await service.create('Document', { name: 'https://a.example/"><script>alert(2)</script>' }, `handle=${encodeURIComponent(decodeURIComponent(hostile))}`);

            const { payload, statusCode } = await service.anonymously(`GET /hdl/${hostile.replaceAll('"', '%22').replaceAll('<', '%3C').replaceAll('>', '%3E')}`);

            expect(statusCode).to.equal(200);
            expect(payload).to.not.match(/<script|a\.example\/">/);
            expect(payload).to.contain('test/&lt;script&gt;alert(1)&lt;/script&gt;&quot;&apos;&amp;');
        });

        it('resolve over DOIP', async () => {

            await design({});

            const response = await service.anonymously('GET /doip?operationId=gateway/Op.Handles.Resolve&targetId=test/map&attributes.index=2');
            const missing = await service.anonymously('GET /doip/gateway/Op.Handles.Locate?targetId=test/none');
            const located = await service.anonymously('GET /doip?operationId=gateway/Op.Handles.Locate&targetId=test/map&attributes.view=json');

            expect(recordOf(response).values.map(({ type }) => type)).to.equal(['0.TYPE/DOIPService']);
            expect([missing.statusCode, jsonOf(missing)['responseCode']]).to.equal([404, 100]);
            expect(jsonOf(located)).to.include({ view: 'json', href: null });
        });
    });
});

describe('handles of a service with a user interface', () => {

    let service: RestService;
    before(async () => {

        service = await startRest(createSqlite, 'http/1.1', { UI_BASE_URI: 'https://ui.example/', BASE_PATH: '/api' });
        await service.asAdmin('POST /objects?type=Document&handle=test/a%20b', { payload: '{"name":"x"}' });
    });
    after(() => service.stop());

    it('redirect there', async () => {

        for (const query of ['', '?locatt=view:ui']) {
            const response = await service.anonymously(`GET /hdl/test/a%20b${query}`);

            expect([response.statusCode, response.headers['location']]).to.equal([302, 'https://ui.example/#objects/test/a%20b']);
        }
    });

    it('redirect programs to the address of the service by default', async () => {

        const { values } = recordOf(await service.anonymously('GET /api/handles/test/a%20b'));

        expect(values[0]?.data.value).to.equal(`<locations>\n<location href="${service.url}/objects/test/a%20b" weight="0" view="json" />\n` +
            '<location href="https://ui.example/#objects/test/a%20b" weight="1" view="ui" />\n</locations>');
    });
});
