/**
 * Content, rules of access, references and schemas of the greatest allowed size are read, checked, stored, shown and searched in turns of
 * the event loop that are short. The service runs in a process of its own, and processor time counts, as the machine may be busy.
 */

import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { MeasuredProcess } from '../bench/measured-process.js';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { isDecided, median } from '../support/attempts.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { withoutTurns } from '../support/turn-monitor.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const CLI = join(__dirname, '../../bundle/main.js');
const MONITOR = join(__dirname, '../support/turn-monitor.js');

/** Milliseconds of processor time that a turn may take: the median of several attempts. MAX_TURN_MS=50 is what holds where nothing else runs on the machine. */
const MAX_TURN_MS = Number(process.env['MAX_TURN_MS'] ?? 90);

const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
const nested = (levels: number, inner: object, wrap: (schema: object) => object): object => (levels === 0 ? inner : wrap(nested(levels - 1, inner, wrap)));
const members = (texts: readonly string[]): string => `{"a":[${texts.join()}]}`;

/** JSON texts of content. */
const CONTENTS: readonly (readonly [title: string, text: string])[] = [
    ['numbers that keep their text', members(list(19_900, (i) => `1.000000000000000000${1000 + i}`))],
    ['long texts', members(list(19_900, (i) => `"lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ${i}"`))],
    ['one text of quotes', `{"a":"${'\\"'.repeat(1_000_000)}"}`],
    ['small objects', members(list(4_900, (i) => `{"k":${i},"v":"v${i}"}`))],
    ['long names', `{${list(4_900, (i) => `"${'k'.repeat(390)}${i}":${i}`).join()}}`]
];

/** Texts of 4 MiB whose error is at their end, and what is wrong with them. */
const LENGTH = 4 * 1024 * 1024 - 100;
const MALFORMED: readonly (readonly [title: string, text: string])[] = [
    ['spaces', `[${' '.repeat(LENGTH)}x`],
    ['lines', `[${'\n'.repeat(LENGTH)}x`],
    ['escapes', `["${'\\n'.repeat(LENGTH / 2)}"`],
    ['a text that does not end', `["${'a'.repeat(LENGTH)}`],
    ['long texts', `[${list(19_900, (i) => `"${'x'.repeat(200)}${i}"`).join()}`]
];

/** Entries of a list of access, and references of an object, at most. */
const ACL_ENTRIES = 1000;
const REFERENCES = 10_000;

/** Schemas of the maximum size; each number gives another one, as compiled ones are remembered. */
const SCHEMAS: readonly (readonly [title: string, make: (n: number) => object])[] = [
    ['many properties', (n) => ({ type: 'object', properties: Object.fromEntries(list(4_900, (i) => [`k${i}`, { type: 'string', maxLength: 1000 + n }])) })],
    ['many alternatives', (n) => ({ anyOf: [{ type: 'object' }, ...list(999, (i) => ({ properties: { [`a${i}`]: { const: n } } }))] })],
    ['alternatives of alternatives', (n) => ({
        anyOf: list(48, (i) => ({ oneOf: list(48, (j) => ({ properties: { [`a${i}`]: { const: j + n } }, required: j === 0 ? [] : [`b${j}`] })) }))
    })],
    ['properties at each level', (n) => nested(45, { maxLength: n }, (a) => ({ properties: { a, ...Object.fromEntries(list(100, (i) => [`b${i}`, { minimum: i }])) } }))],
    ['names and what depends on them', (n) => ({
        properties: Object.fromEntries(list(40, (i) => [`p${i}`, { propertyNames: { anyOf: list(50, (j) => ({ maxLength: j + n })) } }])),
        dependentRequired: { a: list(990, (i) => `a${i}`) }, dependentSchemas: Object.fromEntries(list(1_200, (i) => [`s${i}`, { required: [`t${i}`] }]))
    })],
    ['many definitions', (n) => ({
        definitions: Object.fromEntries(list(4_900, (i) => [`d${i}`, i === 0 ? { maxLength: n + 1000 } : { $ref: `#/definitions/d${i - 1}` }])),
        properties: { k1: { $ref: '#/definitions/d4' } }
    })],
    ['a long value', (n) => ({ properties: { k2: { const: `${n}${'long '.repeat(300_000)}` }, k3: { enum: list(15, (i) => 'x'.repeat(20_000) + i) } } })],
    ['many values', (n) => ({ properties: { k2: { enum: list(19_800, (i) => `value ${n} ${i} ${'x'.repeat(60)}`) } } })],
    ['long texts', (n) => ({ properties: { k2: { description: `${n}${'lorem ipsum '.repeat(150_000)}` } } })],
    ['patterns of names', (n) => ({ patternProperties: Object.fromEntries(list(190, (i) => [`^[a-z]{2,40}${n}-${i}$`, { maxLength: i }])) })],
    ['many patterns', (n) => ({ properties: Object.fromEntries(list(400, (i) => [`p${i}`, { pattern: `^[a-z]{2,9}${n}-${i}$` }])) })]
];

describe(`content of the maximum size${withoutTurns}`, { skip: withoutTurns !== '', timeout: 900_000 }, () => {

    let database: TestDatabase;
    let service: MeasuredProcess;
    let sent = 0;
    /** What is measured at the moment, and the last request of it. */
    let subject = '';
    let asked = '';
    const costs: (readonly [content: string, request: string, longestTurn: number])[] = [];

    before(async () => {

        database = await createSqlite();
        const env = {
            PORT: '0', LOG_LEVEL: 'fatal', ADMIN_PASSWORD, DATA_DIR: database.options.dataDir, DATABASE_URL: '', TURN_MONITOR: 'yes',
            // Code that runs for seconds here takes longer on a busy machine.
            SCRIPT_TIMEOUT_SECONDS: '120'
        };
        service = await MeasuredProcess.start(CLI, ['serve'], env, [MONITOR]);
        await until(async () => (await fetch(`${service.url}/startupStatus`)).status === 200);
    });

    after(async () => {

        await service.stop();
        await database.dispose();
        if (process.env['SHOW_COSTS']) {
            costs.toSorted(([, , a], [, , b]) => b - a).forEach(([content, request, ms]) => console.log(`${ms.toFixed(1)} ms: ${content}: ${request}`));
        }
    });

    function blocksNobody(what: string, work: () => Promise<void>): void {

        it(`does not block others${what}`, async () => {

            subject = what.replace(/^[: ]+/, '');
            await work();
        });
    }

    async function ask(path: string, body?: string, method = body === undefined ? 'GET' : 'POST', status = 200): Promise<void> {

        asked = `${method} ${path.slice(0, 60)}`;
        const response = await fetch(service.url + path, { method, body: body ?? null, headers: { ...ADMIN_HEADERS, 'content-type': 'application/json' } });
        const text = await response.text();
        expect(response.status, `${path}: ${text.slice(0, 200)}`).to.equal(status);
    }

    async function expectShortTurns(work: () => Promise<void>): Promise<void> {

        const longest: number[] = [];
        while (!isDecided(longest, MAX_TURN_MS)) {
            service.watchTurns();
            await work();
            longest.push(await service.longestTurn());
        }

        costs.push([subject, asked, median(longest)]);
        expect(median(longest), `${asked}: ${longest.join()}`).to.be.below(MAX_TURN_MS);
    }

    for (const [place, [title, content]] of CONTENTS.entries()) {
        blocksNobody(`: ${title}`, async () => {

            const path = `/objects/test/large.${place}`;
            await ask(`/objects?type=Document&handle=test/large.${place}`, content);

            await expectShortTurns(() => ask(`/objects?type=Document&handle=test/other.${++sent}`, content));
            await expectShortTurns(() => ask(path, content, 'PUT'));
            await expectShortTurns(() => ask(`${path}?jsonPointer=/more`, `${++sent}`, 'PUT'));
            await expectShortTurns(() => ask(`${path}?filter=["/a"]`));
            await expectShortTurns(() => ask('/batchUpload', `[${list(2, () => `{"id":"test/item.${++sent}","type":"Document","content":${content}}`).join()}]`));
            await expectShortTurns(() => ask(`/versions?objectId=test/large.${place}`, ''));
            await expectShortTurns(() => ask('/uploadObjects', `[{"id":"test/up.${++sent}","type":"Document","content":${content}}]`));
            await expectShortTurns(() => ask('/doip?operationId=gateway/Op.Import&targetId=service', `{"id":"test/in.${++sent}","type":"Document","content":${content}}\n`));
        });

        blocksNobody(` when it is read: ${title}`, async () => {

            const path = `/objects/test/read.${place}`;
            await ask(`/objects?type=Document&handle=test/read.${place}`, content);
            // An object that was changed is in no cache.
            const read = (query: string, method?: string): Promise<void> => expectShortTurns(async () => {

                await ask(`${path}?jsonPointer=/more`, `${++sent}`, 'PUT');
                await ask(path + query, undefined, method);
            });

            await read('');
            await read('?full');
            await read(content.startsWith('{"a"') ? '?jsonPointer=/a' : `?jsonPointer=/${'k'.repeat(390)}0`);
            await read('?full', 'HEAD');
            await expectShortTurns(() => ask(`${path}?full`, undefined, 'HEAD'));
        });
    }

    blocksNobody(' by rules of access', async () => {

        const path = '/acls/test/ruled';
        const rules = (): string => JSON.stringify(Object.fromEntries(['readers', 'writers', 'payloadReaders'].map((member) => [
            member, list(ACL_ENTRIES, (n) => `test/${'x'.repeat(200)}.${sent}.${n}`)
        ])));
        await ask('/objects?type=Document&handle=test/ruled', '{}');

        await expectShortTurns(() => (++sent, ask(path, rules(), 'PUT')));
        await expectShortTurns(() => ask(path));
        await expectShortTurns(() => ask('/objects/test/ruled?full'));
    });

    blocksNobody(' by references', async () => {

        const ids = list(REFERENCES, (n) => `test/target.${n}`);
        for (let n = 0; n < REFERENCES; n += 2000) {
            await ask('/batchUpload', `[${ids.slice(n, n + 2000).map((id) => `{"id":"${id}","type":"Document","content":{"name":"${id}"}}`).join()}]`);
        }

        const references = { type: 'array', items: { type: 'string', cordra: { type: { handleReference: { types: ['Document'] } } } } };
        await ask('/objects?type=Schema', JSON.stringify({ identifier: '', name: 'Hub', schema: { type: 'object', properties: { to: references } } }));
        const hub = JSON.stringify({ to: ids });
        await ask('/objects?type=Hub&handle=test/hub', hub);

        await expectShortTurns(() => ask(`/objects?type=Hub&handle=test/hub.${++sent}`, hub));
        await expectShortTurns(() => ask('/relationships/test/hub'));
        await expectShortTurns(() => ask('/relationships/test/hub?outboundOnly'));
        await expectShortTurns(() => ask('/relationships/test/target.0'));
    });

    for (const [title, schemaOf] of SCHEMAS) {
        blocksNobody(` by a schema: ${title}`, async () => {

            const typeOf = (n: number): string => JSON.stringify({ identifier: '', name: `Large${n}`, schema: schemaOf(n) });
            const id = `test/schema.${++sent}`;
            const name = `Large${sent}`;
            await ask(`/objects?type=Schema&handle=${id}`, typeOf(sent));

            await expectShortTurns(async () => {

                await ask(`/objects?type=Schema&handle=test/schema.${++sent}`, typeOf(sent));
                await ask(`/objects?type=Large${sent}`, '{"k1":"a"}');
            });
            await expectShortTurns(() => ask(`/objects/${id}`, JSON.stringify({ identifier: '', name, schema: schemaOf(++sent) }), 'PUT'));
            await expectShortTurns(() => ask(`/objects?type=${name}`, '{"k1":"a"}'));
            await ask(`/objects?type=${name}&handle=test/read.${name}`, '{"k1":"a"}');
            await expectShortTurns(async () => {

                await ask(`/objects/${id}`, JSON.stringify({ identifier: '', name, schema: schemaOf(++sent) }), 'PUT');
                await ask(`/objects/test/read.${name}?jsonPointer=/k1`);
            });
            await expectShortTurns(() => ask(`/schemaCheck?type=${name}`, JSON.stringify(schemaOf(++sent))));
            await expectShortTurns(() => ask(`/objects?type=${name}`, '{"k1":"a"}'));
            await expectShortTurns(() => ask(`/objects/${id}?full`));
            await expectShortTurns(() => ask(`/schemas/${name}`));
        });
    }

    blocksNobody(' by a schema that another one refers to', async () => {

        const large = (n: number): string => JSON.stringify({
            identifier: '', name: 'Referred',
            schema: { $defs: Object.fromEntries(list(2_400, (i) => [`d${i}`, { maxLength: n }])), elsewhere: { allOf: list(900, (i) => ({ maxLength: n + i })) } }
        });
        await ask('/objects?type=Schema&handle=test/referred', large(++sent));
        await ask('/objects?type=Schema', JSON.stringify({
            identifier: '', name: 'Referring', schema: { properties: { a: { $ref: 'Referred#/$defs/d7' }, b: { $ref: 'Referred#/elsewhere' } } }
        }));

        await expectShortTurns(async () => {

            await ask('/objects/test/referred', large(++sent), 'PUT');
            await ask('/objects?type=Referring', '{"a":"","b":""}');
        });
    });

    blocksNobody(' by a schema that refers to what does not exist yet, or is not usable', async () => {

        const large = (n: number, other: object): string => JSON.stringify({
            identifier: '', name: `Early${n}`, schema: { properties: { ...Object.fromEntries(list(4_800, (i) => [`k${i}`, { maxLength: n }])), other } }
        });

        await expectShortTurns(() => ask(`/objects?type=Schema&handle=test/early.${++sent}`, large(sent, { $ref: 'NotYet' })));
        await expectShortTurns(() => ask('/objects?type=Schema', large(++sent, { $ref: '#/nowhere' }), 'POST', 400));
    });

    blocksNobody(' by alternatives whose annotations are read', async () => {

        const typeOf = (n: number): string => JSON.stringify({ identifier: '', name: 'Varied', schema: {
            anyOf: list(900, (i) => ({ properties: Object.fromEntries(list(4, (j) => [`a${i}-${j}`, { maxLength: n, cordra: { preview: { isPrimary: true } } }])) }))
        } });
        await ask('/objects?type=Schema&handle=test/varied', typeOf(++sent));
        await ask('/objects?type=Varied&handle=test/varied.1', '{"a1-1":"b"}');

        await expectShortTurns(async () => {

            await ask('/objects/test/varied', typeOf(++sent), 'PUT');
            await ask('/objects/test/varied.1?jsonPointer=/a1-1');
        });
    });

    for (const [title, text] of MALFORMED) {
        blocksNobody(` while an error is located: ${title}`, async () => {

            await expectShortTurns(() => ask('/objects?type=Document', text, 'POST', 400));
        });
    }

    blocksNobody(' by what type code gives', async () => {

        const javascript = `
            const cordra = require('cordra');
            const grid = (rows, value) => Array(rows).fill(Array(1000).fill(value));
            const made = ({ rows, quotes, value = {} }) => (quotes ? '"'.repeat(quotes) : grid(rows, value));
            exports.beforeSchemaValidation = (object) => { if (object.content.make) { object.content.made = made(object.content.make); } };
            exports.onObjectResolution = (object) => { object.content.shown = grid(12, 1); return object; };
            exports.methods = { make: (object, { params }) => { object.content.made = made(params); return made(params); } };
            exports.staticMethods = {
                rows: ({ params }) => made(params),
                create: ({ params }) => { try { cordra.create({ type: 'Document', content: { a: made(params) } }); } catch (error) { return 'refused'; } }
            };`;
        await ask('/objects?type=Schema', JSON.stringify({ identifier: '', name: 'Given', schema: { type: 'object' }, javascript }));
        await ask('/objects?type=Given&handle=test/given', '{}');
        await ask('/batchUpload', `[${list(60, (n) => `{"id":"test/given.${n}","type":"Given","content":{"group":"many"}}`).join()}]`);
        const call = (callee: string, params: object, status?: number): Promise<void> => ask(`/call?${callee}`, JSON.stringify(params), 'POST', status);

        await expectShortTurns(() => call('type=Given&method=rows', { rows: 490 }));
        await expectShortTurns(() => call('type=Given&method=rows', { rows: 1300 }, 413));
        await expectShortTurns(() => call('type=Given&method=rows', { quotes: 4_000_000 }));
        await expectShortTurns(() => ask('/doip?operationId=gateway/Op.Call&targetId=service&attributes.type=Given&attributes.method=rows&attributes.pretty=true', '{"rows":300}'));
        for (const params of [{ rows: 19 }, { rows: 600 }, { quotes: 1_000_000 }, { quotes: 3_100_000 }, { quotes: 4_000_000 }]) {
            const status = params.quotes === 1_000_000 ? 200 : 413;
            await expectShortTurns(() => call('type=Given&method=create', params));
            await expectShortTurns(() => call('objectId=test/given&method=make', params, status));
            await expectShortTurns(() => ask('/objects?type=Given', JSON.stringify({ make: params }), 'POST', status));
        }

        await expectShortTurns(() => ask('/search?query=/group:many&pageSize=60'));
    });

    blocksNobody(' in large search results', async () => {

        await expectShortTurns(() => ask('/search?query=*:*&pageSize=20'));
        await expectShortTurns(() => ask('/search?query=*:*&pageSize=20&filter=["/content/a"]'));
    });
});
