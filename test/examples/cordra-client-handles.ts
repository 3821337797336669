import type { CordraClient } from '@cnri/cordra-client';
import type { ClientSetup } from '../support/cordra-client.js';
import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { plain, startWithClient } from '../support/cordra-client.js';
import { forEachDatabase } from '../support/database.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, createDatabase) => {

    describe(`Handles with the published JavaScript client, unmodified, on ${name}`, () => {

        let service: RestService;
        let client: CordraClient;
        let clientOf: ClientSetup['clientOf'];

        before(async () => {

            ({ service, client, clientOf } = await startWithClient(createDatabase));
            await client.create({ id: 'test/map', type: 'Document', content: { name: 'Map' } });
        });

        after(() => service.stop());

        async function status(): Promise<Record<string, unknown>> {

            return plain(await client.getHandleUpdateStatus()) as Record<string, unknown>;
        }

        it('are brought up to date, and tell how far that is', async () => {

            const before = await status();
            const response = await client.updateAllHandles() as unknown as { status: number };
            await until(async () => !(await status())['inProgress']);
            const { size } = await client.listHandles();

            expect(before).to.equal({ inProgress: false, total: 0, progress: 0, startTime: 0, exceptionCount: 0 });
            expect(response.status).to.equal(200);
            expect(await status()).to.include({ inProgress: false, total: size, progress: size, exceptionCount: 0 });
        });

        it('are listed and searched', async () => {

            expect(plain((await client.listHandles()).results)).to.include('test/map');
            expect(plain((await client.searchHandles('/name:Map')).results)).to.equal(['test/map']);
        });

        it('are for the administrator alone', async () => {

            const error: unknown = await clientOf({}).updateAllHandles().catch((thrown: unknown) => thrown);

            expect(plain(error)).to.include({ status: 401 });
        });
    });
});
