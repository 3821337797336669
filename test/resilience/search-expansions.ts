/** Patterns that stand for very many words: answered where they can be, and else refused with a reason. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { MAX_EXPANSIONS } from '../../lib/search/matching/term-expansion.js';
import { basic, jsonOf } from '../support/rest.js';
import { createSqlite } from '../support/database.js';
import { startRest } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const COUNT = MAX_EXPANSIONS + 1;

const ANN = basic('ann', 'password of ann');

const words = (count: number, word: (text: string) => string): string => Array.from({ length: count }, (_, i) => word(i.toString(36))).join(' ');

describe(`patterns among ${COUNT} terms`, () => {

    let service: RestService;

    before(async () => {

        // On a busy machine a search for so many words takes longer than it may by default.
        service = await startRest(createSqlite, 'http/1.1', {
            MAX_CONTENT_BYTES: 8 * 1024 * 1024, MAX_JSON_BYTES: 16 * 1024 * 1024, SEARCH_TIMEOUT_SECONDS: 100
        });
        await service.create('Document', { text: words(COUNT, (text) => `w${text}e`) }, 'handle=test/long');
        await service.create('Document', { text: 'wider' }, 'handle=test/short');
        await service.create('User', { username: 'ann', password: 'password of ann' }, 'handle=test/ann');
        await service.create('Document', { pin: 'x1234' }, 'handle=test/mine');
        await service.create('Document', { pin: words(COUNT, (text) => `p${text}1234`) }, 'handle=test/hidden');
        const acl = await service.asAdmin('PUT /acls/test/hidden', { payload: JSON.stringify({ readers: [], writers: [] }) });
        expect(acl.statusCode, acl.payload).to.equal(200);
        await until(async () => (await service.asAdmin('GET /search?ids&query=w0e')).statusCode === 200, 60_000);
    });

    after(() => service.stop());

    const ways: readonly (readonly [string, (query: string) => string])[] = [
        ['REST', (query) => `GET /search?ids&query=${encodeURIComponent(query)}`],
        ['DOIP', (query) => `GET /doip?operationId=0.DOIP/Op.Search&targetId=service&attributes.type=id&attributes.query=${encodeURIComponent(query)}`]
    ];
    for (const [way, line] of ways) {
        for (const query of ['w*', '/text:w*', '/text:[w TO x]']) {
            it(`answer ${query} by ${way} with any number of terms`, async () => {

                const response = await service.asAdmin(line(query));
                expect(response.statusCode, response.payload.slice(0, 1000)).to.equal(200);
                expect<unknown>(jsonOf(response)['results']).to.equal(['test/long', 'test/short']);
            });
        }

        for (const query of ['/pin:*1234', '/pin:?*1234', '*1234']) {
            it(`do not reveal hidden terms by rejecting ${query} by ${way}`, async () => {

                // Twice, because it is kept what a pattern stands for.
                for (const headers of [ANN, ANN]) {
                    const response = await service.anonymously(line(query), { headers });
                    expect(response.statusCode, response.payload.slice(0, 1000)).to.equal(200);
                    expect<unknown>(jsonOf(response)['results']).to.equal(['test/mine']);
                    expect((await service.asAdmin(line(query))).statusCode).to.equal(400);
                }
            });
        }

        for (const query of ['/text:*e', '*e', '/text:w?*', '*w*']) {
            it(`reject ${query} by ${way}, and continue`, async () => {

                const response = await service.asAdmin(line(query));
                expect(response.statusCode, response.payload.slice(0, 1000)).to.equal(400);
                expect(jsonOf(response)['message']).to.equal(`a pattern of the query stands for more than ${MAX_EXPANSIONS} words, make it more specific`);
                const next = await service.asAdmin(line('/text:wider'));
                expect<unknown>(jsonOf(next)['results']).to.equal(['test/short']);
            });
        }
    }
});
