/** Versions that a client demands of what it reads, over REST and DOIP: it gets no other one, and no range of another one. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { forEachWay } from '../support/rest-service.js';
import { jsonOf, multipart } from '../support/rest.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

forEachWay((name, start) => {

    describe(`versions that a client demands on ${name}`, () => {

        let service: RestService;
        let count = 0;
        let id = '';
        let path = '';
        let tag = '';

        before(async () => {

            service = await start();
            await service.create('Schema', { name: 'Resolved', schema: { type: 'object' }, javascript:
                'exports.onObjectResolution = (object) => { object.content.seen = true; return object; };' });
        });

        beforeEach(async () => {

            id = `test/${++count}`;
            path = `/objects/${id}`;
            await service.create('Document', { name: 'first' }, `handle=${id}`);
            const form = multipart({ name: 'content', value: '{"name":"x"}' }, { name: 'scan', filename: 'scan.txt', value: 'bytes' });
            const { metadata } = jsonOf(await service.asAdmin(`PUT ${path}?full`, form)) as { metadata: { txnId: number } };
            tag = String(metadata.txnId);
        });

        after(() => service.stop());

        const DEMANDED: readonly (readonly [header: (tag: string) => string, status: number])[] = [
            [(seen) => `"${seen}"`, 200], [(seen) => `"other", "${seen}"`, 200], [(seen) => `"${seen}-gzip"`, 200], [(seen) => `W/"${seen}"`, 200], [() => '*', 200],
            [() => '"other"', 412], [(seen) => seen, 412], [() => '"*"', 412], [() => '', 412]
        ];

        it('are the only ones that it gets', async () => {

            const retrieve = `GET /doip/0.DOIP/Op.Retrieve?targetId=${id}`;
            for (const [header, status] of DEMANDED) {
                for (const line of [`GET ${path}`, `GET ${path}?payload=scan`, `HEAD ${path}?full`, `GET /acls/${id}`, retrieve, `${retrieve}&element=scan`]) {
                    const demand = { 'if-match': header(tag) };
                    const response = await service.asAdmin(line, { headers: demand });
                    const held = await service.asAdmin(line, { headers: { ...demand, 'if-none-match': `"${tag}"` } });

                    expect([response.statusCode, held.statusCode], `${line} ${header(tag)}`).to.equal([status, status === 200 ? 304 : status]);
                    if (status === 412 && !line.startsWith('HEAD')) {
                        expect(jsonOf(response)).to.equal({ message: 'there is another version than the request demands' });
                        expect(response.headers['doip-response'] !== undefined).to.equal(line.startsWith(retrieve));
                    }
                }
            }
        });

        it('are compared before a range is looked at', async () => {

            const RANGES: readonly (readonly [headers: Record<string, string>, status: number, payload?: string])[] = [
                [{ 'if-match': `"${tag}"`, range: 'bytes=1-2' }, 206, 'yt'], [{ 'if-match': `"${tag}"`, range: 'bytes=9-' }, 416],
                [{ 'if-match': '*', range: 'bytes=1-2' }, 206, 'yt'], [{ 'if-match': '*', range: 'bytes=9-' }, 416],
                [{ 'if-match': '"1", "2"', range: 'bytes=1-2' }, 412], [{ 'if-match': '"1", "2"', range: 'bytes=9-' }, 412],
                [{ 'if-match': `"1", "${tag}"`, range: 'bytes=1-2', 'if-range': `"${tag}"` }, 206, 'yt'],
                [{ 'if-match': `"1", "${tag}"`, range: 'bytes=1-2', 'if-range': '"1"' }, 200, 'bytes'],
                [{ 'if-match': `"${tag}"`, range: 'bytes=9-', 'if-range': '"1"' }, 200, 'bytes'],
                [{ 'if-match': '"1"', range: 'bytes=9-', 'if-range': `"${tag}"` }, 412]
            ];
            for (const [headers, status, payload] of RANGES) {
                for (const line of [`GET ${path}?payload=scan`, `GET /doip/0.DOIP/Op.Retrieve?targetId=${id}&element=scan`]) {
                    const response = await service.asAdmin(line, { headers });

                    expect([response.statusCode, status < 400 ? response.payload : undefined], `${line} ${JSON.stringify(headers)}`).to.equal([status, payload]);
                }
            }
        });

        it('do not exist of what has no tag, is hidden or is not there', async () => {

            await service.create('Resolved', {}, `handle=${id}-resolved`);
            for (const line of [`GET ${path}-resolved`, `GET ${path}?text&jsonPointer=/name`, `GET /search?query=id:"${id}"`, 'GET /schemas']) {
                const demand = async (value: string): Promise<number> => (await service.asAdmin(line, { headers: { 'if-match': value } })).statusCode;
                expect([await demand('*'), await demand(`"${tag}"`)], line).to.equal([200, 412]);
            }

            await service.asAdmin(`PUT /acls/${id}`, { payload: '{"readers":[],"writers":[]}', headers: { 'content-type': 'application/json' } });
            for (const value of ['*', '"1"']) {
                const demand = { headers: { 'if-match': value } };
                const responses = [
                    await service.asAdmin(`GET ${path}-none`, demand), await service.asAdmin(`GET ${path}?payload=none`, demand), await service.anonymously(`GET ${path}`, demand)
                ];
                expect(responses.map(({ statusCode }) => statusCode)).to.equal([404, 404, 401]);
            }
        });
    });
});
