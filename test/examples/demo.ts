/**
 * The data set of the demonstration, loaded into a service as `npm run demo` does: real packages as typed objects.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import type { TestService } from '../support/service.js';
import { loadPackages, packageId } from '../demo/load.js';
import { installedPackages } from '../demo/packages.js';
import { DIALECTS } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startService } from '../support/service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PACKAGES = installedPackages(join(__dirname, '../../../node_modules'));
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;

describe('the demonstration', () => {

    let database: TestDatabase;
    let service: TestService;
    const progress: string[] = [];

    before(async () => {

        database = await DIALECTS[0]!.create();
        service = await startService(database);
        await service.server.start();
        await loadPackages(PACKAGES, {
            url: service.server.info.uri, authorization: AUTHORIZATION, prefix: 'test',
            onProgress: (stage, done, total) => progress.push(`${stage} ${done} of ${total}`)
        });
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

    it('makes an object of every installed package, with its README and its references', async () => {

        expect(PACKAGES.length).to.be.above(100);
        for (const { key, content, dependencies, readme } of PACKAGES) {
            const id = packageId('test', key);
            const { value } = await service.perform('0.DOIP/Op.Retrieve', { targetId: id });
            const stored = (value as { attributes: { content: Record<string, unknown> } }).attributes.content;
            const references = dependencies.map((other) => packageId('test', other));

            expect<unknown>(stored).to.equal({ id, ...content, ...(references.length > 0 ? { dependencies: references } : {}) });
            if (readme !== null) {
                const bytes = await service.perform('0.DOIP/Op.Retrieve', { targetId: id, attributes: { element: 'readme' } });
                expect(bytes.value).to.equal(readFileSync(readme, 'utf8'));
            }
        }
    });

    it('tells how far it is', () => {

        expect(progress).to.include(`packages ${PACKAGES.length} of ${PACKAGES.length}`);
    });

    it('refuses a package that depends on one that is not there', async () => {

        const { status, value } = await service.asAdmin('0.DOIP/Op.Create', {
            input: { type: 'Package', attributes: { content: { name: 'x', version: '1.0.0', dependencies: ['test/nothing@1.0.0'] } } }
        });

        expect(status).to.equal('0.DOIP/Status.101');
        expect((value as { message: string }).message).to.include('/dependencies/0').and.to.include('test/nothing@1.0.0');
    });
});
