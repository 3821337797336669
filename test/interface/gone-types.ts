/** Objects whose type is gone are found by whom the rules of the design for that type admit, as they are read. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../lib/util/json-types.js';
import { DIALECTS } from '../support/database.js';
import { jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('objects of a deleted type', () => {

    let service: RestService;

    before(async () => {

        service = await startRest(DIALECTS[0]!.create);
        for (const name of ['Kept', 'Private', 'Unlisted']) {
            await service.create('Schema', { name, schema: { type: 'object' } });
        }

        const design = jsonOf(await service.asAdmin('GET /objects/design')) as JsonObject & { authConfig: { schemaAcls: JsonObject } };
        const open = { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] };
        Object.assign(design.authConfig.schemaAcls, { Private: { ...open, defaultAclRead: [] }, Unlisted: { ...open, aclSearch: [] }, Kept: open });
        await send('PUT /objects/design', JSON.stringify(design));
        for (const name of ['Kept', 'Private', 'Unlisted']) {
            await service.create(name, { secret: 'hiddenword' }, `handle=test/${name}`);
            await send(`DELETE /schemas/${name}`);
        }
    });

    after(() => service.stop());

    async function send(line: string, payload?: string): Promise<void> {

        const response = await service.asAdmin(line, payload === undefined ? {} : { payload, headers: { 'content-type': 'application/json' } });
        expect(response.statusCode, response.payload).to.equal(200);
    }

    it('are found only if the rules for that type allow reading and finding them', async () => {

        for (const query of ['hiddenword', '/secret:hid*', 'type:(Kept Private Unlisted)']) {
            const line = `GET /search?ids&sortFields=id&query=${encodeURIComponent(query)}`;
            expect(jsonOf(await service.anonymously(line)), query).to.include({ size: 1, results: ['test/Kept'] });
            expect(jsonOf(await service.asAdmin(line)), query).to.include({ size: 3 });
        }

        expect((await service.anonymously('GET /objects/test/Private')).statusCode).to.equal(401);
        expect((await service.anonymously('GET /objects/test/Unlisted')).statusCode).to.equal(200);
    });
});
