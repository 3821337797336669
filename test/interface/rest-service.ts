import type { JsonObject } from '../../lib/util/json-types.js';
import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { setImmediate } from 'node:timers/promises';
import { createGateway } from '../../lib/app/gateway.js';
import { createSqlite, forEachDatabase } from '../support/database.js';
import { gatewayOptions } from '../support/gateway.js';
import { ADMIN_HEADERS, jsonOf, restServer } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachWay((name, start) => {

    describe(`the description of the service by REST on ${name}`, () => {

        let service: RestService;
        before(async () => {

            service = await start();
        });

        after(() => service.stop());

        it('is the design with all types, indented', async () => {

            const response = await service.anonymously('GET /design');
            const design = jsonOf(response) as { handleMintingConfig: object; schemas: object; schemaIds: Record<string, string> };

            expect(response.statusCode).to.equal(200);
            expect(response.payload).to.startWith('{\n  ');
            expect(design.handleMintingConfig).to.include({ prefix: 'test' });
            expect(Object.keys(design.schemas)).to.include(['Schema', 'CordraDesign', 'User', 'Group', 'Document']);
            expect(Object.values(design.schemaIds)).to.include(['User', 'Group', 'Document']);
        });

        it('has the members of the design for user interfaces, even if they are not set', async () => {

            const design = async (path: string): Promise<Record<string, Record<string, unknown>>> => {

                const answer = jsonOf(await service.anonymously(`GET ${path}`)) as Record<string, Record<string, unknown>>;
                return (path === '/initData' ? answer['design'] : answer) as Record<string, Record<string, unknown>>;
            };

            const before = (await service.anonymously('GET /objects/design')).payload;
            for (const content of [before, '{}', '{"uiConfig":{"title":"Maps"},"handleMintingConfig":{"prefix":"20.500.1"}}']) {
                const put = await service.asAdmin('PUT /objects/design', { payload: content });
                const isOwn = content.includes('Maps');

                expect(put.statusCode).to.equal(200);
                expect(jsonOf(await service.anonymously('GET /objects/design'))).to.equal(JSON.parse(content) as JsonObject);
                for (const path of ['/design', '/initData']) {
                    const { uiConfig, authConfig, handleMintingConfig } = await design(path);

                    expect(uiConfig!['title']).to.be.a.string().and.to.not.be.empty();
                    expect(uiConfig).to.only.include(isOwn ? ['title'] : [
                        'title', 'relationshipsButtonText', 'allowUserToSpecifySuffixOnCreate', 'numTypesForCreateDropdown', 'aclUiSearchTypes',
                        'searchResults', 'initialQuery', 'initialFragment', 'initialSortFields', 'initialFilter', 'navBarLinks'
                    ]);
                    expect(authConfig).to.only.include(['schemaAcls', 'defaultAcls']);
                    expect(handleMintingConfig).to.equal({
                        prefix: isOwn ? '20.500.1' : 'test', defaultLinks: [{ type: 'json' }, { type: 'ui', primary: true }]
                    });
                }
            }

            await service.asAdmin('PUT /objects/design', { payload: before });
        });

        it('has templates, each of which defines a type, and code that runs', async () => {

            const response = await service.anonymously('GET /schemaTemplates');
            const { templates, exampleJavaScript } = jsonOf(response) as { templates: Record<string, object>; exampleJavaScript: string };

            expect(response.statusCode).to.equal(200);
            expect(Object.keys(templates)).to.include(['default', 'document', 'empty']);
            for (const [name, schema] of Object.entries(templates)) {
                await service.create('Schema', { name: `Of-${name}`, schema, javascript: exampleJavaScript });
            }

            const { id } = await service.create('Of-empty', {});

            expect((await service.asAdmin(`POST /call?objectId=${id}&method=nameOf`)).payload).to.equal('"untitled"');
            expect(Number((await service.asAdmin('POST /call?type=Of-empty&method=count')).payload)).to.be.above(0);
        });

        it('is version and design with the session of the caller', async () => {

            const anonymous = jsonOf(await service.anonymously('GET /initData'));
            const admin = jsonOf(await service.asAdmin('GET /initData'));

            expect(anonymous).to.include(['version', 'design']);
            expect(anonymous['isActiveSession']).to.be.false();
            expect(admin).to.include({ userId: 'admin', username: 'admin' });
        });

        it('is the state UP', async () => {

            await until(async () => isUp(jsonOf(await service.anonymously('GET /startupStatus/'))));
            const response = await service.anonymously('GET /startupStatus/');

            expect(response.statusCode).to.equal(200);
            expect(jsonOf(response)).to.equal({
                state: 'UP', details: { storage: 'UP', indexer: 'UP' },
                subsystems: { storage: 'UP', indexer: 'UP', identity: 'UP', handles: 'UP', jobs: 'UP' }
            });
        });
    });
});

/** Whether everything is up, such as an index that is being built, too. */
const isUp = (record: Readonly<Record<string, unknown>>): boolean => {

    return record['state'] === 'UP' && Object.values(record['subsystems'] as object).every((state) => state === 'UP');
};

describe('a service after a failed start', () => {

    it('reports it by REST, and responds with 503 to everything else', async () => {

        const database = await createSqlite();
        const gateway = createGateway(gatewayOptions(database, { databaseUrl: 'mysql://nobody@127.0.0.1:1/none' }));
        const server = await restServer(gateway);
        await expect(gateway.start()).to.reject();

        const status = await server.inject('/startupStatus');
        const other = await server.inject('/objects/test/1');

        expect([status.statusCode, jsonOf(status)['state'], other.statusCode]).to.equal([500, 'FAILED', 503]);
        expect(jsonOf(status)['details']).to.include({ storage: 'FAILED' });
        expect(jsonOf(other)['message']).to.be.a.string();
        await gateway.stop();
        await database.dispose();
    });
});

forEachDatabase((name, create) => {

    describe(`a starting service on ${name}`, () => {

        it('reports every subsystem, responds with 503 to everything else, and is up finally', async () => {

            const database = await create();
            const gateway = createGateway(gatewayOptions(database));
            const server = await restServer(gateway);
            const started = gateway.start();

            const early = await server.inject('/startupStatus');
            const other = await server.inject('/objects/test/1');
            await started;
            await until(async () => isUp(jsonOf(await server.inject('/startupStatus'))));
            const late = await server.inject('/startupStatus');

            const subsystems = ['storage', 'indexer', 'identity', 'handles', 'jobs'];
            const all = (state: string): unknown => Object.fromEntries(subsystems.map((subsystem) => [subsystem, state]));
            expect<unknown>([early.statusCode, jsonOf(early)])
                .to.equal([500, { message: 'start-up failed', state: 'FAILED', details: {}, subsystems: all('STARTING') }]);
            expect<unknown>([other.statusCode, jsonOf(other), other.headers['retry-after']]).to.equal([503, { message: 'The system is down.' }, '5']);
            expect<unknown>([late.statusCode, jsonOf(late)]).to.equal([200, { state: 'UP', details: { storage: 'UP', indexer: 'UP' }, subsystems: all('UP') }]);
            await gateway.stop();
            await database.dispose();
        });

        it('responds with 503 to logins until it is up', async () => {

            const database = await create();
            const gateway = createGateway(gatewayOptions(database));
            const server = await restServer(gateway);
            const statuses = new Set<number>();
            let isUpNow = false;
            const started = gateway.start().then(() => {

                isUpNow = true;
            });

            while (!isUpNow) {
                const { statusCode } = await server.inject({ url: '/objects/test/1', headers: ADMIN_HEADERS });
                statuses.add(statusCode);
                await setImmediate();
            }

            await started;
            expect([...statuses].filter((status) => status !== 404)).to.equal([503]);
            await gateway.stop();
            await database.dispose();
        });
    });
});
