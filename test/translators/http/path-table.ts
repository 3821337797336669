/** Routes by their paths. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Method, Route } from '../../../translators/http/route.js';
import { pathGroups, PathTable } from '../../../translators/http/path-table.js';

export const lab = Lab.script();
const { describe, it } = lab;

function route(path: string, ...methods: Method[]): Route {

    return { path, methods, toEnvelope: () => ({ operationId: path }) };
}

const ROUTES = [
    route('', 'GET'), route('/objects', 'GET', 'POST'), route('/objects/{name*}', 'GET', 'PUT'), route('/api/objects/{name*}', 'GET'), route('/search', 'GET'),
    route('/users/this/password', 'PUT'), route('/users', 'GET')
];

describe('the table of paths', () => {

    const table = new PathTable(ROUTES);
    const cases: [path: string, methods: string | null, name: string][] = [
        ['/', 'get', ''],
        ['/objects', 'get post put', ''],
        ['/objects/', 'get post put', ''],
        ['/objects/a', 'get put', 'a'],
        ['/objects/a%2Fb/c', 'get put', 'a/b/c'],
        ['/objects//a', 'get put', '/a'],
        ['/objects/a/', 'get put', 'a/'],
        ['/objects/a%252Fb+c', 'get put', 'a%2Fb+c'],
        ['/objects/users/this/password', 'get put', 'users/this/password'],
        ['/api/objects/20.1/a', 'get', '20.1/a'],
        ['/search/', 'get', ''],
        ['/users/this/password', 'put', ''],
        ['/users/this/password/', 'put', '']
    ];

    for (const [path, methods, name] of cases) {
        it(`finds ${path}`, () => {

            const found = table.match(path);
            expect({ methods: [...found?.methods?.keys() ?? []].toSorted().join(' '), name: found?.name }).to.equal({ methods: methods ?? '', name });
        });
    }

    for (const path of ['/search/x', '/users/this/password/x', '/users/x', '/Objects', '/objectsx', '/objects%2Fa', '/api/search', '//objects']) {
        it(`finds nothing at ${path}`, () => {

            expect(table.match(path)?.methods ?? null).to.be.null();
        });
    }

    it('takes time in proportion to the length of a path', () => {

        const name = 'a/%41'.repeat(20_000);
        expect(table.match(`/objects/${name}`)?.name).to.equal(name.replaceAll('%41', 'A'));
    });
});

describe('routes of hapi', () => {

    const patterns = (base: string, isOne: boolean, routes = ROUTES): string[] => pathGroups(routes, base, isOne).flatMap((group) => group.patterns);

    it('are one for each first segment', () => {

        expect(patterns('', false)).to.equal(['/', '/objects/{name*}', '/api/{name*}', '/search/{name?}', '/users/{name*}']);
    });

    it('are one for all paths below a base of their own', () => {

        expect(patterns('/cordra', true)).to.equal(['/cordra/{name*}']);
    });

    it('are those of a base with and without a slash, and leave its other paths', () => {

        expect(patterns('/cordra', false, [route('', 'GET')])).to.equal(['/cordra', '/cordra/']);
    });
});
