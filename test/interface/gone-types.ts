/** Objects whose type is gone are read and found by whom the rules admit that the design has for that type, or that the type had. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../lib/util/json-types.js';
import { DIALECTS } from '../support/database.js';
import { jsonOf } from '../support/rest.js';
import { onEveryDatabase, startRest } from '../support/rest-service.js';
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

const PRIVATE = { defaultAclRead: ['creator'], defaultAclWrite: [], aclCreate: ['public'] };
const OPEN = { ...PRIVATE, defaultAclRead: ['public'] };
const COMPUTED = `exports.getAuthConfig = () => (${JSON.stringify(PRIVATE)});`;

onEveryDatabase((name, start) => {

    describe(`objects of a type with rules of its own on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await start();
        });

        after(() => service.stop());

        async function typeWithObject(type: string, content: JsonObject): Promise<void> {

            await service.create('Schema', { identifier: '', name: type, schema: { type: 'object' }, ...content }, `handle=test/${type}-type`);
            await service.create(type, { secret: `word${type}` }, `handle=test/${type}`);
        }

        async function send(line: string, payload?: JsonObject): Promise<void> {

            const headers = { 'content-type': 'application/json' };
            const response = await service.asAdmin(line, payload === undefined ? {} : { payload: JSON.stringify(payload), headers });
            expect(response.statusCode, response.payload).to.equal(200);
        }

        async function isPublic(type: string): Promise<boolean> {

            const { statusCode } = await service.anonymously(`GET /objects/test/${type}`);
            const { size } = jsonOf(await service.anonymously(`GET /search?query=word${type}`));
            expect(jsonOf(await service.asAdmin(`GET /search?query=word${type}`))['size']).to.equal(1);
            expect([statusCode, size]).to.equal(statusCode === 200 ? [200, 1] : [401, 0]);
            return statusCode === 200;
        }

        it('are under them when it is deleted', async () => {

            await typeWithObject('Stored', { authConfig: PRIVATE });
            await typeWithObject('Coded', { javascript: COMPUTED });
            await typeWithObject('Both', { javascript: COMPUTED, authConfig: OPEN });
            await typeWithObject('Plain', {});
            expect([await isPublic('Stored'), await isPublic('Coded'), await isPublic('Both'), await isPublic('Plain')]).to.equal([false, false, false, true]);

            await send('DELETE /schemas/Stored');
            await send('DELETE /objects/test/Coded-type');
            await send('DELETE /schemas/Both');
            await send('DELETE /schemas/Plain');

            expect([await isPublic('Stored'), await isPublic('Coded'), await isPublic('Both'), await isPublic('Plain')]).to.equal([false, false, false, true]);
        });

        it('are under them when it is renamed', async () => {

            await typeWithObject('Renamed', { authConfig: PRIVATE });

            await send('PUT /objects/test/Renamed-type', { identifier: '', name: 'Other', schema: { type: 'object' }, authConfig: OPEN });

            expect(await isPublic('Renamed')).to.be.false();
            await send('PUT /objects/test/Renamed-type', { identifier: '', name: 'Renamed', schema: { type: 'object' }, authConfig: OPEN });
            expect(await isPublic('Renamed')).to.be.true();
            await send('DELETE /schemas/Renamed');
            expect(await isPublic('Renamed')).to.be.true();
        });

        it('are under those of a new type of that name, or of the design', async () => {

            for (const type of ['Anew', 'Designed']) {
                await typeWithObject(type, { authConfig: PRIVATE });
                await send(`DELETE /schemas/${type}`);
                expect(await isPublic(type)).to.be.false();
            }

            await send('PUT /schemas/Anew', { type: 'object' });
            const design = jsonOf(await service.asAdmin('GET /objects/design')) as JsonObject & { authConfig: { schemaAcls: JsonObject } };
            design.authConfig.schemaAcls['Designed'] = OPEN;
            await send('PUT /objects/design', design);

            expect([await isPublic('Anew'), await isPublic('Designed')]).to.equal([true, true]);
            await send('DELETE /schemas/Anew');
            expect(await isPublic('Anew')).to.be.true();
        });

        it('are under them after the rollback of an upload that renamed it', async () => {

            await typeWithObject('Present', { authConfig: PRIVATE });
            const changed = { id: 'test/Present-type', type: 'Schema', content: { identifier: '', name: 'Absent', schema: { type: 'object' } } };
            const refused = { id: 'test/refused', type: 'Nowhere', content: {} };
            const upload = await service.asAdmin('POST /uploadObjects', { payload: JSON.stringify([changed, refused]), headers: { 'content-type': 'application/json' } });

            expect(upload.statusCode).to.equal(400);
            expect(await isPublic('Present')).to.be.false();
            await send('DELETE /schemas/Present');
            expect(await isPublic('Present')).to.be.false();
        });
    });
});
