/** What type code of one call cannot do to another one: by promises, by what it keeps, and by code that runs after the end of its call. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { ScriptError } from '../../../lib/scripting/protocol/script-error.js';
import type { Program } from '../../../lib/scripting/protocol/program.js';
import type { ShortCall, TestPool } from '../../support/scripts.js';
import { REFUSING_HOST, testPool, unitOf, worldOf } from '../../support/scripts.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** With one thread, which runs all calls. */
let pool: TestPool;

before(() => {

    pool = testPool({ workers: 1 });
});

after(async () => {

    await pool.close();
});

/** Calls of the same code, whose module state is kept. */
function callerOf(code: string): (call: ShortCall) => ReturnType<TestPool['run']> {

    const unit = unitOf(code);
    const program: Program = worldOf([unit]);
    return (call) => pool.run('', { unit, program, ...call });
}

describe('a promise of an earlier call', () => {

    const WAKING = `let wake; exports.run = (object) => {
        if (wake) { wake(object); return object; }
        return new Promise((resolve) => { wake = () => resolve({ id: 'of the first' }); });
    };`;

    it('is no result of a later one', async () => {

        for (const takes of ['returned', 'object'] as const) {
            const call = callerOf(`/* ${takes} */ ${WAKING}`);
            const first = await call({ takes, args: [{ id: 'test/1' }] }).catch((error: unknown) => error);
            const second = await call({ takes, args: [{ id: 'test/2' }] });

            expect((first as ScriptError).failure).to.include({ message: 'the promise that was returned is never settled' });
            expect<unknown>(second[takes]).to.equal({ id: 'test/2' });
        }
    });

    it('is no result of one of several later ones', async () => {

        const unit = unitOf(`/* several */ ${WAKING}`);
        const all = { unit, program: worldOf([unit]), path: ['run'], takes: 'returned' as const, callerKey: 'somebody', host: REFUSING_HOST };
        await pool.pool.callEach({ ...all, items: [{ args: [{ id: 'test/1' }], context: {} }] });
        const later = await pool.pool.callEach({ ...all, items: ['test/2', 'test/3'].map((id) => ({ args: [{ id }], context: {} })) });

        expect<unknown>(later.map((each) => (each instanceof ScriptError ? each.message : each.returned))).to.equal([{ id: 'test/2' }, { id: 'test/3' }]);
    });
});

describe('input and output that an earlier call has kept', () => {

    const uses: readonly (readonly [name: string, use: string])[] = [
        ['the input as text', 'kept.getInputAsString()'], ['the input as bytes', 'kept.getInputAsUint8Array().length'],
        ['the input as JSON', 'kept.getInputAsJson()'], ['output', 'kept.writeOutputString("of the first")']
    ];
    for (const [name, use] of uses) {
        it(`give and take nothing: ${name}`, async () => {

            const call = callerOf(`let kept; exports.run = (object, context) => {
                if (!kept) { kept = context.directIo; return 'kept'; }
                try { return ${use}; } catch (error) { return error.message; }
            };`);
            const input = (text: string) => ({ input: { bytes: Buffer.from(text) } });
            await call({ directIo: input('"first"') });
            const { returned, output } = await call({ directIo: input('"second"') });

            expect<unknown>(returned).to.equal('the call of this directIo is over');
            expect(output).to.be.null();
        });
    }
});

describe('code that runs when its call is over', () => {

    it('asks for nothing and logs nothing as part of the next call', async () => {

        const asked: string[] = [];
        const host = {
            get: (id: string) => {

                asked.push(id);
                return Promise.resolve(null);
            }
        };
        // The integrity check after the call looks at this property.
        const call = callerOf(`const cordra = require('cordra'); let count = 0; exports.run = (object) => {
            const original = Object.prototype.valueOf;
            if (++count === 1) {
                Object.defineProperty(Object.prototype, 'valueOf', { configurable: true, get() {
                    for (const end = Date.now() + 200; Date.now() < end;);
                    console.log('after its end');
                    cordra.get('after its end');
                    return original;
                } });
            }
            return count;
        };`);
        const lines = pool.lines.length;
        const results = await Promise.all([call({ host }), call({ host }), pool.run('exports.run = () => "other"', { host })]);

        expect<unknown>(results.at(-1)?.returned).to.equal('other');
        expect(asked).to.equal([]);
        expect(pool.lines.slice(lines)).to.equal([]);
    });
});

describe('texts that code has cut within a character', () => {

    const half = '"x".repeat(3999) + "\\u{1F600}y"';
    const cases: readonly (readonly [title: string, thrown: string, expected: JsonValue])[] = [
        ['a thrown text that is too long', half, { kind: 'invalid', message: `${'x'.repeat(3999)}\ufffd…` }],
        ['a thrown text', '"a\\ud800"', { kind: 'invalid', message: 'a\ufffd' }],
        ['the body of an answer', 'new (require("cordra").CordraError)({ message: "a\\udc00b" }, 409)',
            { kind: 'answer', body: { message: 'a\ufffdb' }, status: 409 }],
        ['names in the body of an answer', 'new (require("cordra").CordraError)({ message: "m", list: [{ "a\\ud800": { "\\udc00": 1 }, b: 2 }] }, 409)',
            { kind: 'answer', body: { message: 'm', list: [{ 'b': 2, 'a\ufffd': { '\ufffd': 1 } }] }, status: 409 }]
    ];
    for (const [title, thrown, expected] of cases) {
        it(`reject the request as other texts do: ${title}`, async () => {

            expect<unknown>(await pool.failure(`exports.run = () => { throw ${thrown}; };`)).to.equal(expected);
        });
    }
});

describe('output of a call in very many pieces', () => {

    it('is kept in blocks', async () => {

        const { output } = await pool.run(`exports.run = (object, { directIo }) => {
            directIo.writeOutputUint8Array(new Uint8Array(100000).fill(65));
            for (let i = 0; i < 50000; ++i) { directIo.writeOutputString(i % 10 === 0 ? 'b' : ''); }
        }`, { directIo: { input: null } });

        expect(output!.bytes.length).to.be.at.most(3);
        expect(Buffer.concat([...output!.bytes]).toString()).to.equal('A'.repeat(100_000) + 'b'.repeat(5000));
    });
});
