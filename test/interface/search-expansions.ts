/** Patterns that stand for very many words: answered where they can be, and else refused with a reason. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { MAX_EXPANSIONS } from '../../lib/search/leaves.js';
import { jsonOf } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';
import type { RestService } from '../support/rest-service.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const COUNT = MAX_EXPANSIONS + 1;

forEachWay((name, start) => {

    describe(`patterns for ${COUNT} words on ${name}`, () => {

        let service: RestService;

        before({ timeout: 120_000 }, async () => {

            service = await start();
            await service.create('Document', { text: Array.from({ length: COUNT }, (_, i) => `w${i.toString(36)}e`).join(' ') }, 'handle=test/long');
            await service.create('Document', { text: 'wider' }, 'handle=test/short');
        });

        after(() => service.stop());

        const ways: readonly (readonly [string, (query: string) => string])[] = [
            ['REST', (query) => `GET /search?ids&query=${encodeURIComponent(query)}`],
            ['DOIP', (query) => `GET /doip?operationId=0.DOIP/Op.Search&targetId=service&attributes.type=id&attributes.query=${encodeURIComponent(query)}`]
        ];
        for (const [way, line] of ways) {
            for (const query of ['w*', '/text:w*', '/text:[w TO x]']) {
                it(`answer ${query} by ${way}, however many words there are`, { timeout: 60_000 }, async () => {

                    const response = await service.asAdmin(line(query));
                    expect(response.statusCode, response.payload.slice(0, 1000)).to.equal(200);
                    expect<unknown>(jsonOf(response)['results']).to.equal(['test/long', 'test/short']);
                });
            }

            for (const query of ['/text:*e', '*e', '/text:w?*', '*w*']) {
                it(`refuse ${query} by ${way}, and go on`, { timeout: 60_000 }, async () => {

                    const response = await service.asAdmin(line(query));
                    expect(response.statusCode, response.payload.slice(0, 1000)).to.equal(400);
                    expect(jsonOf(response)['message']).to.equal(`a pattern of the query stands for more than ${MAX_EXPANSIONS} words, make it more specific`);
                    const next = await service.asAdmin(line('/text:wider'));
                    expect<unknown>(jsonOf(next)['results']).to.equal(['test/short']);
                });
            }
        }
    });
});
