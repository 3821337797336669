/**
 * `doip-gateway types`: what it writes of a service with the operations of docs/extending.md is compiled together with programs that use it,
 * right ones and wrong ones; so is what becomes of a hostile description.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Server } from '@hapi/hapi';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { declarationsOf } from '../../lib/cli/declarations/declarations.js';
import { configure, createServer, serverUrl } from '../../lib/index.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { type Run, runCommand } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import { ROOT } from '../support/doc-pages.js';
import { processorTime } from '../support/processor-time.js';
import { copy } from './copy-operation.js';
import { countLongWords } from './typed-client.js';
import { registerWordCount } from './word-count.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PASSWORD = 'a long password';

/** Much more than it takes, because the machine may be busy. */
const TIMEOUT_MS = 300_000;

const RIGHT = `
import { connect, type DoipClient } from 'doip-gateway/client';
import { RepositoryClient } from 'doip-gateway/client/web';
import type { Operations, Types } from './operations.js';

const client = connect<Operations>('http://localhost:8080');
export async function program(): Promise<string> {
    const counted: { words: number } = await client.call('test/map', '20.500.123/Op.WordCount', { attributes: { minLength: 2 } });
    await client.call('test/map', '20.500.123/Op.WordCount');
    const { results } = await client.call('service', '0.DOIP/Op.Search', { attributes: { query: 'type:Book', pageSize: 3 } });
    const made = await client.call('service', '0.DOIP/Op.Create', { input: { type: 'Book', attributes: { content: {} } } });
    await client.call('service', '20.DOIP/Op.ChangePassword', { input: { password: 'a longer password' } });
    const book = await new RepositoryClient('http://localhost:8080').get<Types['Book']>(made.id);
    return book ? book.content.title + (book.content.author?.name ?? '') + book.content.size?.[0] + counted.words + results.length : '';
}
export async function untyped(other: DoipClient): Promise<unknown> {
    return other.call('test/map', 'any', { attributes: { x: 1 }, input: 'y' });
}
`;

/** Each line is wrong, in its own way. */
const WRONG: readonly (readonly [code: string, complaint: RegExp])[] = [
    ['await client.call("test/map", "20.500.123/Op.WordCount", { attributes: { minLenght: 2 } });', /'minLenght' does not exist in type/],
    ['await client.call("test/map", "20.500.123/Op.WordCount", { attributes: { minLength: "2" } });', /'string' is not assignable to type 'number'/],
    ['await client.call("test/map", "20.500.123/Op.WordCount", { input: {} });', /not assignable to type 'undefined'/],
    ['export const a: { words: string } = await client.call("test/map", "20.500.123/Op.WordCount");', /Type '\{ words: number; \}' is not assignable to type '\{ words: string; \}'/],
    ['export const b = (await client.call("test/map", "20.500.123/Op.WordCount")).size;', /'size' does not exist/],
    ['await client.call("test/map", "20.500.123/Op.WordCounts");', /"20.500.123\/Op.WordCounts"' is not assignable/],
    ['await client.call("service", "20.DOIP/Op.ChangePassword");', /Expected 3 arguments, but got 2/],
    ['export const c: Types["Book"] = { title: 7 };', /'number' is not assignable to type 'string'/]
];

const BOOK: JsonObject = {
    type: 'object', required: ['title'],
    properties: {
        title: { type: 'string', description: 'as on the title page' }, author: { $ref: '#/$defs/person' }, sequel: { $ref: 'Book' },
        size: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] }
    },
    $defs: { person: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, friends: { type: 'array', items: { $ref: '#/$defs/person' } } } } }
};

describe('the types of operations', () => {

    let folder: string;
    let server: Server;
    let url: string;
    let database: TestDatabase;

    before(async () => {

        folder = await mkdtemp(join(tmpdir(), 'gateway-types-'));
        await mkdir(join(folder, 'node_modules'));
        await symlink(ROOT, join(folder, 'node_modules/doip-gateway'));
        await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
        database = await createSqlite();
        const config = configure({ PORT: 0, DOIP_PORT: 'off', DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'silent' });
        server = await createServer(config);
        const { gateway } = server.plugins['doip-gateway'];
        registerWordCount(gateway);
        gateway.registerOperation(copy);
        await server.start();
        url = serverUrl(server, config);
    });

    after(async () => {

        await server.stop();
        await database.dispose();
        await rm(folder, { recursive: true });
    });

    const send = async (method: string, path: string, body: JsonValue): Promise<void> => {

        const headers = { 'authorization': `Basic ${btoa(`admin:${PASSWORD}`)}`, 'content-type': 'application/json' };
        expect((await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })).status).to.equal(200);
    };

    const types = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> =>
        runCommand(database, ['types', ...args], '', { DATA_DIR: join(folder, 'none'), DATABASE_URL: '', ...env });

    /** Compiles files in strict mode; returns the complaints. */
    const compile = async (files: Readonly<Record<string, string>>): Promise<string[]> => {

        await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
        const { stdout } = await promisify(execFile)(process.execPath, [
            join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023',
            '--types', 'node', ...Object.keys(files)
        ], { cwd: folder, maxBuffer: Infinity }).catch((error: unknown) => error as { stdout: string });
        return stdout.split('\n').filter((line) => /^\S/.test(line));
    };

    it('let right programs be compiled, and wrong ones not', { timeout: TIMEOUT_MS }, async () => {

        await send('PUT', '/schemas/Book', BOOK);
        const { code, out, error } = await types(['--url', url]);
        const [, head = ''] = /^([^]*?)\nconst client = .*\n/m.exec(RIGHT) ?? [];
        const wrong = WRONG.map(([line], i) => [`wrong-${i}.mts`, `${head}\nexport const client = connect<Operations>('http://localhost:8080');\n${line}\n`]);
        const typed = (await readFile(join(ROOT, 'test/examples/typed-client.ts'), 'utf8')).replace('../../lib/client/index.js', 'doip-gateway/client');
        const complaints = await compile({ 'operations.d.ts': out, 'right.mts': RIGHT, 'typed.mts': typed, ...Object.fromEntries(wrong) as Record<string, string> });

        expect([code, error]).to.equal([0, '']);
        expect(complaints.map((line) => line.replace(/\(.*/, '')).sort()).to.equal(WRONG.map((_, i) => `wrong-${i}.mts`));
        WRONG.forEach(([, complaint], i) => expect(complaints.find((line) => line.startsWith(`wrong-${i}.`))).to.match(complaint));
    });

    it('are those that the documentation shows', async () => {

        const { out } = await types(['--url', url]);
        const shown = await readFile(join(ROOT, 'test/examples/operations.d.ts'), 'utf8');
        const [, member = ''] = /^export interface Operations \{\n([^]*)\}\n$/.exec(shown) ?? [];

        expect(member).to.not.equal('');
        expect(out).to.contain(member);
    });

    it('are those of what is called', async () => {

        await send('POST', '/objects?type=Document&handle=test/map', { name: 'the old map', description: 'of the harbour' });

        expect(await countLongWords(url, 'test/map')).to.equal(1);
    });

    it('are written to a file, and not over one', async () => {

        const file = join(folder, 'written.d.ts');
        const first = await types(['--url', url, '--output', file]);
        const second = await types(['--url', url, '--output', file]);
        const third = await types(['--url', url, '--output', file, '--force']);

        expect([first.code, first.out]).to.equal([0, '']);
        expect([second.code, second.error]).to.equal([73, `doip-gateway: ${file} exists already: choose another name, or --force\n`]);
        expect(third.code).to.equal(0);
        expect((await readFile(file, 'utf8')).length).to.equal((await types(['--url', url])).out.length);
        expect((await stat(file)).size).to.be.above(10_000);
    });

    it('are also those of the service of the data folder', async () => {

        const local = { DATA_DIR: join(folder, 'local') };
        await runCommand(database, ['put', '--type', 'Document', '--json', '{}'], '', { DATABASE_URL: '', ...local });
        const { code, out } = await types([], local);

        expect(code).to.equal(0);
        expect(out).to.contain('\'0.DOIP/Op.Retrieve\': {').and.to.not.contain('WordCount');
    });

    const FAULTS: readonly (readonly [title: string, args: () => readonly string[], env: NodeJS.ProcessEnv, code: number, message: RegExp])[] = [
        ['nothing listens', () => ['--url', 'http://127.0.0.1:1'], {}, 69, /^doip-gateway: nothing listens at http:\/\/127\.0\.0\.1:1: [^\n]+\n$/],
        ['the token is wrong', () => ['--url', url], { DOIP_TOKEN: 'wrong' }, 77, /^doip-gateway: Authentication failed: [^\n]+; the token is that of DOIP_TOKEN [^\n]+\n$/],
        ['the password is wrong', () => ['--url', url, '--user', 'admin'], { DOIP_PASSWORD: 'wrong' }, 77, /^doip-gateway: Authentication failed[^\n]+\n$/],
        ['the address is none', () => ['--url', 'ftp://x'], {}, 64, /^doip-gateway: ftp:\/\/x is no address of a service: [^\n]+\n$/],
        ['there is no service', () => ['--url', `${url}/docs`], {}, 69, /^doip-gateway: [^\n]+\n$/],
        ['there is an operand', () => ['x'], {}, 64, /^doip-gateway: usage: doip-gateway types; see doip-gateway --help\n$/],
        ['there is an option of others', () => ['--sort', 'x'], {}, 64, /^doip-gateway: types has no option --sort; see doip-gateway --help\n$/]
    ];
    for (const [title, args, env, code, message] of FAULTS) {
        it(`are one sentence when ${title}`, async () => {

            const run = await types(args(), env);

            expect([run.code, run.out]).to.equal([code, '']);
            expect(run.error).to.match(message);
        });
    }

    it('are valid for a service that is hostile', { timeout: TIMEOUT_MS }, async () => {

        const evil = 'x\'"`\\ */ }\n\r\u2028${y} } export const z: number; /* // \u0000\u202e';
        const circle = (...names: readonly string[]): JsonObject => Object.fromEntries(names.map((name, i) =>
            [name, { anyOf: [{ $ref: names[(i + 1) % names.length] ?? '' }, { type: 'null' }] }]));
        const schemas: JsonObject = JSON.parse(JSON.stringify({
            [evil]: { title: evil, description: evil, properties: { [evil]: { const: evil, description: evil } }, required: [evil, 'constructor'] },
            '': {}, '1': { $ref: '#/1' }, 'книга': { type: 'object' }, 'JsonValue': true, 'Operations': false, 'string': { type: 'string' }, 'Array': { items: {} },
            'A b': {}, 'A-b': {}, 'A b2': {}, 'Itself': { $ref: '#' }, 'AllOfItself': { allOf: [{ $ref: '#' }, { type: 'object', properties: { a: {} } }] },
            ...circle('One', 'Two', 'Three'), 'Leads': { anyOf: [{ $ref: 'One' }, { type: 'string' }] },
            'Tree': { type: 'array', items: { $ref: '#' } }, 'Pairs': { prefixItems: [{ $ref: '#' }] }, 'Map': { additionalProperties: { $ref: '#' } },
            'Remote': { $ref: 'file:///etc/passwd' }, 'Relative': { $ref: 'Tree#/items' }, 'Anchor': { $ref: '#here', $defs: { x: { $anchor: 'here', type: 'integer' } } },
            'Broken': { $ref: '#/%E0%A4%A', properties: 5, items: 'x', required: [1], type: [{}] }, 'Dates': { properties: { a: { type: 'string', format: 'date' } } },
            'Deep': Array.from({ length: 100 }).reduce<JsonValue>((inner) => ({ properties: { a: { anyOf: [inner, { type: 'null' }] } } }), {}),
            ...Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`Chain ${i}`, { allOf: [{ $ref: `Chain ${i + 1}` }, { properties: { [`p${i}`]: {} } }] }])),
            'Many': { enum: Array.from({ length: 5000 }, (_, i) => `value ${i}`) },
            'new': { properties: { 'new': {}, 'get': {}, 'readonly': { type: 'string' }, 'a?': {}, '[x: string]': { type: 'number' } } }
        })) as JsonObject;
        const types = JSON.parse(`{"__proto__": {"properties": {"__proto__": {"type": "string"}}}, ${JSON.stringify(schemas).slice(1)}`) as JsonObject;
        const operations = [
            ...Object.values(types).map((schema, i) => ({ id: `test/Op.${i}`, summary: evil, attributes: schema, input: schema, result: schema })),
            { id: evil, summary: evil, input: 'segments', inputRequired: true, outputs: ['bytes'] }, { id: '__proto__' }, { id: 7 }, null, 'x', {}
        ];
        const methods = [{ name: evil, type: evil, summary: evil, params: true, result: { $ref: '#/none' } }, { name: 'm', type: 7 }, { name: 'm', params: schemas['Tree'] ?? null }, {}];
        const files = {
            'hostile.d.ts': [...declarationsOf({ id: evil, operations, types, methods })].join(''), 'empty.d.ts': [...declarationsOf({ operations: [] })].join(''),
            'uses.mts': 'import { connect } from "doip-gateway/client";\nimport type { Operations, Types } from "./hostile.js";\n' +
                'export const client = connect<Operations>("http://localhost");\nexport const tree: Types["Tree"] = [[], [[]]];\n' +
                'export const relative: Types["Relative"] = tree;\nexport const number: Types["Anchor"] = 7;\n'
        };

        expect(await compile(files)).to.equal([]);
        expect(/[^\P{C}\n]/u.exec(files['hostile.d.ts'])).to.be.null();
    });

    it('of 10,000 types need seconds and little memory', { timeout: TIMEOUT_MS }, () => {

        const properties = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, i % 4 > 0 ? { type: 'string', description: `property ${i}` } :
            { type: 'array', items: { $ref: '#/$defs/part' } }]));
        const schema = { type: 'object', properties, $defs: { part: { type: 'object', properties: { a: { type: 'string' }, whole: { $ref: '#' } } } } };
        const types = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`Type ${i}`, { ...schema, allOf: [{ $ref: `Type ${i + 1}` }] }]));
        const time = processorTime();
        let length = 0;
        for (const text of declarationsOf({ operations: [], types })) {
            length += text.length;
        }

        expect(length).to.be.above(8_000_000);
        expect(time()).to.be.below(30_000);
    });
});
