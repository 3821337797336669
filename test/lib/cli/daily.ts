/** The command line for daily work: `put`, `get`, `search` and `import` of rows, against a service by its URL and on a data folder. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { type Run, runCommand } from '../../support/command.js';
import type { TestDatabase } from '../../support/database.js';
import { createSqlite } from '../../support/database.js';
import { ADMIN_PASSWORD } from '../../support/gateway.js';
import { nativePort } from '../../support/native.js';
import { ADMIN_HEADERS } from '../../support/rest.js';
import { startFlakyProxy } from '../../support/flaky-proxy.js';
import { startProcess } from '../../support/process.js';
import { onEveryDatabase } from '../../support/rest-service.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const LARGE = randomBytes(1_000_000);
const PASSWORD = { DOIP_PASSWORD: ADMIN_PASSWORD };
/** What a command says that fails: of an import after how far it came. */
const ONE_LINE = /^(?:import \(.*\): .*\n)?doip-gateway: \S.*[^.\n]\n$/;
const BOOK = { type: 'object', properties: { title: { type: 'string' }, year: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } }, required: ['title'] };

describe('the command line for daily work', () => {

    let test: TestServer;
    let database: TestDatabase;
    let folder: string;

    before(async () => {

        [test, database] = [await startServer({ DOIP_PORT: 0 }), await createSqlite()];
        folder = await mkdtemp(join(tmpdir(), 'gateway-daily-'));
        await writeFile(join(folder, 'large.bin'), LARGE);
        await writeFile(join(folder, 'note.txt'), 'a note');
        await mkdir(join(folder, 'a-folder'));
        const response = await fetch(`${test.url}/schemas/Book`, { method: 'PUT', body: JSON.stringify(BOOK), headers: { ...ADMIN_HEADERS, 'content-type': 'application/json' } });
        expect(response.status).to.equal(200);
    });

    after(async () => {

        await test.stop();
        await database.dispose();
        await rm(folder, { recursive: true });
    });

    const run = async (args: readonly string[], { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Run> =>
        runCommand(database, args, input, { DATA_DIR: join(folder, 'none'), DATABASE_URL: '', DOIP_PORT: '', ...PASSWORD, ...env });
    const file = (name: string): string => join(folder, name);
    const http = (): string[] => ['--url', test.url, '--user', 'admin'];
    const write = async (name: string, text: string): Promise<string> => {

        await writeFile(file(name), text);
        return file(name);
    };

    const WAYS: readonly (readonly [name: string, id: string, to: () => { args: string[]; env: NodeJS.ProcessEnv }])[] = [
        ['native DOIP', 'test/native', () => ({ args: ['--url', `doip://127.0.0.1:${nativePort(test)}/test/service`, '--user', 'admin'], env: {} })],
        ['HTTP', 'test/http', () => ({ args: http(), env: {} })],
        ['the data folder without a server', 'test/local', () => ({ args: [], env: { DATA_DIR: join(folder, 'local') } })]
    ];

    for (const [name, id, to] of WAYS) {
        it(`stores, changes, reads and finds objects by ${name}`, async () => {

            const { args, env } = to();
            const made = await run(['put', id, ...args, '--type', 'Document', '--json', '{"name": "Küche", "n": 1.10}', '--element', `large=${file('large.bin')}`], { env });
            expect(made.code, made.error).to.equal(0);
            const changed = await run(['put', id, ...args, '--json', '{"name": "Küche neu", "n": 1.10}'], { env });
            expect(changed.code, changed.error).to.equal(0);
            const more = await run(['put', id, ...args, '--element', `note=${file('note.txt')};type=text/plain`], { env });
            expect(more.code, more.error).to.equal(0);

            const read = await run(['get', id, ...args], { env });
            expect(read.out).to.contain('"name":"Küche neu","n":1.10');
            expect<unknown>((JSON.parse(read.out) as { elements: JsonObject[] }).elements.map((element) => [element['id'], element['length']])).to.equal([['large', LARGE.length], ['note', 6]]);
            const printed = await run(['get', id, ...args, '--element', 'note'], { env });
            expect([printed.code, printed.out]).to.equal([0, 'a note']);
            const all = file(`${id.slice(5)}-all/`);
            expect((await run(['get', id, ...args, '--output', all], { env })).code).to.equal(0);
            expect((await readFile(join(all, 'large'))).equals(LARGE)).to.be.true();
            expect((await readdir(all)).sort()).to.equal(['large', 'note']);

            const found = await run(['search', '/name:küche', ...args], { env });
            expect<unknown>(found.out.trim().split('\n').map((line) => (JSON.parse(line) as JsonObject)['id']), found.error).to.include([id]);
            const ids = await run(['search', '/name:küche', ...args, '--ids', '--sort', '/name', '--limit', '1', '--output', file(`${id.slice(5)}.txt`)], { env });
            expect([ids.code, ids.out]).to.equal([0, '']);
            expect(ids.error).to.contain('1 results');
            expect(await readFile(file(`${id.slice(5)}.txt`), 'utf8')).to.match(/^test\/\w+\n$/);
        });
    }

    it('creates objects without an id, and content from a file or standard input', async () => {

        const made = await run(['put', ...http(), '--type', 'Document', '--input', '-'], { input: '{"name": "from a pipe"}' });

        expect(made.code, made.error).to.equal(0);
        expect((JSON.parse(made.out) as { id: string }).id).to.match(/^test\/./);
    });

    it('refuses files of JSON that are no UTF-8, and skips a byte order mark', async () => {

        await writeFile(file('latin.json'), Buffer.from('{"name": "M\xfcller"}', 'latin1'));
        const marked = await write('marked.json', '\ufeff{"name": "Müller"}');
        const wrong = await run(['put', 'test/latin', ...http(), '--type', 'Document', '--input', file('latin.json')]);
        const right = await run(['put', 'test/marked', ...http(), '--type', 'Document', '--input', marked]);

        expect([wrong.code, wrong.error]).to.equal([65, `doip-gateway: ${file('latin.json')}: JSON is not valid UTF-8\n`]);
        expect([right.code, right.out.includes('"name":"Müller"')], right.error).to.equal([0, true]);
    });

    it('imports CSV as the schema of its type says, and lists what is wrong by its line', async () => {

        const csv = await write('more-books.csv', 'no,title,year,extra\n1,"A map, folded",1891,x\n2,Atlas,18xx,\n3,,1900,\n,No number,1,\n5,"Two\nlines",1950,\n6,Last,,\n');
        const args = ['import', csv, ...http(), '--type', 'Book', '--id', 'test/book-{no}', '--map', '/title=title', '--map', '/year=year'];
        const checked = await run([...args, '--dry-run']);
        const imported = await run([...args, '--rejected', file('rejected.ndjson')]);
        const rejected = (await readFile(file('rejected.ndjson'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line) as JsonObject);
        const again = await run([...args, '--from', '6']);

        const messages = [
            'line 3: column year: "18xx" is no whole number', 'line 5: the id needs the column no, which is empty or missing', 'line 4, test/book-3: ', 'title'
        ];
        for (const { code, error } of [checked, imported]) {
            expect(code, error).to.equal(65);
            messages.forEach((message) => expect(error).to.contain(message));
            expect(error).to.endWith('doip-gateway: 3 rows were rejected\n');
        }

        expect(checked.error).to.contain('3 objects are valid, 3 rows rejected');
        expect(imported.error).to.contain('3 objects stored, 3 rows rejected');
        expect<unknown>(rejected.map(({ line, status }) => [line, status])).to.equal([[3, undefined], [5, undefined], [4, 400]]);
        expect<unknown>(rejected.at(-1)?.['object']).to.equal({ type: 'Book', id: 'test/book-3', content: { year: 1900 } });
        expect([again.code, again.error.includes('2 objects stored, 0 rows rejected')], again.error).to.equal([0, true]);
        const stored = JSON.parse((await run(['get', 'test/book-1', ...http()])).out) as { attributes: { content: JsonObject } };
        expect<unknown>(stored.attributes.content).to.equal({ title: 'A map, folded', year: 1891 });
        expect((await run(['get', 'test/book-5', ...http()])).out).to.contain('Two\\nlines');
        expect((await run(['get', 'test/book-2', ...http()])).code).to.equal(1);
    });

    it('imports CSV of other programs, with a mapping in a file', async () => {

        await writeFile(file('cards.csv'), Buffer.from('Nr;Titel;Schlagw\xf6rter\r\n1;M\xfcller;a, b\r\n', 'latin1'));
        const mapping = await write('cards.json', JSON.stringify({ type: 'Book', id: 'test/card-{Nr}', content: { '/title': 'Titel', '/tags': { column: 'Schlagwörter', split: ',' } } }));
        const broken = await run(['import', file('cards.csv'), ...http(), '--map', mapping, '--delimiter', ';']);
        const imported = await run(['import', file('cards.csv'), ...http(), '--map', mapping, '--delimiter', ';', '--encoding', 'windows-1252']);

        expect([broken.code, broken.error.includes('name its encoding, such as windows-1252')], broken.error).to.equal([65, true]);
        expect(imported.code, imported.error).to.equal(0);
        expect((await run(['get', 'test/card-1', ...http()])).out).to.contain('"content":{"title":"Müller","tags":["a","b"]}');
    });

    it('imports lines and arrays of JSON, also what a search has printed', async () => {

        const objects = ['test/j1', 'test/j2'].map((id) => ({ id, type: 'Book', content: { title: id, n: 1 } }));
        const array = await write('objects.json', JSON.stringify(objects, null, 2));
        const first = await run(['import', array, '--url', test.url], { env: { DOIP_TOKEN: await token() } });
        const lines = await run(['import', '-', ...http(), '--type', 'Book', '--id', 'test/{n}'], { input: '{"n": 8, "title": "eight"}\n\n{"n": 9}\noops\n{"n": 10, "title": "ten"}\n' });
        await run(['search', '/title:"test/j1"', ...http(), '--output', file('found.ndjson')]);
        const back = await run(['import', file('found.ndjson'), ...http()]);

        expect([first.code, first.error.includes('2 objects stored, 0 rows rejected')], first.error).to.equal([0, true]);
        expect(lines.code).to.equal(65);
        expect(lines.error).to.contain('line 3, test/9: 400').and.to.contain('line 4: ').and.to.contain('2 objects stored, 2 rows rejected');
        expect([back.code, back.error.includes('1 objects stored')], back.error).to.equal([0, true]);
    });

    it('imports rows into a data folder without a server', async () => {

        const local = { DATA_DIR: join(folder, 'rows') };
        const imported = await run(['import', await write('few.csv', 'name\none\ntwo\n'), '--type', 'Document'], { env: local });

        expect([imported.code, imported.error.includes('2 objects stored')], imported.error).to.equal([0, true]);
        expect((await run(['search', 'type:Document', '--ids'], { env: local })).out.trim().split('\n')).to.have.length(2);
    });

    it('prints a few rejected rows, and counts the others', async () => {

        const { code, error } = await run(['import', await write('bad.ndjson', '{"title": 7}\n'.repeat(250)), ...http(), '--type', 'Book']);

        expect(code).to.equal(65);
        expect(error.split('\n').filter((line) => line.startsWith('line '))).to.have.length(20);
        expect(error).to.contain('--rejected FILE lists them').and.to.contain('250 rows were rejected');
    });

    it('says from which line an import can be continued', async () => {

        const proxy = await startFlakyProxy(test.url);
        const rows = await write('many.ndjson', Array.from({ length: 250 }, (_, n) => `{"id": "test/m${n}", "type": "Document", "content": {"set": "continued"}}\n`).join(''));
        proxy.next('pass', 'pass', 'cut');
        const args = ['import', rows, '--url', proxy.url, '--user', 'admin'];
        const broken = await run(args);
        const resumed = await run([...args, '--from', '201']);
        await proxy.stop();

        expect(broken.code, broken.error).to.equal(69);
        expect(broken.error).to.contain('200 objects stored, 0 rows rejected before line 201: continue with --from 201');
        expect([resumed.code, resumed.error.includes('50 objects stored')], resumed.error).to.equal([0, true]);
        expect((await run(['search', '/set:continued', ...http(), '--ids'])).out.trim().split('\n')).to.have.length(250);
    });

    it('does not believe a service that answers anything', async () => {

        let answer: (response: ServerResponse) => void = () => undefined;
        const liar = createServer((request, response) => {

            request.resume().on('end', () => answer(response));
        });
        liar.listen(0, '127.0.0.1');
        await once(liar, 'listening');
        const to = ['--url', `http://127.0.0.1:${(liar.address() as AddressInfo).port}`, '--user', 'admin'];
        const says = (text: string, status = '001', length = text.length): typeof answer => {

            return (response) => {

                response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'doip-response': `{"status": "0.DOIP/Status.${status}"}` });
                response.write(text, () => (length > text.length ? response.destroy() : response.end()));
            };
        };

        const rows = await write('lines.ndjson', '{"type": "Document", "content": {}}\n'.repeat(2));
        const escape = '\\u001b[2J\\u0007';

        answer = says('{"results": [{"position": 1, "responseCode": 200}, {"position": 1, "responseCode": 200}, {"position": 7, "responseCode": 200}]}');
        const silent = await run(['import', rows, ...to]);
        answer = says(`{"results": [{"position": 0, "responseCode": 400, "response": {"message": "${escape}wrong"}}]}`);
        const rejected = await run(['import', rows, ...to]);
        answer = says(`{"message": "${escape}wrong"}`, '101');
        const failed = await run(['get', 'test/x', ...to]);
        answer = says('{"results": [', '001', 100);
        const [found, cut] = [await run(['search', '*', ...to]), await run(['import', rows, ...to])];
        liar.close();
        liar.closeAllConnections();

        expect([silent.code, silent.error.includes('1 objects stored, 1 rows rejected')], silent.error).to.equal([65, true]);
        expect(silent.error).to.contain('line 1: the service did not say whether it is stored');
        expect(rejected.error).to.contain('line 1: 400 ?[2J?wrong');
        expect(failed.error).to.contain('doip-gateway: ?[2J?wrong');
        expect([found.code, found.error.includes('doip-gateway: the output is not complete: ')], found.error).to.equal([1, true]);
        expect([cut.code, cut.error.includes('doip-gateway: the response of the service cannot be read: ')], cut.error).to.equal([1, true]);
    });

    const token = async (): Promise<string> => {

        const response = await fetch(`${test.url}/auth/token`, {
            method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD })
        });
        return (await response.json() as { access_token: string }).access_token;
    };

    const WRONG: readonly (readonly [title: string, args: () => readonly string[], code: number, message: string, env?: NodeJS.ProcessEnv])[] = [
        ['a wrong token', () => ['get', 'test/x', '--url', test.url], 77, 'the token is that of DOIP_TOKEN', { DOIP_TOKEN: 'wrong' }],
        ['a wrong token for rows', () => ['import', file('note.ndjson'), '--url', test.url], 77, 'Authentication failed', { DOIP_TOKEN: 'wrong' }],
        ['a wrong password', () => ['search', '*', '--url', test.url, '--user', 'admin'], 77, 'Authentication failed', { DOIP_PASSWORD: 'wrong' }],
        ['no rights', () => ['put', '--url', test.url, '--type', 'Document', '--json', '{}'], 77, '(0.DOIP/Status.102)', { DOIP_PASSWORD: '' }],
        ['a service that is not there', () => ['get', 'test/x', '--url', 'http://127.0.0.1:1'], 69, 'nothing listens at http://127.0.0.1:1: is the service running, and is the port right?'],
        ['a host that does not exist', () => ['get', 'test/x', '--url', 'https://host.invalid'], 69, 'the host of https://host.invalid is not known: is its name right?'],
        ['a server of something else', () => ['get', 'test/x', '--url', `${test.url}/docs`], 69, 'does not serve DOIP'],
        ['http instead of https', () => ['get', 'test/x', '--url', test.url.replace('http', 'https')], 69, 'is it http instead of https? (wrong version number)'],
        ['a folder as the content', () => ['put', 'test/x', ...http(), '--type', 'Document', '--input', file('a-folder')], 66, 'a-folder is a folder, not a file'],
        ['a folder as rows', () => ['import', file('a-folder'), ...http()], 66, 'a-folder is a folder, not a file'],
        ['a folder as an element', () => ['put', 'test/x', ...http(), '--type', 'Document', '--json', '{}', '--element', `a=${file('a-folder')}`], 66, 'a-folder is a folder, not a file'],
        ['a folder as the export', () => ['export', file('a-folder')], 73, 'a-folder is a folder: name a file in it'],
        ['a folder as the results', () => ['search', '*', ...http(), '--output', file('a-folder'), '--force'], 73, 'a-folder is a folder: name a file in it'],
        ['rows that are not there', () => ['import', file('nothing.csv'), ...http(), '--type', 'Book'], 66, 'nothing.csv cannot be read'],
        ['CSV without a type', () => ['import', file('books.csv'), ...http()], 64, 'an import of CSV needs --type'],
        ['CSV of a type that does not exist', () => ['import', file('books.csv'), ...http(), '--type', 'Bokk'], 1, 'Bokk'],
        ['a format that is none', () => ['import', file('books.csv'), ...http(), '--format', 'xml'], 64, '--format must be ndjson, json, csv, not xml'],
        ['an encoding that is none', () => ['import', file('books.csv'), ...http(), '--type', 'Book', '--encoding', 'klingon'], 64, 'klingon'],
        ['a delimiter of two characters', () => ['import', file('books.csv'), ...http(), '--type', 'Book', '--delimiter', '::'], 64, '--delimiter must be one character'],
        ['a line that is none', () => ['import', file('books.csv'), ...http(), '--type', 'Book', '--from', 'x'], 64, '--from must be a number from 1, not x'],
        ['a limit that is none', () => ['search', '*', ...http(), '--limit', '0'], 64, '--limit must be a number from 1, not 0'],
        ['a mapping that is none', () => ['import', file('books.csv'), ...http(), '--type', 'Book', '--map', file('note.json')], 65, 'unknown member title; a mapping has type, id, content'],
        ['a field without a column', () => ['import', file('books.csv'), ...http(), '--type', 'Book', '--map', '/title='], 64, 'must be POINTER=COLUMN'],
        ['an export with options', () => ['import', file('export.ndjson'), ...http()], 64, 'the file is an export'],
        ['a new object without a type', () => ['put', 'test/new', ...http(), '--json', '{}'], 64, 'object test/new does not exist: to create it, give --type'],
        ['a new object without content', () => ['put', ...http(), '--type', 'Document'], 64, 'a new object needs --type, and its content'],
        ['a query that is broken', () => ['search', '/name:(x', ...http()], 1, 'Query parse failure'],
        ['two elements to read', () => ['get', 'test/x', ...http(), '--element', 'a', '--element', 'b'], 64, 'get reads one --element'],
        ['too many operands', () => ['put', 'a', 'b'], 64, 'usage: doip-gateway put [ID]'],
        ['an option of another command', () => ['get', 'test/x', '--type', 'Document'], 64, 'get has no option --type'],
        ['an option that is misspelt', () => ['get', 'test/x', '--elemnt', 'a'], 64, '--elemnt is no option; did you mean --element?'],
        ['an option with one dash', () => ['get', 'test/x', '-url', 'x'], 64, '-url is no option; did you mean --url?'],
        ['an option that is unlike any', () => ['get', 'test/x', '--frobnicate=1'], 64, '--frobnicate is no option; see doip-gateway help'],
        ['a letter that is no option', () => ['get', 'test/x', '-x'], 64, '-x is no option; see doip-gateway help'],
        ['an option without its value', () => ['search', '*', '--limit'], 64, '--limit needs a value'],
        ['an option before another one', () => ['call', 'Hello', 'service', '-a', '-5'], 64, '-a needs a value; one that begins with a dash is written as --attributes=-5'],
        ['a value of an option that has none', () => ['search', '*', '--ids=3'], 64, '--ids takes no value'],
        ['a command that is misspelt', () => ['serach', '*'], 64, 'unknown command serach *; did you mean search?'],
        ['a command of two words that is misspelt', () => ['key', 'list'], 64, 'unknown command key list; did you mean keys list?'],
        ['a port that is none', () => ['serve', '--port', 'x'], 64, '--port must be a number from 0 to 65535, not x'],
        ['a port that is too high', () => ['--port', '99999999'], 64, '--port must be a number from 0 to 65535, not 99999999']
    ];

    for (const [title, args, code, message, env = {}] of WRONG) {
        it(`answers ${title} with one sentence and exit code ${code}`, async () => {

            await write('note.json', '{"title": "A"}');
            await write('books.csv', 'title\nA map\n');
            await write('note.ndjson', '{"id": "test/x", "type": "Document", "content": {}}\n');
            await write('export.ndjson', '{"export":1,"prefix":"test"}\n');

            const { code: found, error, out } = await run(args(), { env });

            expect([found, out], error).to.equal([code, '']);
            expect(error).to.contain(message).and.to.match(ONE_LINE);
        });
    }

    it('serves at the port that is named', async () => {

        const own = await createSqlite();
        const service = await startProcess(own, { PORT: '1' }, [join(__dirname, '../../../bundle/main.js'), 'serve', '--port', '0']);
        const response = await fetch(`${service.url}/health/live`);
        await service.stop();
        await own.dispose();

        expect(response.status).to.equal(200);
    });
});

onEveryDatabase((name, start) => {

    describe(`an import of rows on ${name}`, () => {

        it('stores every row in batches, once if it is repeated', async () => {

            const service = await start();
            const database = await createSqlite();
            const rows = `id,name,n\n${Array.from({ length: 1234 }, (_, n) => `${n},row ${n},${n}`).join('\n')}\n`;
            const args = ['import', '-', '--format', 'csv', '--url', service.url, '--user', 'admin', '--type', 'Document', '--id', 'test/r{id}', '--map', '/n=n:integer', '--map', '/name=name'];
            const runs = [await runCommand(database, args, rows, PASSWORD), await runCommand(database, args, rows, PASSWORD)];
            const found = await service.asAdmin('GET /search?query=/name:row&pageSize=0');
            const last = await service.asAdmin('GET /objects/test/r1233');
            await service.stop();
            await database.dispose();

            expect(runs.map(({ code, error }) => [code, error.includes('1234 objects stored, 0 rows rejected')])).to.equal([[0, true], [0, true]]);
            expect((JSON.parse(found.payload) as { size: number }).size).to.equal(1234);
            expect(JSON.parse(last.payload)).to.include({ name: 'row 1233', n: 1233 });
        });
    });
});
