import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { jsonOf, multipart } from '../support/rest.js';
import { DIALECTS } from '../support/database.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const JSON_TYPE = { 'content-type': 'application/json' };
const OBJECT = JSON.stringify({ type: 'Loose', attributes: { content: {} } });

const url = (operation: string, target: string, query = ''): string => `/doip?operationId=${operation}&targetId=${target}${query}`;

describe('attributes of DOIP over HTTP', () => {

    let service: RestService;
    before(async () => {

        service = await startRest(DIALECTS[0]!.create);
        await service.asAdmin('PUT /schemas/Loose', { payload: '{"type":"object"}' });
        await service.asAdmin('POST /objects?type=Loose&handle=test/1', multipart(
            { name: 'content', value: '{"code":"20.5000"}' },
            ...['1.0', '1.50', '1e2', '-0.0', 'true', 'null'].map((name) => ({ name, value: `bytes of ${name}`, filename: 'f' }))));
    });

    after(() => service.stop());

    for (const element of ['1.0', '1.50', '1e2', '-0.0', 'true', 'null']) {
        it(`select the element ${element} as it is written`, async () => {

            const inQuery = await service.asAdmin(`GET ${url('0.DOIP/Op.Retrieve', 'test/1', `&element=${element}`)}`);
            const dotted = await service.asAdmin(`GET ${url('0.DOIP/Op.Retrieve', 'test/1', `&attributes.element=${element}`)}`);
            const inForm = await service.asAdmin(`POST ${url('0.DOIP/Op.Retrieve', 'test/1')}`, {
                payload: `a.element=${element}`, headers: { 'content-type': 'application/x-www-form-urlencoded' }
            });

            expect([inQuery, dotted, inForm].map(({ payload }) => payload)).to.equal([1, 2, 3].map(() => `bytes of ${element}`));
        });
    }

    it('may be a query that looks like a number', async () => {

        const found = await service.asAdmin(`GET ${url('0.DOIP/Op.Search', 'service', '&query=20.5000&type=id&pageSize=5.0e0')}`);
        const listed = await service.asAdmin(`GET ${url('0.DOIP/Op.Search', 'service', '&query=type:Loose&filterQueries=20.5000&type=id')}`);

        expect([jsonOf(found)['results'], jsonOf(listed)['results']]).to.equal([['test/1'], ['test/1']]);
    });

    it('may be an id that looks like a number', async () => {

        const created = await service.asAdmin(`POST ${url('0.DOIP/Op.Create', 'service', '&suffix=20.5000')}`, { payload: OBJECT, headers: JSON_TYPE });

        expect(jsonOf(created)['id']).to.equal('test/20.5000');
    });

    it('may be credentials that look like numbers', async () => {

        const right = await service.anonymously(`GET ${url('20.DOIP/Op.CheckCredentials', 'service', `&u.username=admin&u.password=${ADMIN_PASSWORD}`)}`);
        await service.create('User', { id: '', username: '12.50', password: '12345678.0' });
        const number = await service.anonymously(`GET ${url('20.DOIP/Op.CheckCredentials', 'service', '&u.username=12.50&u.password=12345678.0')}`);

        expect([right.statusCode, number.statusCode, jsonOf(number)['username']]).to.equal([200, 200, '12.50']);
    });

    it('are numbers for methods, however they are written, unless they would be altered', async () => {

        const javascript = 'exports.methods = { tell: (object, { attributes: { mediaType, ...others } }) => others };';
        await service.create('Schema', { name: 'Telling', schema: { type: 'object' }, javascript });
        await service.create('Telling', {}, 'handle=test/telling');
        const query = 'lat=47.0&lon=1.50&far=1e3&big=12345678901234567890';

        const byDoip = await service.asAdmin(`POST ${url('tell', 'test/telling', `&${query}&at.lat=47.0`)}`);
        const byRest = await service.asAdmin(`POST /call?objectId=test/telling&method=tell&attributes.at.lat=47.0&attributes.${query.replaceAll('&', '&attributes.')}`);

        for (const answer of [byDoip, byRest]) {
            expect(jsonOf(answer)).to.equal({ lat: 47, lon: 1.5, far: 1000, big: '12345678901234567890', at: { lat: 47 } });
        }
    });

    it('of an input are numbers of the content, which keep their digits', async () => {

        const content = ['price=1.50', 'big=12345678901234567890', 'n=47.0'].map((each) => `&i.attributes.content.${each}`).join('');
        const created = await service.asAdmin(`POST /doip?o=0.DOIP/Op.Create&t=service&i.type=Loose${content}`);

        expect(created.statusCode, created.payload).to.equal(200);
        const { payload } = await service.asAdmin(`GET /objects/${String(jsonOf(created)['id'])}`);
        expect(payload).to.equal('{"price":1.50,"big":12345678901234567890,"n":47.0}');
    });

    it('of an input may be a password that looks like a number', async () => {

        await service.create('User', { id: '', username: '77.50', password: '12345678.0' });
        const token = await service.anonymously('POST /doip?o=Auth.Token&t=service&i.grant_type=password&i.username=77.50&i.password=12345678.0');

        expect([token.statusCode, jsonOf(token)['username']]).to.equal([200, '77.50']);
    });

    it('that are null count as absent', async () => {

        const attributes = encodeURIComponent(JSON.stringify({
            element: null, range: null, jsonPointer: null, filter: null, includeElementData: null, requestContext: null
        }));
        const wish = { query: 'type:Loose', pageNum: null, pageSize: null, sortFields: null, facets: null, filterQueries: null, type: null, queryJson: null };

        const read = await service.asAdmin(`GET ${url('0.DOIP/Op.Retrieve', 'test/1', `&attributes=${attributes}`)}`);
        const found = await service.asAdmin(`GET ${url('0.DOIP/Op.Search', 'service', `&attributes=${encodeURIComponent(JSON.stringify(wish))}`)}`);
        const posted = await service.asAdmin(`POST ${url('0.DOIP/Op.Search', 'service')}`, { payload: JSON.stringify(wish), headers: JSON_TYPE });

        expect([read.statusCode, jsonOf(read)['id']]).to.equal([200, 'test/1']);
        expect([found.statusCode, found.payload]).to.equal([200, posted.payload]);
    });

    const ranges: readonly [string, string][] = [
        ['{"start":9,"end":null}', '1.0'], ['{"start":null,"end":2}', '.0'], ['{"start":null,"end":null}', 'bytes of 1.0'], ['{}', 'bytes of 1.0']
    ];
    for (const [range, bytes] of ranges) {
        it(`may be a range without the ends that are not meant: ${range}`, async () => {

            const single = await service.asAdmin(`GET ${url('0.DOIP/Op.Retrieve', 'test/1', `&element=1.0&range=${encodeURIComponent(range)}`)}`);
            const attributes = encodeURIComponent(`{"element":"1.0","range":${range}}`);
            const together = await service.asAdmin(`GET ${url('0.DOIP/Op.Retrieve', 'test/1', `&attributes=${attributes}`)}`);

            expect([single.statusCode, single.payload, together.payload]).to.equal([200, bytes, bytes]);
        });
    }

    it('are rejected when a search also has one in its body', async () => {

        const response = await service.asAdmin(`POST ${url('0.DOIP/Op.Search', 'service', '&query=type:Loose')}`, {
            payload: '{"query":"type:Schema"}', headers: JSON_TYPE
        });
        const both = await service.asAdmin(`POST ${url('0.DOIP/Op.Search', 'service', '&query=type:Loose')}`, {
            payload: '{"pageSize":1}', headers: JSON_TYPE
        });

        expect([response.statusCode, jsonOf(response)['message']]).to.equal([400, 'query is given more than once: as an attribute and in the input']);
        expect(both.statusCode).to.equal(200);
    });

    const parts = ['jsonPointer=/code', 'element=1.0', 'payload=1.0', 'elementsToDelete=1.0', 'deletePointer=/code', 'dryRun=true', 'attributes={"element":"x"}'];
    for (const part of parts) {
        it(`prevent a deletion of the whole object with ${part}`, async () => {

            const response = await service.asAdmin(`POST ${url('0.DOIP/Op.Delete', 'test/1', `&${encodeURI(part)}`)}`);
            const status = JSON.parse(String(response.headers['doip-response'])) as { status: string };

            expect([response.statusCode, status.status]).to.equal([400, '0.DOIP/Status.101']);
            expect((await service.asAdmin('GET /objects/test/1')).statusCode).to.equal(200);
        });
    }

    it('and parameters of REST prevent a deletion in a dry run', async () => {

        const whole = await service.asAdmin('DELETE /objects/test/1?dryRun');
        const part = await service.asAdmin('DELETE /objects/test/1?payload=1.50&dryRun=true');
        const pointer = await service.asAdmin('DELETE /objects/test/1?jsonPointer=/code&dryRun');

        expect([whole.statusCode, part.statusCode, pointer.statusCode]).to.equal([400, 200, 200]);
        expect(jsonOf(await service.asAdmin('GET /objects/test/1?full'))['content']).to.equal({ code: '20.5000' });
        expect((await service.asAdmin('GET /objects/test/1?payload=1.50')).statusCode).to.equal(200);
    });

    it('do not allow a GET of an unsafe operation, even if REST does', async () => {

        for (const [operation, path] of [['20.DOIP/Op.Relationships.Get', '/relationships/test/1'], ['20.DOIP/Op.Versions.Get', '/versions?objectId=test/1']]) {
            const get = await service.asAdmin(`GET ${url(String(operation), 'test/1')}`);
            const head = await service.asAdmin(`HEAD ${url(String(operation), 'test/1')}`);
            const post = await service.asAdmin(`POST ${url(String(operation), 'test/1')}`);
            const rest = await service.asAdmin(`GET ${path}`);

            expect([get.statusCode, head.statusCode, post.statusCode, rest.statusCode]).to.equal([400, 400, 200, 200]);
        }
    });
});
