import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jsonOf, multipart } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

onEveryDatabase((name, start) => {

    describe(`deleting by REST on ${name}`, () => {

        let service: RestService;
        let count = 0;
        let path = '';

        before(async () => {

            service = await start();
            await service.asAdmin('PUT /schemas/Loose', { payload: '{"type":"object","required":["kept"]}' });
        });

        beforeEach(async () => {

            path = `/objects/test/${++count}`;
            await service.asAdmin(`POST /objects?type=Loose&suffix=${count}`, multipart(
                { name: 'content', value: '{"kept":1,"gone":{"a":1},"list":[1,2,3]}' }, { name: 'p', value: 'one', filename: 'p.txt' }));
        });

        after(() => service.stop());

        it('removes the object once', async () => {

            const first = await service.asAdmin(`DELETE ${path}`);
            const second = await service.asAdmin(`DELETE ${path}`);
            const read = await service.asAdmin(`GET ${path}`);

            expect([first.statusCode, first.payload]).to.equal([200, '{}']);
            expect([second.statusCode, read.statusCode]).to.equal([404, 404]);
        });

        it('frees the id', async () => {

            await service.asAdmin(`DELETE ${path}`);
            const again = await service.asAdmin(`POST /objects?type=Loose&suffix=${count}&full`, { payload: '{"kept":2}' });

            expect(again.statusCode).to.equal(200);
            expect(jsonOf(again)['payloads']).to.be.undefined();
        });

        it('removes the value at a pointer', async () => {

            const member = await service.asAdmin(`DELETE ${path}?jsonPointer=/gone`);
            const element = await service.asAdmin(`DELETE ${path}?jsonPointer=/list/0`);
            const read = await service.asAdmin(`GET ${path}`);

            expect([member.payload, element.payload]).to.equal(['{}', '{}']);
            expect(JSON.parse(read.payload)).to.equal({ kept: 1, list: [2, 3] });
        });

        it('removes a payload', async () => {

            const response = await service.asAdmin(`DELETE ${path}?payload=p`);
            const bytes = await service.asAdmin(`GET ${path}?payload=p`);
            const object = jsonOf(await service.asAdmin(`GET ${path}?full`));

            expect([response.statusCode, response.payload, bytes.statusCode]).to.equal([200, '{}', 404]);
            expect(object['payloads']).to.be.undefined();
        });

        const refusals: [string, string, number, RegExp][] = [
            ['a part that is not there', '?jsonPointer=/none', 404, /^Missing data at jsonPointer in object$/],
            ['a payload that is not there', '?payload=none', 404, /^No payload none in object test\//],
            ['a part and a payload', '?payload=p&jsonPointer=/gone', 400, /^DELETE specified both jsonPointer and payload$/],
            ['the whole content', '?jsonPointer=', 400, /^Cannot delete empty json pointer$/],
            ['a part that the type requires', '?jsonPointer=/kept', 400, /kept/],
            ['a pointer that is none', '?jsonPointer=gone', 400, /^Invalid JSON Pointer gone$/]
        ];
        for (const [title, query, code, message] of refusals) {
            it(`rejects ${title} and removes nothing`, async () => {

                const before = (await service.asAdmin(`GET ${path}?full`)).payload;

                const response = await service.asAdmin(`DELETE ${path}${query}`);

                expect(response.statusCode, response.payload).to.equal(code);
                expect(jsonOf(response)['message']).to.match(message);
                expect((await service.asAdmin(`GET ${path}?full`)).payload).to.equal(before);
            });
        }

        it('rejects callers without the right, and the design object always', async () => {

            const anonymous = await service.anonymously(`DELETE ${path}`);
            const design = await service.asAdmin('DELETE /objects/design');

            expect([anonymous.statusCode, design.statusCode]).to.equal([401, 400]);
        });
    });
});
