import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { parseSearchUrl } from '../../../../lib/stores/search/engine-location.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the URL of OpenSearch', () => {

    for (const [url, expected] of [
        ['http://127.0.0.1:9200', { node: 'http://127.0.0.1:9200', auth: null, prefix: 'doip-gateway' }],
        ['https://search.example/', { node: 'https://search.example', auth: null, prefix: 'doip-gateway' }],
        ['https://u:p%40%3A@search.example:9200/one', { node: 'https://search.example:9200', auth: { username: 'u', password: 'p@:' }, prefix: 'one' }]
    ] as const) {
        it(`is read: ${url}`, () => {

            expect(parseSearchUrl(url)).to.equal(expected);
        });
    }

    for (const url of ['', 'search.example:9200', 'ftp://search.example', 'https://search.example/One', 'https://search.example/a/b', 'https://search.example/_a',
        'https://search.example/a?b', 'https://search.example/a#b', 'https://u:%ff@search.example/a', 'https://search.example/*']) {
        it(`is refused: ${url}`, () => {

            expect(() => parseSearchUrl(url)).to.throw(/^must be http\(s\):\/\/user:password@host:port\/prefix/);
        });
    }
});
