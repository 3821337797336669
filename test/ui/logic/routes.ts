/** Addresses of the web UI, those of Cordra's among them, and what a text in the search leads to. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { paramText, parseRoute, to } from '../../../ui/src/routes.js';
import { idIn, isSafeUrl } from '../../../ui/src/shell/links.js';

export const lab = Lab.script();
const { describe, it } = lab;

const ROUTES: readonly (readonly [fragment: string, screen: string, name: string, params?: string])[] = [
    ['', 'home', ''],
    ['#', 'home', ''],
    ['#objects', 'search', ''],
    ['#objects/', 'search', ''],
    ['#objects/?query=a%20b&sortFields=/name', 'search', '', 'query=a+b&sortFields=%2Fname'],
    ['#objects/test/1', 'object', 'test/1'],
    ['#objects/test%2F1', 'object', 'test/1'],
    ['#objects/test/100%25', 'object', 'test/100%'],
    ['#objects/test/100%', 'object', 'test/100%'],
    ['#objects/test/a%3Fb?tab=rights', 'object', 'test/a?b', 'tab=rights'],
    ['#objects/test/a/b', 'object', 'test/a/b'],
    ['#create/Document', 'create', 'Document'],
    ['#create/My%20Type', 'create', 'My Type'],
    ['#create', 'unknown', ''],
    ['#schemas', 'types', ''],
    ['#schemas/Document', 'type', 'Document'],
    ['#admin', 'admin', ''],
    ['#admin/users', 'admin', 'users'],
    ['#design', 'admin', 'design'],
    ['#ui', 'admin', 'design'],
    ['#designJavaScript', 'admin', 'design'],
    ['#authorization', 'admin', 'rights'],
    ['#handleRecords', 'admin', 'handles'],
    ['#handlerecords', 'admin', 'handles'],
    ['#security', 'admin', 'account'],
    ['#networkAndSecurity', 'admin', 'account'],
    ['#constructor', 'unknown', 'constructor'],
    ['#__proto__', 'unknown', '__proto__'],
    ['#nothing/here?x=1', 'unknown', 'nothing/here?x=1', 'x=1']
];

describe('an address of the web UI', () => {

    for (const [fragment, screen, name, params = ''] of ROUTES) {
        it(`${fragment || '(none)'} is the screen ${screen} ${name}`, () => {

            const route = parseRoute(fragment);

            expect<unknown>({ screen: route.screen, name: route.name, params: route.params.toString() }).to.equal({ screen, name, params });
        });
    }

    for (const id of ['test/1', 'test/a b', 'test/ü?#%&+', 'test/%2F', 'test//x', 'test/../y', 'test/<script>', '20.500/ש/1', 'test/a:b@c']) {
        it(`leads back to the object ${id}`, () => {

            for (const address of [to.object(id), to.object(id, { tab: 'rights' })]) {
                expect(parseRoute(address).name).to.equal(id);
                expect(parseRoute(address).screen).to.equal('object');
            }
        });
    }

    it('leaves out empty parameters, and repeats those with several values', () => {

        expect(paramText({ query: 'a b', page: 0, empty: '', missing: undefined, off: false, filter: ['x', 'y'] })).to.equal('?query=a+b&page=0&filter=x&filter=y');
        expect(paramText({})).to.equal('');
    });
});

describe('a text in the search', () => {

    for (const [text, id] of [
        ['test/1', 'test/1'], ['hdl:20.500.123/abc', '20.500.123/abc'], ['https://hdl.handle.net/20.500.123/abc', '20.500.123/abc'], ['https://doi.org/10.1/x', '10.1/x'],
        ['https://repository.example/#objects/test/1', 'test/1'], ['https://repository.example/a/#objects/test/a%20b%2523?tab=files', 'test/a b%23'],
        ['https://doi.org/10.1/a%3Cb', '10.1/a<b'], ['https://repository.example/#objects/?query=a', null], ['https://example.org/page', null], ['word', null], ['two words', null], ['/name:x', null], ['type:"A"', null], ['a/b c', null], ['name:a/b', null],
        ['test/1*', null], ['(a/b)', null]
    ] as const) {
        it(`${text} is ${id === null ? 'a query' : `the id ${id}`}`, () => {

            expect(idIn(text)).to.equal(id);
        });
    }
});

describe('a link of the design', () => {

    for (const [url, isSafe] of [
        ['https://example.org', true], ['/docs', true], ['#objects/test/1', true], ['mailto:a@example.org', true], ['page.html', true],
        ['javascript:alert(1)', false], ['JavaScript:alert(1)', false], [' javascript:alert(1)', false], ['//evil.example', false], ['/\\evil.example', false], ['/\t/evil.example', false], ['data:text/html,x', false], ['vbscript:x', false],
        ['java\nscript:alert(1)', false], [undefined, false]
    ] as const) {
        it(`${JSON.stringify(url)} is ${isSafe ? 'followed' : 'not shown'}`, () => {

            expect(isSafeUrl(url)).to.equal(isSafe);
        });
    }
});
