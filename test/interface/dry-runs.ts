/**
 * A dry run stores nothing: what cannot be rehearsed refuses it.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { DIALECTS } from '../support/database.js';
import { jsonOf } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('a dry run', () => {

    let service: RestService;

    before(async () => {

        service = await startRest(DIALECTS[0]!.create);
        await service.create('Document', { name: 'kept' }, 'handle=test/kept');
        await service.create('Schema', { name: 'Kept', schema: { type: 'object' } });
    });

    after(() => service.stop());

    const state = async (): Promise<string[]> => {

        const lines = ['GET /search?query=*:*&includeVersions=true&sortFields=id', 'GET /schemas', 'GET /acls/test/kept'];
        return Promise.all(lines.map(async (line) => (await service.asAdmin(line)).payload));
    };

    const item = '[{"id":"test/new","type":"Document","content":{}}]';
    const refused: readonly (readonly [line: string, payload: string])[] = [
        ['DELETE /objects/test/kept?dryRun', ''], ['PUT /acls/test/kept?dryRun', '{"readers":[]}'], ['POST /acls/test/kept?dryRun=true', '{"readers":[]}'],
        ['POST /versions?objectId=test/kept&dryRun', ''], ['PUT /schemas/Kept?dryRun', '{}'], ['PUT /schemas/New?dryRun', '{}'],
        ['DELETE /schemas/Kept?dryRun', ''], ['POST /batchUpload?dryRun', item], ['POST /uploadObjects?dryRun', item],
        ['PUT /uploadObjects?deleteCurrentObjects&dryRun=True', item],
        ['POST /doip?operationId=gateway/Op.Acls.Update&targetId=test/kept&dryRun=true', '{"readers":[]}'],
        ['POST /doip?operationId=20.DOIP/Op.BatchUpload&targetId=service&attributes.dryRun=true', item]
    ];
    for (const [line, payload] of refused) {
        it(`is rejected by ${line}`, async () => {

            const earlier = await state();
            const response = await service.asAdmin(line, payload === '' ? {} : { payload, headers: { 'content-type': 'application/json' } });

            expect([response.statusCode, jsonOf(response)['message']]).to.equal(
                [400, 'attribute "dryRun" must be left out: this operation cannot be rehearsed']);
            expect(await state()).to.equal(earlier);
        });
    }

    for (const line of ['PUT /objects/test/kept?dryRun=1', 'POST /objects?type=Document&dryRun=yes', 'DELETE /objects/test/kept?jsonPointer=/name&dryRun=on', 'PUT /acls/test/kept?dryRun=1']) {
        it(`is rejected with other values than true and false: ${line}`, async () => {

            const earlier = await state();
            const response = await service.asAdmin(line, line.startsWith('DELETE') ? {} : { payload: '{}', headers: { 'content-type': 'application/json' } });

            expect([response.statusCode, jsonOf(response)['message']]).to.equal(
                [400, `parameter dryRun must be true or false, got "${line.split('dryRun=')[1]}"`]);
            expect(await state()).to.equal(earlier);
        });
    }

    for (const line of ['PUT /objects/test/kept?dryRun=false&dryRun=true', 'POST /objects?type=Document&dryRun=true&dryRun=false', 'PUT /objects/test/kept?dryRun=false&dryRun=perhaps']) {
        it(`is rejected with conflicting values: ${line}`, async () => {

            const earlier = await state();
            const response = await service.asAdmin(line, { payload: '{}', headers: { 'content-type': 'application/json' } });

            expect(response.statusCode).to.equal(400);
            expect(await state()).to.equal(earlier);
        });
    }

    it('may be requested twice', async () => {

        const earlier = await state();
        const response = await service.asAdmin('PUT /objects/test/kept?dryRun&dryRun=True', { payload: '{}', headers: { 'content-type': 'application/json' } });

        expect(response.statusCode).to.equal(200);
        expect(await state()).to.equal(earlier);
    });

    it('is ignored by safe operations, and when it is false', async () => {

        const lines = ['GET /objects/test/kept?dryRun', 'GET /acls/test/kept?dryRun', 'GET /search?query=*:*&dryRun', 'POST /versions?objectId=test/kept&dryRun=false'];
        for (const line of lines) {
            expect((await service.asAdmin(line)).statusCode, line).to.equal(200);
        }
    });
});
