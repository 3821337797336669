/**
 * What a caller without credentials can make the service do with one request of 64 KiB on the wire, by HTTP/1.1: its longest turn of the event
 * loop, in processor time, and how much its process grows. The service runs in a process of its own. Attempts differ in their queries and
 * names, so that nothing is remembered.
 */

import Http from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { MeasuredProcess } from '../bench/measured-process.js';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { expectCheap } from '../support/request-costs.js';
import { withoutTurns } from '../support/turn-monitor.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const CLI = join(__dirname, '../../bundle/main.js');
const MONITOR = join(__dirname, '../support/turn-monitor.js');

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes of a request, without the lines of its headers that every request has. */
const WIRE = 64 * KIB;

/** Statuses of requests that the service has not done the work for, or not as it should. */
const UNMEASURED = [429, 500];

const DOCUMENTS = 2_000;

/** One request, or one for each attempt by its number. */
type Attacks = Attack | ((n: number) => Attack);

interface Attack {
    readonly path: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer;
}

const list = (length: number, make: (index: number) => string, separator = ','): string => Array.from({ length }, (_, index) => make(index)).join(separator);
const json = (path: string, body: string): Attack => ({ path, method: 'POST', headers: { 'content-type': 'application/json' }, body });
const form = (path: string, body: string): Attack => ({ path, method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body });
const zipped = ({ headers, body = '', ...attack }: Attack): Attack => ({ ...attack, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) });
const multipart = (path: string, kind: string, part: string, count: number): Attack => ({
    path, method: 'POST', headers: { 'content-type': `multipart/${kind}; boundary=b` }, body: `${list(count, () => `--b\r\n${part}\r\n`, '')}--b--\r\n`
});

const VALUES = `[${'{},'.repeat(16 * MIB / 3)}{}]`;
const FEW_VALUES = `[${'{},'.repeat(9_980)}{}]`;
const NUMBERS = `[${list(19_000, (i) => `1.0000000000000000${1000 + i}`)}]`;
const TEXT = 'x'.repeat(40 * MIB);
const SEARCH = '"query":"x"';
const SERVICE = 'targetId=service';
const SEARCH_BY_DOIP = `/doip?operationId=0.DOIP/Op.Search&${SERVICE}`;
const CREATE = `/doip?operationId=0.DOIP/Op.Create&${SERVICE}`;
const words = (word: (index: number) => string): string => encodeURIComponent(list(60_000, word, ' ').slice(0, 20_000));
const row = (unit: string): string => unit.repeat(Math.ceil(60_000 / unit.length)).slice(0, 60_000);

/** As a page of the service sends it, which others can do, too. */
const ofPage = ({ headers, ...attack }: Attack): Attack => ({ ...attack, headers: { ...headers, 'sec-fetch-site': 'same-origin' } });
const withToken = ({ headers, ...attack }: Attack): Attack => ({ ...attack, headers: { ...headers, authorization: 'Bearer x' } });
const login = (n: number, password: string): string => JSON.stringify({ username: `somebody-${n}`, password });
const ids = (id: (index: number) => string, length: number): string => `[${list(length, (i) => JSON.stringify(id(i)))}]`;

const ATTACKS: Readonly<Record<string, Attacks>> = {
    'a search with many values': zipped(json('/search', `{${SEARCH},"junk":${VALUES}}`)),
    'a search with as many values as allowed': zipped(json('/search', `{${SEARCH},"junk":${FEW_VALUES}}`)),
    'a search with numbers that keep their text': zipped(json('/search', `{${SEARCH},"junk":${NUMBERS}}`)),
    'a search with a long text': zipped(json('/search', `{"query":"${TEXT}"}`)),
    'a search with a text of a mebibyte': (n) => zipped(json('/search', `{"query":"w${n} ${'x '.repeat(MIB / 2 - 20)}"}`)),
    'a search with wildcards': (n) => zipped(json('/search', `{"query":"w${n} ${'*a*b* '.repeat(MIB / 6 - 20)}"}`)),
    'a search with escapes': zipped(json('/search', `{"query":"${'\\ud83d\\ude00'.repeat(MIB / 12 - 20)}\\x"}`)),
    'a search with deep JSON': zipped(json('/search', `{${SEARCH},"junk":${'['.repeat(500_000)}`)),
    'a search with depth as allowed': zipped(json('/search', `{${SEARCH},"junk":[${list(150, () => '['.repeat(120) + ']'.repeat(120))}]}`)),
    'a search with sort fields': zipped(json('/search', `{${SEARCH},"sortFields":[${list(19_000, (i) => `"/f${i} desc"`)}]}`)),
    'a search with facets': zipped(json('/search', `{${SEARCH},"facets":[${list(4_000, (i) => `{"field":"/f${i}"}`)}]}`)),
    'a search with filters': zipped(json('/search', `{${SEARCH},"filter":[${list(19_000, (i) => `"/content/a/${i}"`)}]}`)),
    'a search with filters of many segments': zipped(json('/search', `{${SEARCH},"filter":[${list(1_000, (i) => `"/${i}${'/a'.repeat(500)}"`)}]}`)),
    'a search with filter queries': (n) => zipped(json('/search', `{${SEARCH},"filterQueries":[${list(15_000, (i) => `"w${n}a${i}*"`)}]}`)),
    'a search with a query of JSON': (n) => zipped(json('/search', `{"queryJson":${'{"bool":{"must":['.repeat(40)}{"match":{"a":"b${n}"}}${']}}'.repeat(40)}}`)),
    'a batch of many values': zipped({ ...json('/batchUpload', `[{"type":"Document","content":${VALUES}}]`) }),
    'a batch of very many objects': zipped(json('/batchUpload', `[${'{},'.repeat(5 * MIB)}{}]`)),
    'a batch of many lines': zipped({ ...json('/batchUpload?format=ndjson', '{}\n'.repeat(MIB)) }),
    'an upload of all objects': zipped(json('/uploadObjects', `[${'{},'.repeat(5 * MIB)}{}]`)),
    'content of many values': zipped(json('/objects?type=Document', VALUES)),
    'content of many values as DOIP': zipped(json(CREATE, `{"type":"Document","attributes":{"content":${VALUES}}}`)),
    'content of as many values as allowed as DOIP': zipped(json(CREATE, `{"type":"Document","attributes":{"content":${FEW_VALUES}}}`)),
    'a login with many values': (n) => zipped(json('/auth/token', `{"username":"a${n}","password":"b","junk":${VALUES}}`)),
    'a login with a long password': (n) => json('/auth/token', login(n, row('x'))),
    'a login with a long token': json('/auth/token', JSON.stringify({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: row('eyJh.') })),
    'a token as bearer': { path: '/check-credentials', headers: { authorization: `Bearer ${row('a.').slice(0, 50_000)}` } },
    'names and passwords in a header': (n) => ({ path: '/check-credentials', headers: { authorization: `Basic ${btoa(`name-${n}:${row('x').slice(0, 36_000)}`)}` } }),
    'a form of many names': form('/search', list(30_000, () => 'a', '&')),
    'a form of many names in gzip': zipped(form('/search', list(5 * MIB, () => 'a', '&'))),
    'a form of escapes': form('/search', `query=${row('%41')}`),
    'a form of JSON': zipped(form('/objects?type=Document', `content=${encodeURIComponent(`{"a":${FEW_VALUES}}`)}`)),
    'a form of Python': zipped(form('/search', `query=x&requestContext={'a':['${'\\\''.repeat(500_000)}`)),
    'a form of spaces': zipped(form('/search', `query=x&junk=${'+'.repeat(MIB - 20)}`)),
    'a form of spaces with wrong credentials': zipped(withToken(form(SEARCH_BY_DOIP, `junk=${'+'.repeat(4 * MIB - 20)}`))),
    'a form of quotes of Python': zipped(form('/search', `queryJson=${'\''.repeat(MIB - 20)}`)),
    'a form of lists of Python': zipped(form(SEARCH_BY_DOIP, list(15, (i) => `attributes={'a${i}':[${'\'\','.repeat(19_990)}'']}`, '&'))),
    'a form of lists without their brackets': zipped(form(SEARCH_BY_DOIP, list(26, (i) => `a${i}x=[${'1,'.repeat(19_990)}1`, '&'))),
    'a form of lists without their brackets with wrong credentials': zipped(withToken(form(SEARCH_BY_DOIP, list(100, (i) => `a${i}x=[${'1,'.repeat(19_990)}1`, '&')))),
    'a form of texts without their quotes': zipped(form(SEARCH_BY_DOIP, list(26, (i) => `a${i}x=["${'x'.repeat(39_000)}`, '&'))),
    'a form of lists of attributes of a method': zipped(withToken(form('/call?type=Document&method=x', list(100, (i) => `attributes.a${i}x=[${'1,'.repeat(19_990)}1`, '&')))),
    'a form of attributes many times': zipped(form(SEARCH_BY_DOIP, list(990, (i) => `attributes={${list(24, (k) => `"a${i}b${k}":1`)}}`, '&'))),
    'parts of a form': multipart('/objects?type=Document', 'form-data', 'Content-Disposition: form-data; name="a"\r\n\r\n', 1_100),
    'parts without headers': multipart(CREATE, 'mixed', '', 9_000),
    'parts of a form in gzip': zipped(multipart('/objects?type=Document', 'form-data', 'Content-Disposition: form-data; name="content"\r\n\r\n{}', 100_000)),
    'parts with long headers': zipped(multipart(CREATE, 'form-data', `${list(400, (i) => `X-${i}: ${'y'.repeat(30)}`, '\r\n')}\r\n\r\n`, 300)),
    'blanks behind a boundary': zipped({ ...multipart(CREATE, 'mixed', '\r\n', 1), body: `--b${' '.repeat(16 * MIB)}\r\n\r\n{}\r\n--b--` }),
    'a part without an end': zipped({ ...multipart(CREATE, 'mixed', '\r\n', 1), body: `--b\r\n\r\n${'\r\n--'.repeat(8 * MIB)}` }),
    'lines that are nearly boundaries': zipped({ ...multipart(CREATE, 'mixed', '\r\n', 1), body: `--b\r\n\r\n{}\r\n--b\r\n\r\n${'\r\n--B'.repeat(6 * MIB)}` }),
    'words to search for': (n) => ({ path: `/search?query=${words((i) => `w${n}${i}~2`)}` }),
    'wildcards to search for': (n) => ({ path: `/search?query=${words((i) => `*a*${n}${i}*`)}` }),
    'ranges to search for': (n) => ({ path: `/search?query=${words((i) => `/f${i}:[a${n} TO z]`)}` }),
    'brackets to search for': (n) => ({ path: `/search?query=w${n}${row('(')}` }),
    'quotes to search for': (n) => ({ path: `/search?query=w${n}${row('%22a')}` }),
    'facets in the address': { path: `/search?query=*:*&facets=${encodeURIComponent(`[${list(900, (i) => `{"field":"/${i}"}`)}]`)}` },
    'sort fields in the address': { path: `/search?query=*:*&sortFields=${row('a+DESC,')}` },
    'a filter by _ and by number in the address': { path: `/objects/test/hub?filter=[${list(1_400, (i) => `%22/to/_/${i}%22,%22/to/${i}/x%22`)}]` },
    'attributes many times in the address': {
        path: `${SEARCH_BY_DOIP}&attributes=${encodeURIComponent(`{${list(2_500, (i) => `"${i}":1`)}}`)}&${list(900, (i) => `a=%7B%22x${i}%22:1%7D`, '&')}`
    },
    'a filter in the address': { path: `/objects/design?filter=${encodeURIComponent(`[${list(3_000, (i) => `"/${i}"`)}]`)}` },
    'a pointer in the address': { path: `/objects/design?jsonPointer=${row('/a~1')}` },
    'a context in the address': { path: `/objects/design?requestContext=${row('[')}` },
    'attributes in the address': { path: `/doip?operationId=0.DOIP/Op.Search&${SERVICE}&attributes=${row('[1,')}` },
    'names of attributes in the address': { path: `/doip?operationId=0.DOIP/Op.Search&${SERVICE}&${list(1_000, (i) => `attributes.a${i}.b${i}=1`, '&')}` },
    'deep names in the address': { path: `/doip?operationId=0.DOIP/Op.Search&${SERVICE}&attributes${'.a'.repeat(25_000)}=1` },
    'many names in the address': { path: `/search?${list(20_000, () => 'a', '&')}` },
    'a long id': { path: `/objects/test/${row('%F0%9F%98%80')}` },
    'a long path': { path: row('/..') },
    'many headers': { path: '/objects/design', headers: Object.fromEntries(Array.from({ length: 1_900 }, (_, i) => [`x-${i}`, 'y'.repeat(20)])) },
    'many cookies': { path: '/objects/design', headers: { cookie: list(4_000, (i) => `JSESSIONI${i % 10}=x`, '; ') } },
    'many ranges': { path: '/objects/design', headers: { range: `bytes=${list(9_000, (i) => `${i}-`)}` } },
    'labels of many objects': zipped(json('/labels', ids((i) => `test/d${i}`, 500))),
    'labels of more objects than allowed': zipped(json('/labels', ids((i) => `test/d${i}`, 19_000))),
    'labels of objects with long ids': zipped(json('/labels', ids((i) => `test/${i}${'%'.repeat(2_000)}`, 500))),
    'labels in the address': { path: `/labels?ids=${encodeURIComponent(ids((i) => `test/d${i}`, 500))}` },
    'labels of nothing in the address': { path: `/labels?ids=${row('[')}` },
    'a session with a long password': (n) => ofPage(json('/session', login(n, row('x')))),
    'a session with many values': (n) => ofPage(zipped(json('/session', `{"username":"a${n}","password":"b","junk":${VALUES}}`))),
    'a session with a long token': ofPage(json('/session', JSON.stringify({ assertion: row('eyJh.') }))),
    'a long cookie of a session': ofPage({ path: '/session', headers: { cookie: `doip-session=${row('a.').slice(0, 50_000)}` } }),
    'many cookies of a session': ofPage({ path: '/session', headers: { cookie: list(2_500, (i) => `doip-session=${i}`, '; ') } }),
    'a callback with a long state': { path: `/auth/callback/none?code=x&state=${row('%41')}` },
    'a callback with a long code': { path: `/auth/callback/none?state=x&code=${row('a.')}` },
    'a callback with many names': { path: `/auth/callback/none?${list(20_000, () => 'a', '&')}` },
    'a callback of a provider with a long name': { path: `/auth/callback/${row('%F0%9F%98%80')}` },
    'a callback with many cookies': { path: `/auth/callback/none?state=${'x'.repeat(16)}`, headers: { cookie: list(2_000, () => `doip_login_${'x'.repeat(16)}=x`, '; ') } },
    'a schema to be checked': zipped(json('/schemaCheck?type=Document', `{"allOf":${FEW_VALUES}}`)),
    'a schema to be checked with many values': zipped(json('/schemaCheck?type=Document', `{"allOf":${VALUES}}`)),
    'a schema to be checked with a pattern': zipped(json('/schemaCheck?type=Document', `{"pattern":"${'(a*)*'.repeat(50_000)}"}`)),
    'a schema to be checked for a type with a long name': zipped(json(`/schemaCheck?type=${row('%41').slice(0, 30_000)}`, `{"allOf":${FEW_VALUES}}`)),
    'an object with many references': { path: '/relationships/test/hub' },
    'the references of an object with many': { path: '/relationships/test/hub?outboundOnly' },
    'an object with a long id and its references': { path: `/relationships/test/${row('%F0%9F%98%80')}` },
    'a handle': { path: '/hdl/test/hub' },
    'a long handle': { path: `/hdl/test/${row('%F0%9F%98%80')}` },
    'a handle with many names': { path: `/hdl/test/hub?${list(9_000, () => 'locatt', '&')}` },
    'a handle with a long view': { path: `/hdl/test/hub?locatt=${row('view:')}` },
    'many addresses of proxies': { path: '/objects/design', headers: { 'x-forwarded-for': list(6_000, (i) => `10.0.0.${i % 250}`) } }
};

describe(`one anonymous request of 64 KiB${withoutTurns}`, { skip: withoutTurns !== '', timeout: 120_000 }, () => {

    let database: TestDatabase;
    let service: MeasuredProcess;

    before(async () => {

        database = await createSqlite();
        const env = {
            PORT: '0', LOG_LEVEL: 'silent', ADMIN_PASSWORD, DATA_DIR: database.options.dataDir, DATABASE_URL: '', TURN_MONITOR: 'yes'
        };
        service = await MeasuredProcess.start(CLI, ['serve'], env, [MONITOR]);
        await until(async () => (await fetch(`${service.url}/startupStatus`)).status === 200);
        const documents = list(DOCUMENTS, (i) => `{"id":"test/d${i}","type":"Document","content":{"name":"word${i} a b${i}","f${i % 50}":"x${i}"}}`);
        const references = { type: 'array', items: { type: 'string', cordra: { type: { handleReference: { types: ['Document'] } } } } };
        const hub = { to: Array.from({ length: DOCUMENTS }, (_, i) => `test/d${i}`) };
        await store('/batchUpload', `[${documents}]`);
        await store('/objects?type=Schema', JSON.stringify({ identifier: '', name: 'Hub', schema: { type: 'object', properties: { to: references } } }));
        await store('/objects?type=Hub&handle=test/hub', JSON.stringify(hub));
        await store('/acls/test/hub', JSON.stringify({ readers: ['public'], writers: [] }), 'PUT');
        await send({ path: '/search?query=*:*' });
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

    /** Stores something as the administrator. */
    async function store(path: string, body: string, method = 'POST'): Promise<void> {

        const response = await fetch(service.url + path, { method, body, headers: { ...ADMIN_HEADERS, 'content-type': 'application/json' } });
        expect(response.status, await response.text()).to.equal(200);
    }

    /** Resolves to the status when the answer was read; 0 when the connection was ended. */
    async function send({ path, method = 'GET', headers = {}, body }: Attack): Promise<number> {

        const length: Record<string, string> = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const request = Http.request(service.url + path, { method, headers: { ...headers, ...length }, agent: false });
        request.end(body);
        try {
            const [response] = await once(request, 'response') as [Http.IncomingMessage];
            response.resume();
            await once(response, 'end');
            return response.statusCode ?? 0;
        }
        catch {
            return 0;
        }
    }

    for (const [title, attacks] of Object.entries(ATTACKS)) {
        it(`does not block others and takes little memory: ${title}`, async () => {

            await expectCheap(service, async (n) => {

                const attack = typeof attacks === 'function' ? attacks(n) : attacks;
                expect(wireBytes(attack)).to.be.at.most(WIRE);
                expect(UNMEASURED).to.not.include(await send(attack));
            });
        });
    }
});

function wireBytes({ path, headers = {}, body = '' }: Attack): number {

    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return path.length + lines.length + Buffer.byteLength(body);
}
