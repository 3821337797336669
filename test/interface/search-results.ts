/** What searches show of objects is what retrieving each of them shows, in every form and for every caller. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { prune } from '../../lib/json/filter.js';
import { onEveryDatabase } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';
import { ADMIN_HEADERS, basic, jsonOf, multipart } from '../support/rest.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const CODE = `
exports.onObjectResolution = (object, context) => {
    if (object.content.kept && context.isSearch) {
        throw 'not shown';
    }

    object.content.shownTo = context.userId || 'nobody';
    return object;
};`;

const FILTER = ['/id', '/content/text', '/content/list/_/a', '/metadata/createdBy', '/payloads'];

/** Enough results that no carrier takes them in one piece. */
const MANY = 110;

interface SearchRecord {
    readonly size: number;
    readonly results: readonly (JsonObject & { readonly id: string })[];
}

onEveryDatabase((name, start) => {

    describe(`search results on ${name}`, () => {

        const callers = new Map<string, Record<string, string>>([['admin', ADMIN_HEADERS], ['ann', basic('ann', 'password of ann')], ['nobody', {}]]);
        let service: RestService;

        before(async () => {

            service = await start();
            await service.create('Schema', { name: 'Plain', schema: { type: 'object' } });
            await service.create('Schema', { name: 'Secret', schema: {
                type: 'object', properties: { pin: { type: 'string', cordra: { secureProperty: true } } }
            } });
            await service.create('Schema', { name: 'Hashed', schema: { type: 'object' }, hashObject: true });
            await service.create('Schema', { name: 'Coded', schema: { type: 'object' }, javascript: CODE });
            await service.create('User', { username: 'ann', password: 'password of ann' }, 'handle=test/ann');
            for (let n = 0; n < MANY; ++n) {
                await service.create('Plain', { mark: 'all', n, text: `"${n}" \u2028 \\ ü \u{1f600}` }, `handle=test/plain${n}`);
            }

            const long = 'long text '.repeat(5000);
            await service.create('Plain', { mark: 'all', long }, 'handle=test/long');
            await service.create('Plain', { mark: 'all', list: [{ a: 1, b: 2 }], responseContext: { mine: true } }, 'handle=test/context');
            await service.create('Secret', { mark: 'all', pin: 'secret pin' }, 'handle=test/secret');
            await service.create('Hashed', { mark: 'all' }, 'handle=test/hashed');
            await service.create('Coded', { mark: 'all', text: 'one' }, 'handle=test/coded1');
            await service.create('Coded', { mark: 'all', text: 'two', kept: true }, 'handle=test/coded2');
            await service.create('Coded', { mark: 'all', text: long }, 'handle=test/coded3');
            const stored = await service.asAdmin('POST /objects?type=Plain&handle=test/full', multipart(
                { name: 'content', value: JSON.stringify({ mark: 'all', text: 'full' }) },
                { name: 'acl', value: JSON.stringify({ readers: ['test/ann'], payloadReaders: [] }) },
                { name: 'userMetadata', value: JSON.stringify({ batch: 'b-3', list: ['seven'] }) },
                { name: 'file', value: 'png', filename: 'topo "1".png', type: 'image/png' },
                { name: 'other', value: 'more', filename: 'more.txt', type: 'text/plain' }
            ));
            expect(stored.statusCode, stored.payload).to.equal(200);
            expect((await service.asAdmin('POST /versions?objectId=test/full&versionId=test/version')).statusCode).to.equal(200);
        });

        after(() => service.stop());

        for (const [caller, headers] of callers) {
            const ask = async (line: string): Promise<JsonValue> => {

                const response = await service.anonymously(line, { headers });
                expect(response.statusCode, response.payload).to.equal(200);
                return JSON.parse(response.payload) as JsonValue;
            };

            const search = async (more: string): Promise<SearchRecord> => {

                return await ask(`GET /search?query=/mark:all&includeVersions&sortFields=id&${more}`) as unknown as SearchRecord;
            };

            it(`are complete for ${caller}, in full, content only, filtered and by DOIP`, async () => {

                const full = await search('');
                const ids = full.results.map(({ id }) => id);
                expect(ids).to.have.length(caller === 'nobody' ? MANY + 6 : MANY + 8);
                // What is kept back by the code of its type counts all the same.
                expect(full.size).to.equal(ids.length + 1);
                expect(ids).to.equal(ids.toSorted());

                const bare = await search('full=false');
                const filtered = await search(`filter=${JSON.stringify(FILTER)}`);
                const doip = await ask(
                    'GET /doip?operationId=0.DOIP/Op.Search&targetId=service&query=/mark:all&includeVersions=true&sortFields=id'
                ) as unknown as SearchRecord;
                for (const [place, id] of ids.entries()) {
                    const expected = await ask(`GET /objects/${id}?full`) as JsonObject;
                    const { responseContext: _permission, ...object } = expected;
                    expect<unknown>(full.results[place], id).to.equal(object);
                    expect(JSON.stringify(full.results[place])).to.equal(JSON.stringify(object));
                    expect<unknown>(bare.results[place], id).to.equal(object['content']);
                    expect<unknown>(filtered.results[place], id).to.equal(prune(object, FILTER));
                    expect<unknown>(doip.results[place], id).to.equal(await ask(`GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=${id}`));
                }
            });

            it(`are the same for ${caller} in pages as without a limit`, async () => {

                const { results } = await search('');
                const pages: JsonObject[] = [];
                for (let pageNum = 0; pageNum * 40 <= MANY + 10; ++pageNum) {
                    pages.push(...(await search(`pageSize=40&pageNum=${pageNum}`)).results);
                }

                expect<unknown>(pages).to.equal(results);
            });

            it(`are the same objects for ${caller} as ids, without those that code hides`, async () => {

                const { results, size } = await search('');
                const expected = results.map(({ id }) => id);
                expect(expected).to.include('test/coded1').and.to.not.include('test/coded2');
                const doip = 'GET /doip?operationId=0.DOIP/Op.Search&targetId=service&query=/mark:all&includeVersions=true&sortFields=id&type=id';
                for (const line of [
                    'GET /search?query=/mark:all&includeVersions&sortFields=id&ids', 'GET /objects?query=/mark:all&includeVersions&sortFields=id&ids', doip
                ]) {
                    expect<unknown>(await ask(line), line).to.include({ results: expected, size });
                    expect<unknown>(await ask(`${line}&pageSize=2`), line).to.include({ results: ['test/coded1'], size });
                    expect<unknown>(await ask(`${line}&pageSize=2&pageNum=1`), line).to.include({ results: expected.slice(1, 3), size });
                }
            });

            it(`have scores for ${caller} on request, and are the same otherwise`, async () => {

                const without = await search('');
                const scored = await search('includeScore=true');
                for (const [place, { responseContext, ...rest }] of scored.results.entries()) {
                    expect(responseContext, rest.id).to.be.an.object();
                    expect((responseContext as { score: number }).score).to.be.a.number().and.to.be.above(0);
                    expect<unknown>(rest).to.equal(without.results[place]);
                }

                // DOIP has the score among the attributes as well.
                const doip = await ask(
                    'GET /doip?operationId=0.DOIP/Op.Search&targetId=service&query=/mark:all&includeVersions=true&sortFields=id&includeScore=true'
                ) as unknown as SearchRecord;
                for (const [place, { attributes, responseContext, ...rest }] of doip.results.entries()) {
                    const { responseContext: repeated, ...others } = attributes as JsonObject;
                    expect<unknown>(responseContext, rest.id).to.equal(scored.results[place]?.['responseContext']);
                    expect<unknown>(repeated, rest.id).to.equal(responseContext);
                    expect<unknown>({ ...rest, attributes: others }).to.equal(await ask(`GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=${rest.id}`));
                }

                // The member of that name in the content gives way to the score.
                const bare = jsonOf(await service.anonymously('GET /search?query=id:test/context&full=false&includeScore', { headers }));
                const [content] = bare['results'] as JsonObject[];
                expect(Object.keys(content?.['responseContext'] ?? {})).to.equal(['score']);
            });
        }
    });
});
