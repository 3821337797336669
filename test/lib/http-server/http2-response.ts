/** What a server says over HTTP/2 must be HTTP/2: node complains on standard error where it is not. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createSqlite } from '../../support/database.js';
import { startProcess } from '../../support/process.js';
import type { TestServer } from '../../support/server.js';
import { clientOf, tlsSettings } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a server over HTTP/2', () => {

    it('rejects a request before it reads the body, without a warning about HTTP/1.1 headers', async () => {

        const database = await createSqlite();
        const service = await startProcess(database, await tlsSettings(database.options.dataDir));
        const client = clientOf({ url: service.url } as TestServer, 'https, http/2');

        const { status, headers } = await client.text({
            path: `/${'a'.repeat(70_000)}`, method: 'POST', body: Buffer.alloc(1_000_000, ' '), headers: { 'content-length': '1000000' }
        });
        client.close();
        await service.stop();
        await database.dispose();

        expect(status).to.equal(414);
        expect(headers['connection']).to.be.undefined();
        expect(service.log()).not.to.contain('Warning');
    });
});
