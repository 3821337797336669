/** What scripts can ask the service for: its modules, input and output of methods, and scripts that lead to each other. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { DatabaseError } from '../../../db/errors.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { hashJson } from '../../../lib/json/canonical.js';
import { conflict, tooManyRequests, unauthenticated, unavailable } from '../../../lib/errors/errors.js';
import type { ScriptHost } from '../../../lib/scripting/protocol/script-host.js';
import { answerTo, ScriptError } from '../../../lib/scripting/protocol/script-error.js';
import type { TestPool } from '../../support/scripts.js';
import { REFUSING_HOST, testPool, unitOf, worldOf } from '../../support/scripts.js';
import type { ScriptScope } from '../../../lib/model/script-scope.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

let pool: TestPool;

before(() => {

    pool = testPool();
});

after(async () => {

    await pool.close();
});

describe('require("cordra")', () => {

    /** What a script returns that may ask a host for everything. */
    async function asked(body: string, host: Partial<ScriptHost>): Promise<JsonValue> {

        return await pool.returned(`const cordra = require('cordra'), util = require('cordraUtil'); exports.run = async (object) => { ${body} };`, { host });
    }

    it('reads, searches and writes, with or without await', async () => {

        const calls: unknown[] = [];
        const note = (name: string, ...args: readonly unknown[]): Promise<JsonObject> => {

            calls.push([name, ...args.slice(0, -1)]);
            return Promise.resolve({ id: 'x' });
        };

        const outcome = await asked(`
            const first = cordra.get('a').id, second = (await cordra.get('b')).id;
            cordra.search('q'); cordra.search('q', 2, 10, 'name DESC'); cordra.search('q', { pageSize: 5, sortFields: [{ name: 'a', reverse: true }, { name: 'b' }] });
            return [first, second, cordra.create({ type: 'T', content: {} }).id, cordra.update({ id: 'x' }).id, cordra.delete('x')];`, {
            get: (...args) => note('get', ...args), search: (...args) => note('search', ...args), create: (...args) => note('create', ...args),
            update: (...args) => note('update', ...args), delete: async (...args) => void await note('delete', ...args)
        });

        expect<unknown>(outcome).to.equal(['x', 'x', 'x', 'x', null]);
        expect<unknown>(calls).to.equal([
            ['get', 'a'], ['get', 'b'],
            ['search', 'q', { pageNum: 0, pageSize: -1, sortFields: '' }], ['search', 'q', { pageNum: 2, pageSize: 10, sortFields: 'name DESC' }],
            ['search', 'q', { pageNum: 0, pageSize: 5, sortFields: 'a DESC,b' }],
            ['create', { type: 'T', content: {} }], ['update', { id: 'x' }], ['delete', 'x']
        ]);
    });

    it('returns null for missing objects', async () => {

        expect<unknown>(await asked('return [cordra.get("a"), cordra.getPayloadAsString("a", "p"), cordra.getPayloadAsJson("a", "p"), cordra.getPayloadAsUint8Array("a", "p")];',
            { get: () => Promise.resolve(null), payload: () => Promise.resolve(null) })).to.equal([null, null, null, null]);
    });

    it('reads payloads as text, as JSON and as bytes', async () => {

        const payload = (_id: string, name: string): Promise<Uint8Array> => Promise.resolve(name === 'bytes' ? Uint8Array.of(0, 255, 128) : Buffer.from('{"a":"\u00e4\\u0000"}'));

        expect<unknown>(await asked(`return [
            cordra.getPayloadAsJson('a', 'json').a, cordra.getPayloadAsString('a', 'json'), cordra.getPayloadAsJavaScriptString('a', 'json').length,
            [...cordra.getPayloadAsUint8Array('a', 'bytes')], cordra.getPayloadAsJavaScriptUint8Array('a', 'bytes').length];`, { payload }))
            .to.equal(['\u00e4\u0000', '{"a":"\u00e4\\u0000"}', 15, [0, 255, 128], 3]);
    });

    it('throws rejections of the service as a CordraError with HTTP status, and hides internal errors', async () => {

        const refused = 'try { cordra.create({}); } catch (error) { return [error instanceof cordra.CordraError, error.message, error.responseCode]; }';

        expect<unknown>(await asked(refused, { create: () => Promise.reject(conflict('id x is taken')) })).to.equal([true, 'id x is taken', 409]);
        expect<unknown>(await asked(refused, { create: () => Promise.reject(new Error('secret of the database')) }))
            .to.equal([true, 'Something went wrong. Contact your sysadmin.', 500]);
        expect<unknown>(await pool.failure('exports.run = () => require("cordra").create({})', { host: { create: () => Promise.reject(conflict('taken')) } }))
            .to.equal({ kind: 'answer', body: { message: 'taken' }, status: 409 });
    });

    it('says that the database is away to a script that asks for something, and to the caller of one that does not catch it', async () => {

        const answering = testPool({}, (error) => (error instanceof DatabaseError ? unavailable('away', 5) : null));
        try {
            const create = (): Promise<never> => Promise.reject(new DatabaseError('unavailable', 'no connection to the server 10.0.0.1'));
            const failure = await answering.failure('exports.run = () => require("cordra").create({})', { host: { create } });
            const { message, http } = answerTo(new ScriptError(failure, 'type T'), { rejectionStatus: 400, isAdmin: false });

            expect<unknown>(failure).to.equal({ kind: 'answer', body: { message: 'away' }, status: 503 });
            expect([message, http]).to.equal(['away', 503]);
        }
        finally {
            await answering.close();
        }
    });

    it('gives a script nothing of what tells refusals of the service from answers of code', async () => {

        const refusals = [tooManyRequests('too many', 2), unavailable('away', 2), unauthenticated('expired', { attributes: { error: 'invalid_token' } })];
        const failures = await Promise.all(refusals.map((refusal) => pool.failure('exports.run = () => require("cordra").create({})', {
            host: { create: () => Promise.reject(refusal) }
        })));
        const answers = failures.map((failure) => answerTo(new ScriptError(failure, 'type T'), { rejectionStatus: 400, isAdmin: true }));

        expect<unknown>(answers.map(({ message, attributes, details }) => [message, attributes, details])).to.equal([['too many', {}, {}], ['away', {}, {}], ['expired', {}, {}]]);
    });

    it('rejects invalid arguments before the service is called', async () => {

        const outcome = await asked(`
            const told = (work) => { try { return work(); } catch (error) { return error.message; } };
            return [told(() => cordra.update('x')), told(() => cordra.create(null)), told(() => cordra.create([])), told(() => util.verifyHashes(1))];`, {});

        expect<unknown>(outcome).to.equal(Array.from({ length: 4 }, () => 'the object must be an object'));
    });

    it('passes on the depth, deadline and caller of its script', async () => {

        let scope: ScriptScope | undefined;
        await pool.returned('exports.run = () => { require("cordra").get("a"); }', {
            callerKey: 'ann', host: { get: (_id, given) => Promise.resolve(scope = given).then(() => null) }
        });

        expect([scope?.depth, scope?.callerKey, scope?.signal.aborted, (scope?.deadline ?? 0) > 0]).to.equal([0, 'ann', true, true]);
    });
});

describe('require("cordraUtil")', () => {

    async function computed(expression: string, host: Partial<ScriptHost> = {}): Promise<JsonValue> {

        return await pool.returned(`const util = require('cordra-util'); exports.run = (object) => ${expression};`, { host, args: [OBJECT] });
    }

    const OBJECT = { id: 'test/1', content: { b: [2, 1], a: '\u00e4' } };

    it('is the same under both names', async () => {

        expect<unknown>(await computed('require("cordraUtil").hashJson(1) === util.hashJson(1)')).to.equal(true);
    });

    it('hashes JSON canonically', async () => {

        expect<unknown>(await computed('util.hashJson(object)')).to.equal(hashJson(OBJECT));
    });

    it('escapes text for queries', async () => {

        expect<unknown>(await computed('[util.escape("a:b (c) \\"d\\" \\\\ /"), util.escapeForQuery("x*")]')).to.equal(['a\\:b \\(c\\) \\"d\\" \\\\ \\/', 'x\\*']);
    });

    const keys = [
        generateKeyPairSync('rsa', { modulusLength: 2048 }), generateKeyPairSync('ec', { namedCurve: 'P-256' }),
        generateKeyPairSync('ec', { namedCurve: 'P-521' }), generateKeyPairSync('ed25519')
    ].map(({ privateKey }) => ({ own: privateKey.export({ format: 'jwk' }), shown: createPublicKey(privateKey).export({ format: 'jwk' }) }));

    for (const { own, shown } of keys) {
        it(`signs and verifies tokens with keys of kind ${String(own.crv ?? own.kty)}`, async () => {

            const outcome = await computed(`(() => {
                const token = util.signWithKey({ sub: 'me' }, ${JSON.stringify(own)}), [head, body, end] = token.split('.');
                return [util.extractJwtPayload(token), util.verifyWithKey(token, ${JSON.stringify(shown)}),
                    util.verifyWithKey([head, body.replace(/^./, 'f'), end].join('.'), ${JSON.stringify(shown)})];
            })()`);

            expect<unknown>(outcome).to.equal([{ sub: 'me' }, true, false]);
        });
    }

    it('accepts no token without a signature, or signed with the public key as a secret', async () => {

        const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`;
        const secret = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.e30.AAAA`;
        const [rsa] = keys;

        expect<unknown>(await computed(`${JSON.stringify([none, secret])}.map((token) => util.verifyWithKey(token, ${JSON.stringify(rsa?.shown)}))`)).to.equal([false, false]);
    });

    it('reports what is wrong with keys and tokens', async () => {

        const told = 'const told = (work) => { try { return work(); } catch (error) { return error.message; } };';
        const outcome = await pool.returned(`${told} const util = require('cordraUtil'); exports.run = () => [
            told(() => util.extractJwtPayload('no token')), told(() => util.signWithKey({}, { kty: 'oct', k: 'AA' })), told(() => util.signWithKey({}, { kty: 'RSA' })),
            told(() => util.signWithKey({}, { kty: 'RSA', alg: 'constructor' }))]`);

        expect<unknown>(outcome).to.equal([
            'a token must consist of three parts', 'the key must be a JWK for RSA, or on the curve P-256, P-384, P-521 or Ed25519',
            'the private key cannot be used', 'a key of this kind cannot sign with constructor'
        ]);
    });

    it('calls the service for secrets, hashes, schemas, groups and keys', async () => {

        const outcome = await computed(`[
            util.verifySecret(object, '/password', 'pw'), util.verifySecret('test/1', '/password', 'other'), util.verifyHashes(object),
            util.validateWithSchema({ a: 1 }, { type: 'string' }), util.getGroupsForUser('test/u'), util.getCordraPublicKey(), util.signWithCordraKey({ a: 1 })]`, {
            verifySecret: (object, pointer, secret) => Promise.resolve(pointer === '/password' && secret === 'pw' && typeof object === 'object'),
            verifyHashes: (object) => Promise.resolve({ full: object['id'] === 'test/1' }),
            validate: (value, schema) => Promise.resolve({ success: false, errors: [{ message: JSON.stringify([value, schema]) }] }),
            groupsOf: (userId) => Promise.resolve([`${userId}-group`]),
            publicKey: () => Promise.resolve({ kty: 'RSA' }),
            sign: (claims) => Promise.resolve(JSON.stringify(claims))
        });

        expect<unknown>(outcome).to.equal([
            true, false, { full: true }, { success: false, errors: [{ message: '[{"a":1},{"type":"string"}]' }] }, ['test/u-group'], { kty: 'RSA' }, '{"a":1}'
        ]);
    });
});

describe('context.directIo', () => {

    const input = { bytes: Uint8Array.of(...Buffer.from('{"a":"\u00e4\u20ac"}'), ...[]), filename: 'in.json', mediaType: 'application/json' };

    it('returns input as text, JSON and bytes', async () => {

        const code = `exports.run = (object, { directIo: io }) =>
            [io.getInputAsString(), io.getInputAsJson(), io.getInputAsUint8Array().length, io.getInputFilename(), io.getInputMediaType()]`;

        expect<unknown>(await pool.returned(code, { directIo: { input } }))
            .to.equal(['{"a":"\u00e4\u20ac"}', { a: '\u00e4\u20ac' }, input.bytes.length, 'in.json', 'application/json']);
        expect<unknown>(await pool.returned(code, { directIo: { input: null } })).to.equal(['', null, 0, null, null]);
    });

    it('gives 400 for invalid JSON input', async () => {

        const failure = await pool.failure('exports.run = (object, { directIo }) => directIo.getInputAsJson()', { directIo: { input: { bytes: Buffer.from('{') } } });

        expect<unknown>(failure).to.equal({ kind: 'answer', body: { message: 'the input is not JSON' }, status: 400 });
    });

    it('accepts output in chunks, with a name and a media type', async () => {

        const { output } = await pool.run(`exports.run = async (object, { directIo: io }) => {
            io.writeOutputString('a\\u0000\\u00e4'); io.writeOutputUint8Array(Uint8Array.of(9, 1, 2, 255).subarray(1)); await null; io.writeOutputBytes(new ArrayBuffer(1));
            io.setOutputMediaType('text/x'); io.setOutputFilename('out.txt'); io.writeOutputUint8Array(new Uint8Array(0));
        }`, { directIo: { input: null } });

        expect(Buffer.concat(output?.bytes ?? [])).to.equal(Buffer.from([97, 0, 195, 164, 1, 2, 255, 0]));
        expect([output?.mediaType, output?.filename]).to.equal(['text/x', 'out.txt']);
    });

    it('labels JSON output, and distinguishes missing output', async () => {

        const json = await pool.run('exports.run = (object, { directIo }) => { directIo.writeOutputJson({ a: 1 }); }', { directIo: { input: null } });
        const none = await pool.run('exports.run = (object, { directIo }) => directIo.getOutputFilename()', { directIo: { input: null } });

        expect([Buffer.concat(json.output?.bytes ?? []).toString(), json.output?.mediaType]).to.equal(['{"a":1}', 'application/json']);
        expect(none.output).to.be.null();
    });
});

describe('a script that runs another one', () => {

    const outer = unitOf('exports.run = (object) => require("cordra").get(String(object.n))', 'Outer');
    const inner = unitOf('exports.run = (object) => object.n', 'Inner');
    const world = worldOf([outer, inner]);

    /** A host whose `get` runs the outer script again, one less deep, and in the end the inner one. */
    function nesting(): Partial<ScriptHost> {

        const host: Partial<ScriptHost> = {
            get: async (text, scope) => {

                const n = Number(text);
                const { returned } = await pool.pool.call({
                    unit: n > 0 ? outer : inner, program: world, path: ['run'], args: [{ n: n - 1 }], context: {}, takes: 'returned', callerKey: 'ignored',
                    scope, host: { ...REFUSING_HOST, ...host }
                });
                return { returned: returned ?? null };
            }
        };
        return host;
    }

    it('waits for it, even with more waiting scripts than threads', async () => {

        const calls = Array.from({ length: 8 }, (_, index) => pool.returned('', { unit: outer, program: world, args: [{ n: 2 }], host: nesting(), callerKey: `${index % 4}` }));

        expect<unknown>(await Promise.all(calls)).to.equal(Array.from({ length: 8 }, () => ({ returned: { returned: { returned: -1 } } })));
    });

    it('is limited to a depth of four', async () => {

        const failure = await pool.failure('', { unit: outer, program: world, args: [{ n: 6 }], host: nesting() });

        expect(JSON.stringify(failure)).to.contain('Something went wrong');
    });
});
