/** Calls of type code: arguments and results, what scripts throw, promises, and what is told about a piece of code. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import type { ScriptFailure } from '../../../../lib/scripting/protocol/script-error.js';
import { ScriptError } from '../../../../lib/scripting/protocol/script-error.js';
import type { ShortCall, TestPool } from '../../../support/scripts.js';
import { REFUSING_HOST, testPool, unitOf, worldOf } from '../../../support/scripts.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

let pool: TestPool;

before(() => {

    pool = testPool();
});

after(async () => {

    await pool.close();
});

const OBJECT = { id: 'test/1', type: 'Document', content: { name: 'a' } };

describe('the result of a call of type code', () => {

    const cases: readonly (readonly [title: string, code: string, call: ShortCall, expected: JsonValue | undefined])[] = [
        ['what was returned', 'exports.run = (object, context) => [object.id, context.userId]', { context: { userId: 'test/u' } }, ['test/1', 'test/u']],
        ['nothing for a function that returns nothing', 'exports.run = () => {}', {}, undefined],
        ['null for null', 'exports.run = () => null', {}, null],
        ['what an async function returns', 'exports.run = async (object) => { await null; return object.id; }', {}, 'test/1'],
        ['what a promise comes to', 'exports.run = () => new Promise((go) => go(1)).then((one) => one + 1)', {}, 2],
        ['a method by its path', 'exports.methods = { "20.5/abc": () => "called" }', { path: ['methods', '20.5/abc'] }, 'called'],
        ['a method that uses this', 'exports.methods = { a() { return this.b(); }, b: () => "b" }', { path: ['methods', 'a'] }, 'b'],
        ['exports that were replaced', 'module.exports = { run: () => "replaced" }', {}, 'replaced'],
        ['what the language of 2023 gives', `exports.run = () => [3, 1, 2].toSorted().with(0, [5].at(-1)).findLast((n) => n < 9) ?? null`, {}, 3],
        ['text of any kind', 'exports.run = () => "a\\u0000b\\u2028\\u{1F600}\\\\\\""', {}, 'a\u0000b\u2028\u{1F600}\\"'],
        ['numbers as they are', 'exports.run = () => [0.1 + 0.2, 1e21, 12345678901234567890, -0, NaN]', {}, [0.1 + 0.2, 1e21, 12345678901234567000, 0, null]]
    ];
    for (const [title, code, call, expected] of cases) {
        it(`is ${title}`, async () => {

            const { returned } = await pool.run(code, call);

            expect<unknown>(returned).to.equal(expected);
        });
    }

    it('is the returned object, or the edited argument', async () => {

        const take = async (code: string): Promise<unknown> => (await pool.run(code, { takes: 'object', args: [OBJECT] })).object;

        expect(await take('exports.run = (object) => { object.content.x = 1; }')).to.equal({ ...OBJECT, content: { name: 'a', x: 1 } });
        expect(await take('exports.run = (object) => { object.content.x = 1; return { id: "other" }; }')).to.equal({ id: 'other' });
        expect(await take('exports.run = async (object) => { await 1; object.id = "later"; return null; }')).to.equal({ ...OBJECT, id: 'later' });
    });

    it('is both the return value and the object, for methods', async () => {

        const { returned, object } = await pool.run('exports.run = (object) => { object.id = "edited"; return 5; }', { takes: 'both', args: [OBJECT] });

        expect<unknown>([returned, object]).to.equal([5, { ...OBJECT, id: 'edited' }]);
    });

    it('is given for each of many items, including errors', async () => {

        const unit = unitOf('exports.run = async (object) => { if (object.n === 1) { throw "not this one"; } return object.n; }');
        const results = await pool.pool.callEach({
            unit, program: worldOf([unit]), path: ['run'], takes: 'returned', callerKey: 'somebody', host: REFUSING_HOST,
            items: [0, 1, 2].map((n) => ({ args: [{ n }], context: {} }))
        });

        expect<unknown>(results.map((result) => (result instanceof ScriptError ? result.failure : result.returned)))
            .to.equal([0, { kind: 'invalid', message: 'not this one' }, 2]);
    });

    it('depends on module state, which is kept between calls and reset with a new program', async () => {

        const unit = unitOf('let calls = 0; exports.run = () => ++calls;');
        const call = (version: string): Promise<JsonValue> => pool.returned('', { unit, program: worldOf([unit], {}, version) });

        expect<unknown>([await call('1'), await call('1'), await call('2'), await call('2')]).to.equal([1, 2, 1, 2]);
    });
});

describe('the original object in the context of type code', () => {

    const was = { id: 'test/1', content: { name: 'before', '"quoted"': '\u{1F600}\n' } };
    const context = { userId: 'test/u', originalObject: was, isUpdate: true };
    const cases: readonly (readonly [title: string, body: string, expected: JsonValue])[] = [
        ['is there', 'return context.originalObject', was],
        ['is one of the members, in its place', 'return [Object.keys(context), Object.hasOwn(context, "originalObject"), Object.entries(context).length]',
            [['userId', 'originalObject', 'isUpdate'], true, 3]],
        ['is met by loops', 'const met = []; for (const name in context) { met.push(name); } return met', ['userId', 'originalObject', 'isUpdate']],
        ['is part of the text of the context', 'return JSON.parse(JSON.stringify(context))', context],
        ['is part of a copy', 'const copy = { ...context }; copy.originalObject.seen = true; return [copy, Object.assign({}, context).originalObject.seen]',
            [{ ...context, originalObject: { ...was, seen: true } }, true]],
        ['is the same whenever it is read', 'context.originalObject.content.name = 1; return [context.originalObject.content.name, context.originalObject === context.originalObject]',
            [1, true]],
        ['can be replaced', 'context.originalObject = 5; return context', { ...context, originalObject: 5 }],
        ['can be replaced when it was read', 'const { originalObject } = context; context.originalObject = 5; return [originalObject, context.originalObject]', [was, 5]],
        ['can be taken away', 'delete context.originalObject; return context', { userId: 'test/u', isUpdate: true }],
        ['is a plain property once it was read', `context.originalObject; const { get, set, ...rest } = Object.getOwnPropertyDescriptor(context, "originalObject");
            return [typeof get, typeof set, rest]`, ['undefined', 'undefined', { value: was, writable: true, enumerable: true, configurable: true }]],
        ['is there when the context is frozen', 'Object.freeze(context); context.originalObject.seen = true; return context.originalObject', { ...was, seen: true }],
        ['stays when what inherits it is given another', 'const heir = Object.create(context); heir.originalObject = 5; return [context.originalObject, heir.originalObject]', [was, 5]],
        ['is written down with the result when it becomes part of it', 'return { was: context }', { was: context }]
    ];
    for (const [title, body, expected] of cases) {
        it(title, async () => {

            expect<unknown>(await pool.returned(`exports.run = (object, context) => { ${body}; };`, { context })).to.equal(expected);
        });
    }

    it('is absent when there is none', async () => {

        expect<unknown>(await pool.returned('exports.run = (object, context) => Object.keys(context)', { context: { isNew: true } })).to.equal(['isNew']);
    });

    it('is that of its own call, even when it is read late', async () => {

        const unit = unitOf('let first; exports.run = (object, context) => { first ??= context; return first.originalObject.n; };');
        const call = (n: number): Promise<JsonValue> => pool.returned('', { unit, program: worldOf([unit]), context: { originalObject: { n } } });

        expect<unknown>([await call(1), await call(2)]).to.equal([1, 1]);
    });

    it('is readable after a script has changed built-in functions', async () => {

        const code = `
            JSON.parse = Reflect.defineProperty = Object.defineProperty = () => { throw new Error('mine'); };
            Object.prototype.get = Object.prototype.set = Object.prototype.value = 1;
            exports.run = (object, context) => [context.originalObject.id, Object.keys(context)];`;

        expect<unknown>(await pool.returned(code, { context })).to.equal(['test/1', ['userId', 'originalObject', 'isUpdate']]);
    });

    it('is given for each of many items', async () => {

        const unit = unitOf('exports.run = (object, context) => context.originalObject');
        const results = await pool.pool.callEach({
            unit, program: worldOf([unit]), path: ['run'], takes: 'returned', callerKey: 'somebody', host: REFUSING_HOST,
            items: [1, 2].map((n) => ({ args: [{}], context: { originalObject: { n } } }))
        });

        expect<unknown>(results.map((result) => (result instanceof ScriptError ? result.failure : result.returned))).to.equal([{ n: 1 }, { n: 2 }]);
    });
});

describe('the error of type code', () => {

    const cordra = 'const { CordraError } = require("cordra");';
    const cases: readonly (readonly [title: string, code: string, expected: ScriptFailure])[] = [
        ['a string', 'exports.run = () => { throw "text"; }', { kind: 'invalid', message: 'text' }],
        ['an InvalidException', 'exports.run = () => { throw { name: "InvalidException", message: "bad" }; }', { kind: 'invalid', message: 'bad' }],
        ['a CordraError with a message', `${cordra} exports.run = () => { throw new CordraError("gone", 404); }`,
            { kind: 'answer', body: { message: 'gone' }, status: 404 }],
        ['a CordraError with a body', `${cordra} exports.run = () => { throw new CordraError({ message: "m", errors: [1] }, 409); }`,
            { kind: 'answer', body: { message: 'm', errors: [1] }, status: 409 }],
        ['a CordraError without a status', `${cordra} exports.run = () => { throw new CordraError("no"); }`,
            { kind: 'answer', body: { message: 'no' }, status: null }],
        ['a CordraError with a status of DOIP', `${cordra} exports.run = () => { throw new CordraError("no", "20.5/Status.Tea"); }`,
            { kind: 'answer', body: { message: 'no' }, status: '20.5/Status.Tea' }],
        ['a CordraError that claims success', `${cordra} exports.run = () => { throw new CordraError("no", 200); }`,
            { kind: 'answer', body: { message: 'no' }, status: null }],
        ['a CordraError with a status as text', `${cordra} exports.run = () => { throw new CordraError("no", "404"); }`,
            { kind: 'answer', body: { message: 'no' }, status: 404 }],
        ['an error of a class made from CordraError',
            `${cordra} class Own extends CordraError { name = "Own"; } exports.run = () => { throw new Own("mine", 409); }`,
            { kind: 'answer', body: { message: 'mine' }, status: 409 }],
        ['a string from an async function', 'exports.run = async () => { await 1; throw "later"; }', { kind: 'invalid', message: 'later' }],
        ['an error', '\n\nexports.run = function check(object) {\n    object.nothing.more();\n}',
            { kind: 'error', message: `TypeError: cannot read property 'more' of undefined`, stack: '    at check (/cordra/schemas/Document:4:19)' }],
        ['an error on the first line', 'exports.run = () => { null.x; }',
            { kind: 'error', message: `TypeError: cannot read property 'x' of null`, stack: '    at <anonymous> (/cordra/schemas/Document:1:27)' }],
        ['nothing that is known', 'exports.run = () => { throw undefined; }', { kind: 'error', message: 'undefined was thrown', stack: '' }],
        ['a number', 'exports.run = () => { throw 5; }', { kind: 'error', message: '5', stack: '' }]
    ];
    for (const [title, code, expected] of cases) {
        it(`describes the cause: ${title}`, async () => {

            expect<unknown>(await pool.failure(code)).to.equal(expected);
        });
    }

    it('is thrown for promises that are never settled', async () => {

        expect(await pool.failure('exports.run = () => new Promise(() => {})')).to.include({ kind: 'error', message: 'the promise that was returned is never settled' });
    });

    it('is thrown for results that JSON cannot represent', async () => {

        expect(await pool.failure('exports.run = () => { const a = {}; a.a = a; return a; }')).to.include({ kind: 'error' });
        expect(await pool.failure('exports.run = () => 5n')).to.include({ kind: 'error' });
    });

    it('is thrown for missing functions', async () => {

        for (const path of [['missing'], ['methods', 'constructor'], ['toString'], ['run', 'call']]) {
            const failure = await pool.failure('exports.run = () => 1; exports.methods = {};', { path });

            expect(failure).to.include({ kind: 'error', message: `TypeError: the script exports no function ${path.at(-1)}` });
        }
    });
});

describe('the description of type code', () => {

    const describeCode = (code: string) => pool.pool.describe({
        unit: unitOf(code), program: worldOf([unitOf(code)]), host: REFUSING_HOST, callerKey: 'somebody'
    });

    it('lists hooks, flags and methods', async () => {

        const { hooks, flags, methods, staticMethods, error: fault } = await describeCode(`
            exports.beforeDelete = async () => {};
            exports.helper = () => {};
            exports.isGenerateIdLoopable = true;
            exports.methods = { '20.5/abc': function () {}, plain() {} };
            exports.methods['20.5/abc'].allowGet = true;
            exports.staticMethods = { make: () => 1 };`);

        expect([...hooks]).to.equal(['beforeDelete', 'helper']);
        expect([...flags]).to.equal(['isGenerateIdLoopable']);
        expect([...methods]).to.equal([
            ['20.5/abc', { allowGet: true, description: null }], ['plain', { allowGet: false, description: null }]
        ]);
        expect([...staticMethods]).to.equal([['make', { allowGet: false, description: null }]]);
        expect(fault).to.be.null();
    });

    const faults: readonly (readonly [title: string, code: string, expected: object])[] = [
        ['a syntax error', 'exports.a = 1;\n  exports.b = ;', { kind: 'syntax', line: 2, column: 15 }],
        ['a syntax error on the first line', 'let a = ;', { kind: 'syntax', line: 1, column: 9 }],
        ['code that is not closed', 'exports.a = () => {\n  1;\n', { kind: 'syntax', line: 4 }],
        ['a hook that is no function', 'exports.a = 1;\nexports.beforeDelete = "no";',
            { kind: 'export', message: 'exports.beforeDelete must be a function', line: 2, column: 9 }],
        ['methods that are no object', 'exports.methods = 5;', { kind: 'export', message: 'exports.methods must be an object', line: 1, column: 9 }],
        ['a method that is no function', 'exports.methods = {\n a: 5 };', { kind: 'export', message: 'exports.methods["a"] must be a function' }],
        ['an error while it is loaded', '\nnothing.at.all();', { kind: 'load', line: 2, column: 1 }],
        ['a module that does not exist', 'require("./missing");', { kind: 'load' }],
        ['an export named __proto__', 'Object.defineProperty(exports, "__proto__", { value: 1, enumerable: true });', { kind: 'load' }],
        ['an export with half a character in its name', 'exports["\\ud800"] = 1;', { kind: 'load' }],
        ['a method with half a character in its name', 'exports.methods = { "\\ud800": () => 1 };', { kind: 'load' }]
    ];
    for (const [title, code, expected] of faults) {
        it(`reports ${title}`, async () => {

            const { error: fault, hooks } = await describeCode(code);

            expect<unknown>(fault).to.include(expected);
            expect([...hooks].includes('beforeDelete')).to.be.false();
        });
    }

    it('does not wait for the calls of another caller who asks for it, too', async () => {

        const other = testPool({ workers: 1, timeout: 60_000 });
        const unit = unitOf('exports.beforeDelete = () => {};');
        const ask = (callerKey: string) => other.pool.describe({ unit, program: worldOf([unit]), host: REFUSING_HOST, callerKey });
        let isBegun = (): void => {};
        const begun = new Promise<void>((resolve) => {

            isBegun = resolve;
        });
        const busy = other.run('require("cordra").get("test/1"); exports.run = () => { for (;;) {} }', {
            callerKey: 'busy', host: {
                get: async () => {

                    isBegun();
                    return null;
                }
            }
        }).catch(() => 'the calls of the other one');
        await begun;
        const asked = [ask('busy').catch(() => null), ask('idle')] as const;
        const first = await Promise.race([busy, asked[1].then(({ hooks }) => [...hooks])]);
        await other.close();
        await Promise.all([busy, ...asked]);

        expect<unknown>(first).to.equal(['beforeDelete']);
    });

    it('starts no thread for empty code', async () => {

        const other = testPool();
        const { hooks } = await other.pool.describe({ unit: unitOf(' \n'), program: worldOf([]), host: REFUSING_HOST, callerKey: 'somebody' });

        expect([hooks.size, other.pool.threads]).to.equal([0, 0]);
        await other.close();
    });
});

describe('the log of type code', () => {

    it('names the type, with levels', async () => {

        const start = pool.lines.length;
        await pool.run('exports.run = () => { console.log("a", { b: 1 }, [2]); console.warn("w"); console.error(new Error("e").message); print("p", null); }');

        expect(pool.lines.slice(start)).to.equal([
            { level: 'info', fields: { event: 'script.console', script: 'type Document', text: 'a {"b":1} [2]' } },
            { level: 'warn', fields: { event: 'script.console', script: 'type Document', text: 'w' } },
            { level: 'error', fields: { event: 'script.console', script: 'type Document', text: 'e' } },
            { level: 'info', fields: { event: 'script.console', script: 'type Document', text: 'p null' } }
        ]);
    });
});
