/** `doip-gateway call`: any operation, by every way to a service, with files. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prepareCall } from '../../../lib/cli/call.js';
import { CommandError } from '../../../lib/cli/command-error.js';
import { readArguments } from '../../../lib/cli/command.js';
import { runCommand as runInProcess } from '../../../lib/cli/commands.js';
import type { CliRequest } from '../../../lib/cli/remote.js';
import type { Service } from '../../../lib/cli/service.js';
import { loadConfig } from '../../../lib/config/index.js';
import { empty } from '../../../lib/doip/segments.js';
import { Status } from '../../../lib/errors/status.js';
import { jsonText } from '../../../lib/json/raw-json.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { type Run, runCommand } from '../../support/command.js';
import type { TestDatabase } from '../../support/database.js';
import { createSqlite } from '../../support/database.js';
import { ADMIN_PASSWORD } from '../../support/gateway.js';
import { certify, nativePort } from '../../support/native.js';
import { hasScript } from '../../support/programs.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const LARGE = randomBytes(3_000_000);

describe('doip-gateway call', () => {

    let test: TestServer;
    let database: TestDatabase;
    let folder: string;

    before(async () => {

        [test, database] = [await startServer({ DOIP_PORT: 0 }), await createSqlite()];
        folder = await mkdtemp(join(tmpdir(), 'gateway-call-'));
        await writeFile(join(folder, 'large.bin'), LARGE);
        await writeFile(join(folder, 'note.txt'), 'a note');
        await writeFile(join(folder, 'object.json'), '{"type": "Document", "attributes": {"content": {"id": "", "name": "A map"}}}');
    });

    after(async () => {

        await test.stop();
        await database.dispose();
        await rm(folder, { recursive: true });
    });

    const call = async (args: readonly string[], { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Run> =>
        runCommand(database, ['call', ...args], input, { DATA_DIR: join(folder, 'none'), DATABASE_URL: '', DOIP_PORT: '', ...env });

    const PASSWORD = { DOIP_PASSWORD: ADMIN_PASSWORD };
    const WAYS: readonly (readonly [name: string, id: string, to: () => { args: readonly string[]; env: NodeJS.ProcessEnv }])[] = [
        ['native DOIP', 'test/native', () => ({ args: ['--url', `doip://127.0.0.1:${nativePort(test)}/test/service`, '--user', 'admin'], env: PASSWORD })],
        ['HTTP', 'test/http', () => ({ args: ['--url', test.url, '--user', 'admin'], env: PASSWORD })],
        ['the data folder without a server', 'test/local', () => ({ args: [], env: { DATA_DIR: join(folder, 'local') } })]
    ];

    it('shows the progress of a long download on a terminal, and how much it was', { skip: !hasScript() }, async () => {

        const [command, file, size] = [join(__dirname, '../../../bundle/main.js'), join(folder, 'downloaded'), 400_000_000];
        const line = `node ${command} call test/Op.Source service --attributes size=${size} --url ${test.url} --output ${file}`;
        const { stdout: screen } = await promisify(execFile)('script', ['-qec', line, '/dev/null'], { maxBuffer: 10_000_000 });

        expect((await stat(file)).size).to.equal(size);
        expect(screen).to.match(/\r\u001b\[Kcall: \d+\.\d MiB/).and.match(/call: received, 381\.5 MiB in \d+\.\d s\r?\n$/);
        await rm(file);
    });

    for (const [name, id, to] of WAYS) {
        it(`stores and reads objects with files by ${name}`, async () => {

            const { args, env } = to();
            const created = await call([
                'Create', 'service', ...args, '--input', join(folder, 'object.json'), '--element', `a/b=${join(folder, 'large.bin')}`,
                '--element', `note=${join(folder, 'note.txt')};type=text/plain`
            ], { env });
            expect(created.code, created.error).to.equal(0);
            expect(created.out).to.endWith('\n');
            const { id: made, elements } = JSON.parse(created.out) as { id: string; elements: JsonObject[] };
            expect<unknown>(elements.map((each) => [each['id'], each['length'], (each['attributes'] as JsonObject)['filename']])).to.equal(
                [['a/b', LARGE.length, 'large.bin'], ['note', 6, 'note.txt']]);

            const output = join(folder, `${id.slice(5)}.bin`);
            const read = await call(['Retrieve', made, ...args, '-a', 'element=a/b', '--output', output], { env });
            expect([read.code, read.out]).to.equal([0, '']);
            expect((await readFile(output)).equals(LARGE)).to.be.true();
            const again = await call(['Retrieve', made, ...args, '-a', 'element=note', '--output', output], { env });
            expect([again.code, again.error]).to.equal([73, `doip-gateway: ${output} exists already: choose another name, or --force\n`]);
            const printed = await call(['0.DOIP/Op.Retrieve', made, ...args, '-a', '{"element": "note", "range": {"start": 2, "end": 5}}'], { env });
            expect([printed.code, printed.out]).to.equal([0, 'note']);

            const all = join(folder, `${id.slice(5)}-all/`);
            const whole = await call(['Retrieve', made, ...args, '-a', 'includeElementData=true', '--output', all], { env });
            expect<unknown>((JSON.parse(whole.out) as JsonObject)['id']).to.equal(made);
            expect((await readdir(all)).sort()).to.equal(['a%2Fb', 'note']);
            expect((await readFile(join(all, 'a%2Fb'))).equals(LARGE)).to.be.true();

            // Two names of one file, as on a disk without upper and lower case.
            await rm(join(all, 'note'));
            await symlink('a%2Fb', join(all, 'note'));
            const forced = await call(['Retrieve', made, ...args, '-a', 'includeElementData=true', '--output', all, '--force'], { env });
            expect([forced.code, forced.error]).to.equal([73,
                `doip-gateway: ${join(all, 'note')} is the file of element a%2Fb on this disk: read the elements one by one with --element\n`]);
            expect((await readFile(join(all, 'a%2Fb'))).equals(LARGE)).to.be.true();

            const updated = await call(['Update', made, ...args, '--json', `{"attributes": {"content": {"id": "${made}", "name": "Küche"}}}`], { env });
            expect(updated.code, updated.error).to.equal(0);
            const found = await call(['Search', 'service', ...args, '-a', 'query=/name:küche', '-a', 'type=id', '-a', 'pageSize=10'], { env });
            expect<unknown>((JSON.parse(found.out) as JsonObject)['results']).to.equal([made]);
            const gone = await call(['Delete', made, ...args], { env });
            expect([gone.code, gone.out, gone.error]).to.equal([0, '', '']);
            const missing = await call(['Retrieve', made, ...args], { env });
            expect([missing.code, missing.out, missing.error]).to.equal([1, '', `doip-gateway: Missing object ${made} (0.DOIP/Status.104)\n`]);
        });
    }

    it('writes no other file than those that it is asked for', async () => {

        const url = ['--url', test.url, '--user', 'admin'];
        const object = '{"id": "test/parts", "type": "Document", "attributes": {"content": {}}}';
        const files = ['a.part', 'a', '..', 'output'].flatMap((id) => ['--element', `${id}=${join(folder, 'note.txt')}`]);
        const created = await call(['Create', 'service', ...url, '--json', object, ...files], { env: PASSWORD });
        expect(created.code, created.error).to.equal(0);
        const out = join(folder, 'parts');
        await mkdir(out);
        const read = await call(['Retrieve', 'test/parts', ...url, '-a', 'includeElementData=true', '--output', out], { env: PASSWORD });
        expect(read.code, read.error).to.equal(0);
        expect((await readdir(out)).sort()).to.equal(['%2E%2E', 'a', 'a.part', 'output']);
        await writeFile(join(folder, 'mine.part'), 'kept');
        await call(['Hello', 'service', ...url, '--output', join(folder, 'mine')], { env: PASSWORD });
        expect(await readFile(join(folder, 'mine.part'), 'utf8')).to.equal('kept');
    });

    it('reads the input from standard input, and a token from the environment', async () => {

        const url = test.url;
        const made = await call(['20.DOIP/Op.Auth.Token', 'service', '--url', url, '--input', '-'], {
            input: JSON.stringify({ grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD })
        });
        const { access_token: token } = JSON.parse(made.out) as { access_token: string };
        const { out } = await call(['CheckCredentials', 'service', '--url', url], { env: { DOIP_TOKEN: token } });
        expect<unknown>((JSON.parse(out) as JsonObject)['username']).to.equal('admin');
    });

    it('trusts a service by its public key, and knows its user by a certificate', async () => {

        const port = nativePort(test);
        const { cert, key, publicKey } = await certify('admin');
        const [certFile, keyFile, hello, wrong] = ['admin.pem', 'admin-key.pem', 'hello.json', 'wrong.json'].map((file) => join(folder, file)) as [string, string, string, string];
        await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key), writeFile(wrong, JSON.stringify(publicKey))]);
        const design = await call(['Update', 'design', '--url', test.url, '--user', 'admin', '-a', 'jsonPointer=/adminPublicKey',
            '--json', JSON.stringify({ attributes: { contentAtPointer: publicKey } })], { env: PASSWORD });
        expect(design.code, design.error).to.equal(0);
        const said = await call(['Hello', 'service', '--url', `doip://127.0.0.1:${port}`, '--output', hello]);
        expect(said.code, said.error).to.equal(0);
        const url = `doip://127.0.0.1:${port}`;
        const known = await call(['CheckCredentials', 'service', '--url', url, '--service-key', hello, '--cert', certFile, '--cert-key', keyFile]);
        expect(known.out, known.error).to.contain('"username":"admin"');
        const other = await call(['CheckCredentials', 'service', '--url', url, '--service-key', wrong]);
        expect([other.code, other.error]).to.equal([69, `doip-gateway: ${url}: the service at 127.0.0.1:${port} has another public key\n`]);
    });

    const file = (name: string): string => join(folder, name);
    const WRONG: readonly (readonly [title: string, args: () => readonly string[], code: number, message: string])[] = [
        ['no operands', () => [], 64, 'usage: doip-gateway call OPERATION TARGET; see doip-gateway --help'],
        ['a user without URL', () => ['Hello', 'service', '--user', 'admin'], 64, '--user needs --url'],
        ['a user without password', () => ['Hello', 'service', '--url', test.url, '--user', 'admin'], 64, '--user needs the password in DOIP_PASSWORD'],
        ['a password in the address', () => ['Hello', 'service', '--url', 'http://ann:pw@127.0.0.1'], 64, 'credentials are options'],
        ['an address that is none', () => ['Hello', 'service', '--url', 'ftp://x'], 64, 'ftp://x is no address of a service'],
        ['a service that is not there', () => ['Hello', 'service', '--url', 'doip://127.0.0.1:1'], 69, 'nothing listens at doip://127.0.0.1:1: is the service running, and is the port right? (connect ECONNREFUSED 127.0.0.1:1)'],
        ['a certificate without key', () => ['Hello', 'service', '--url', test.url, '--cert', 'x'], 64, '--cert and --cert-key belong together'],
        ['attributes that are none', () => ['Hello', 'service', '--url', test.url, '-a', '[1]'], 64, '--attributes must be NAME=VALUE or a JSON object, not [1]'],
        ['broken JSON', () => ['Create', 'service', '--url', test.url, '--json', '{'], 64, 'JSON'],
        ['two inputs', () => ['Create', 'service', '--url', test.url, '--json', '{}', '--input', 'x'], 64, '--input and --json exclude each other'],
        ['a file that is not there', () => ['Create', 'service', '--url', test.url, '--input', file('none')], 66, 'none cannot be read'],
        ['an element that is not there', () => ['Create', 'service', '--url', test.url, '--element', `a=${file('none')}`], 66, 'none cannot be read'],
        ['an element without id', () => ['Create', 'service', '--url', test.url, '--element', 'file'], 64, '--element must be ID=FILE'],
        ['an element that is a folder', () => ['Create', 'service', '--url', test.url, '--element', `a=${folder}`], 66, 'is a folder'],
        ['an element beside a list', () => ['Create', 'service', '--url', test.url, '--json', '[]', '--element', `a=${file('note.txt')}`], 64,
            '--element needs an object as the input'],
        ['a key that is none', () => ['Hello', 'service', '--url', test.url, '--service-key', file('object.json')], 65, 'has no public key'],
        ['an unknown operation', () => ['Invent', 'service', '--url', test.url], 1, '(0.DOIP/Status.200)'],
        ['a folder that cannot be written', () => ['Hello', 'service', '--url', test.url, '--output', '/proc/none/x'], 73, '/proc/none/x cannot be written']
    ];

    for (const [title, args, code, message] of WRONG) {
        it(`refuses ${title}`, async () => {

            const { words: [name = '', ...rest], options } = readArguments(['call', ...args()]);

            const error: unknown = await runInProcess(name, rest, options, loadConfig).then(() => null, (reason: unknown) => reason);

            expect(error).to.be.an.instanceOf(CommandError);
            const { code: found, message: text } = error as CommandError;
            expect(found, text).to.equal(code);
            expect(text).to.contain(message);
            expect(text).to.not.contain('\n');
        });
    }

    it('sends the numbers of attributes with their texts', async () => {

        const requests: CliRequest[] = [];
        const service: Service = {
            location: 'nowhere',
            async perform(request) {

                requests.push(request);
                return { status: Status.ok, attributes: {}, output: empty() };
            },
            close: () => Promise.resolve()
        };
        const work = await prepareCall(['test/Op', 'service'], { attributes: ['price=1.10', '{"in": {"b": 2.20}, "n": 1.0}', 'no=9007199254740993', 'name=7 a'] });
        await work(service);

        expect(jsonText(requests[0]?.attributes ?? null)).to.equal('{"price":1.10,"in":{"b":2.20},"n":1.0,"no":9007199254740993,"name":"7 a"}');
    });

    it('tells wrong usage in one line, with the exit code', async () => {

        const run = await call(['Hello', 'service', '--unknown']);
        expect([run.code, run.out]).to.equal([64, '']);
        expect(run.error).to.startWith('doip-gateway: ').and.contain('--unknown');
        const other = await runCommand(database, ['reindex', '--url', 'http://127.0.0.1:1']);
        expect([other.code, other.error]).to.equal([64, 'doip-gateway: reindex has no option --url; see doip-gateway --help\n']);
    });
});
