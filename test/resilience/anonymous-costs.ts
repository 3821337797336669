/**
 * What a caller without credentials can make the service do with one request of 64 KiB on the wire: its longest turn of the event
 * loop, in processor time, and how much its process grows. The service runs in a process of its own.
 */

import Http from 'node:http';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { MeasuredProcess } from '../bench/measured-process.js';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { ADMIN_HEADERS } from '../support/rest.js';
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

/** Milliseconds of processor time that others may wait, and bytes that the process may grow by. */
const MOST_MS = 100;
const MOST_BYTES = 64 * MIB;

/** A busy machine takes longer for the same, and garbage is collected when it is. */
const TRIES = 8;

/** One request. */
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
const CREATE = `/doip?operationId=0.DOIP/Op.Create&${SERVICE}`;
const words = (word: (index: number) => string): string => encodeURIComponent(list(60_000, word, ' ').slice(0, 20_000));
const row = (unit: string): string => unit.repeat(Math.ceil(60_000 / unit.length)).slice(0, 60_000);

const ATTACKS: Readonly<Record<string, Attack>> = {
    'a search with many values': zipped(json('/search', `{${SEARCH},"junk":${VALUES}}`)),
    'a search with as many values as allowed': zipped(json('/search', `{${SEARCH},"junk":${FEW_VALUES}}`)),
    'a search with numbers that keep their text': zipped(json('/search', `{${SEARCH},"junk":${NUMBERS}}`)),
    'a search with a long text': zipped(json('/search', `{"query":"${TEXT}"}`)),
    'a search with a text of a mebibyte': zipped(json('/search', `{"query":"${'x '.repeat(MIB / 2 - 20)}"}`)),
    'a search with wildcards': zipped(json('/search', `{"query":"${'*a*b* '.repeat(MIB / 6 - 20)}"}`)),
    'a search with deep JSON': zipped(json('/search', `{${SEARCH},"junk":${'['.repeat(500_000)}`)),
    'a search with depth as allowed': zipped(json('/search', `{${SEARCH},"junk":[${list(150, () => '['.repeat(120) + ']'.repeat(120))}]}`)),
    'a search with sort fields': zipped(json('/search', `{${SEARCH},"sortFields":[${list(19_000, (i) => `"/f${i} desc"`)}]}`)),
    'a search with facets': zipped(json('/search', `{${SEARCH},"facets":[${list(4_000, (i) => `{"field":"/f${i}"}`)}]}`)),
    'a search with filters': zipped(json('/search', `{${SEARCH},"filter":[${list(19_000, (i) => `"/content/a/${i}"`)}]}`)),
    'a search with filters of many segments': zipped(json('/search', `{${SEARCH},"filter":[${list(1_000, (i) => `"/${i}${'/a'.repeat(500)}"`)}]}`)),
    'a search with filter queries': zipped(json('/search', `{${SEARCH},"filterQueries":[${list(15_000, (i) => `"a${i}*"`)}]}`)),
    'a search with a query of JSON': zipped(json('/search', `{"queryJson":${'{"bool":{"must":['.repeat(40)}{"match":{"a":"b"}}${']}}'.repeat(40)}}`)),
    'a batch of many values': zipped({ ...json('/batchUpload', `[{"type":"Document","content":${VALUES}}]`) }),
    'a batch of very many objects': zipped(json('/batchUpload', `[${'{},'.repeat(5 * MIB)}{}]`)),
    'a batch of many lines': zipped({ ...json('/batchUpload?format=ndjson', '{}\n'.repeat(MIB)) }),
    'an upload of all objects': zipped(json('/uploadObjects', `[${'{},'.repeat(5 * MIB)}{}]`)),
    'content of many values': zipped(json('/objects?type=Document', VALUES)),
    'content of many values as DOIP': zipped(json(CREATE, `{"type":"Document","attributes":{"content":${VALUES}}}`)),
    'content of as many values as allowed as DOIP': zipped(json(CREATE, `{"type":"Document","attributes":{"content":${FEW_VALUES}}}`)),
    'a login with many values': zipped(json('/auth/token', `{"username":"a","password":"b","junk":${VALUES}}`)),
    'a login with a long password': json('/auth/token', JSON.stringify({ username: 'admin', password: row('x') })),
    'a login with a long token': json('/auth/token', JSON.stringify({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: row('eyJh.') })),
    'a token as bearer': { path: '/check-credentials', headers: { authorization: `Bearer ${row('a.').slice(0, 50_000)}` } },
    'names and passwords in a header': { path: '/check-credentials', headers: { authorization: `Basic ${btoa(`admin:${row('x').slice(0, 36_000)}`)}` } },
    'a form of many names': form('/search', list(30_000, () => 'a', '&')),
    'a form of many names in gzip': zipped(form('/search', list(5 * MIB, () => 'a', '&'))),
    'a form of escapes': form('/search', `query=${row('%41')}`),
    'a form of JSON': zipped(form('/objects?type=Document', `content=${encodeURIComponent(`{"a":${FEW_VALUES}}`)}`)),
    'a form of Python': zipped(form('/search', `query=x&requestContext={'a':['${'\\\''.repeat(500_000)}`)),
    'parts of a form': multipart('/objects?type=Document', 'form-data', 'Content-Disposition: form-data; name="a"\r\n\r\n', 1_100),
    'parts without headers': multipart(CREATE, 'mixed', '', 9_000),
    'parts of a form in gzip': zipped(multipart('/objects?type=Document', 'form-data', 'Content-Disposition: form-data; name="content"\r\n\r\n{}', 100_000)),
    'parts with long headers': zipped(multipart(CREATE, 'form-data', `${list(400, (i) => `X-${i}: ${'y'.repeat(30)}`, '\r\n')}\r\n\r\n`, 300)),
    'a part without an end': zipped({ ...multipart(CREATE, 'mixed', '\r\n', 1), body: `--b\r\n\r\n${'\r\n--'.repeat(8 * MIB)}` }),
    'lines that are nearly boundaries': zipped({ ...multipart(CREATE, 'mixed', '\r\n', 1), body: `--b\r\n\r\n{}\r\n--b\r\n\r\n${'\r\n--B'.repeat(6 * MIB)}` }),
    'words to search for': { path: `/search?query=${words((i) => `w${i}~2`)}` },
    'wildcards to search for': { path: `/search?query=${words((i) => `*a*${i}*`)}` },
    'ranges to search for': { path: `/search?query=${words((i) => `/f${i}:[a TO z]`)}` },
    'brackets to search for': { path: `/search?query=${row('(')}` },
    'quotes to search for': { path: `/search?query=${row('%22a')}` },
    'facets in the address': { path: `/search?query=*:*&facets=${encodeURIComponent(`[${list(900, (i) => `{"field":"/${i}"}`)}]`)}` },
    'sort fields in the address': { path: `/search?query=*:*&sortFields=${row('a+DESC,')}` },
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
        const objects = list(2_000, (i) => `{"type":"Document","content":{"name":"word${i} a b${i}","f${i % 50}":"x${i}"}}`);
        await fetch(`${service.url}/batchUpload`, { method: 'POST', body: `[${objects}]`, headers: { ...ADMIN_HEADERS, 'content-type': 'application/json' } });
        await send({ path: '/search?query=*:*' });
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

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

    const peak = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) * KIB;

    /** Linux takes the size of the process as its peak. */
    const forgetPeak = (): void => writeFileSync(`/proc/${service.pid}/clear_refs`, '5');

    for (const [title, attack] of Object.entries(ATTACKS)) {
        it(`does not block others and takes little memory: ${title}`, async () => {

            const { path, headers = {}, body = '' } = attack;
            const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
            const bytes = path.length + lines.length + Buffer.byteLength(body);
            const least = { turn: Infinity, bytes: Infinity };
            let status = 0;
            for (let attempt = 0; attempt < TRIES && (least.turn > MOST_MS || least.bytes > MOST_BYTES); ++attempt) {
                forgetPeak();
                const before = peak();
                service.watchTurns();
                status = await send(attack);
                least.turn = Math.min(least.turn, await service.longestTurn());
                least.bytes = Math.min(least.bytes, peak() - before);
            }

            expect(bytes).to.be.at.most(WIRE);
            expect(status).to.not.equal(500);
            expect(least.turn, `${title}: milliseconds`).to.be.below(MOST_MS);
            expect(least.bytes, `${title}: bytes`).to.be.below(MOST_BYTES);
        });
    }
});
