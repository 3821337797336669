import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { createGateway } from '../../lib/gateway.js';
import { createSqlite, forEachDatabase } from '../support/database.js';
import { gatewayOptions } from '../support/gateway.js';
import { jsonOf, restServer } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachWay((name, start) => {

    describe(`What the service tells about itself by REST on ${name}`, () => {

        let service: RestService;
        before(async () => {

            service = await start();
        });

        after(() => service.stop());

        it('is its design with all types, indented', async () => {

            const response = await service.anonymously('GET /design');
            const design = jsonOf(response) as { handleMintingConfig: object; schemas: object; schemaIds: Record<string, string> };

            expect(response.statusCode).to.equal(200);
            expect(response.payload).to.startWith('{\n  ');
            expect(design.handleMintingConfig).to.include({ prefix: 'test' });
            expect(Object.keys(design.schemas)).to.include(['Schema', 'CordraDesign', 'User', 'Group', 'Document']);
            expect(Object.values(design.schemaIds)).to.include(['User', 'Group', 'Document']);
        });

        it('is its version and design with the session of the caller', async () => {

            const anonymous = jsonOf(await service.anonymously('GET /initData'));
            const admin = jsonOf(await service.asAdmin('GET /initData'));

            expect(anonymous).to.include(['version', 'design']);
            expect(anonymous['isActiveSession']).to.be.false();
            expect(admin).to.include({ userId: 'admin', username: 'admin' });
        });

        it('is that it is up', async () => {

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

describe('A service whose start failed', () => {

    it('tells so by REST, and answers 500 to everything else', async () => {

        const database = await createSqlite();
        const gateway = createGateway(gatewayOptions(database, { databaseUrl: 'mysql://nobody@127.0.0.1:1/none' }));
        const server = await restServer(gateway);
        await expect(gateway.start()).to.reject();

        const status = await server.inject('/startupStatus');
        const other = await server.inject('/objects/test/1');

        expect([status.statusCode, jsonOf(status)['state'], other.statusCode]).to.equal([500, 'FAILED', 500]);
        expect(jsonOf(status)['details']).to.include({ storage: 'FAILED' });
        expect(jsonOf(other)['message']).to.be.a.string();
        await gateway.stop();
        await database.dispose();
    });
});

forEachDatabase((name, create) => {

    describe(`A service that is being started on ${name}`, () => {

        it('says so with every subsystem, answers 500 to everything else, and is up in the end', async () => {

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
            expect<unknown>([other.statusCode, jsonOf(other)]).to.equal([500, { message: 'The system is down.' }]);
            expect<unknown>([late.statusCode, jsonOf(late)]).to.equal([200, { state: 'UP', details: { storage: 'UP', indexer: 'UP' }, subsystems: all('UP') }]);
            await gateway.stop();
            await database.dispose();
        });
    });
});
