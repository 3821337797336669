/** What scripts cannot do: run on for ever, use up memory or stack, take all threads, or reach what is not theirs. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { ScriptError } from '../../../lib/scripting/protocol/script-error.js';
import type { TestPool } from '../../support/scripts.js';
import { testPool, unitOf, worldOf } from '../../support/scripts.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;

const CROSSING = MIB;

/** Harmless code is tried again for so long. */
const PATIENCE_MS = 60_000;

/** The pool that everything hostile runs in, one after the other: none of it may do harm to the next. */
let pool: TestPool;

/** The same with more time, for what is not about time. */
let patient: TestPool;

before(() => {

    const limits = { workers: 1, memoryBytes: 16 * MIB, maxMessageBytes: CROSSING };
    pool = testPool({ ...limits, timeout: 1500 });
    patient = testPool({ ...limits, timeout: 120_000 });
});

after(async () => {

    await pool.close();
    await patient.close();
});

/** A call of harmless code works, in the same place and in another. */
async function expectHealth(place: TestPool): Promise<void> {

    expect<unknown>(await inTime(() => place.returned('exports.run = (object) => object.id'))).to.equal('test/1');
    expect<unknown>(await inTime(() => place.returned('', { unit: unitOf('exports.run = () => [].concat({}.x ?? "fine")', 'Other') }))).to.equal(['fine']);
}

/** On a machine with much else to do even harmless code may not be done within the time; the next attempt finds its thread started. */
async function inTime<T>(call: () => Promise<T>): Promise<T> {

    for (const start = performance.now(); ;) {
        try {
            return await call();
        }
        catch (error) {
            if (performance.now() - start > PATIENCE_MS || !(error instanceof ScriptError) || error.failure.kind !== 'limit' || error.failure.limit !== 'time') {
                throw error;
            }
        }
    }
}

describe('a script beyond its limits', () => {

    const cases: readonly (readonly [title: string, limit: string, body: string])[] = [
        ['loops for ever', 'time', 'for (;;);'],
        ['loops while it is told to stop', 'time', 'for (;;) { try { for (;;); } catch {} finally { for (;;); } }'],
        ['loops in a generator', 'time', 'function* g() { for (;;) yield 1; } for (const x of g());'],
        ['loops in a getter of its result', 'time', 'return { get a() { for (;;); } };'],
        ['loops in toJSON', 'time', 'return { toJSON() { for (;;); } };'],
        ['loops in a proxy', 'time', 'return new Proxy({}, { ownKeys() { for (;;); } });'],
        ['loops in a thenable', 'time', 'return { then() { for (;;); } };'],
        ['loops in what it throws', 'time', 'throw { get message() { for (;;); } };'],
        ['loops in a valueOf', 'time', '+{ valueOf() { for (;;); } };'],
        ['loops in a sort', 'time', '[1, 2, 3].sort(() => { for (;;); });'],
        ['loops in a regular expression', 'time', '/^(a|a)*$/.test("a".repeat(60) + "b");'],
        ['makes promises for ever', 'time', 'const more = () => { Promise.resolve().then(more); }; more();'],
        ['makes two promises out of each', 'memory', 'const more = () => { Promise.resolve().then(more); Promise.resolve().then(more); }; more();'],
        ['awaits for ever', 'time', 'return (async () => { for (;;) await null; })();'],
        ['leaves a loop behind', 'time', 'Promise.resolve().then(() => { for (;;); }); return 1;'],
        ['loops in code made of text', 'time', 'return new Function("for (;;);")();'],
        ['fills an array', 'memory', 'const a = []; for (;;) a.push(new Uint8Array(100000));'],
        ['doubles a text and keeps all', 'memory', 'const a = []; for (let s = "x".repeat(65536);; s += "y") a.push(s + s);'],
        ['keeps objects', 'memory', 'const a = []; for (;;) a.push({ a: new Array(1000).fill(a.length) });'],
        ['asks for a giant array', 'memory', 'return new Array(4e8).fill(0);'],
        ['asks for a giant buffer', 'memory', 'new Uint8Array(2e8); new ArrayBuffer(2e8); new Float64Array(1e8);'],
        ['calls itself for ever', 'stack', 'return (function again() { return again() + 1; })();'],
        ['calls itself in a getter', 'stack', 'const o = { get a() { return this.a; } }; return o.a;'],
        ['calls itself in a proxy', 'stack', 'const p = new Proxy({}, { get(t, name, self) { return self[name]; } }); return p.x;'],
        ['calls itself in a replacement', 'stack', 'return (function again() { return "a".replace(/a/, again); })();'],
        ['returns too long a text', 'size', `return "x".repeat(${2 * CROSSING});`],
        ['asks with too long a text', 'size', `try { require("cordra").get("x".repeat(${2 * CROSSING})); } catch {} return 1;`],
        ['writes too much', 'size', `for (let i = 0; i < 100; ++i) context.directIo.writeOutputString("x".repeat(${CROSSING / 10}));`]
    ];
    for (const [title, limit, body] of cases) {
        it(`is ended when it ${title}, without affecting others`, async () => {

            const place = limit === 'time' ? pool : patient;
            const failure = await place.failure(`exports.run = (object, context) => { ${body} }`, { directIo: { input: null } });

            expect<object>(failure).to.include({ kind: 'limit', limit });
            await expectHealth(place);
        });
    }

    it('leaves no memory for what it asks for: that is not written over the engine', async () => {

        const input = { bytes: Buffer.alloc(MIB, 0xff) };
        const fill = 'const all = []; for (let size = 1 << 20; size >= 64; size >>= 1) { try { for (;;) all.push(new Uint8Array(size)); } catch {} }';
        for (const use of ['getInputAsUint8Array()', 'getInputAsString()']) {
            const failure = await patient.failure(`exports.run = (object, { directIo }) => { ${fill} try { directIo.${use}; } catch {} return all.length; }`, {
                directIo: { input }
            });

            expect<object>(failure).to.include({ kind: 'limit', limit: 'memory' });
            await expectHealth(patient);
        }
    });

    for (const before of [138, 139, 149, 158, 163, 166]) {
        it(`is ended when its memory is used up, before the engine runs into an endless loop without memory (${before} arrays before)`, async () => {

            const own = testPool({ workers: 1, memoryBytes: 16 * MIB, maxMessageBytes: CROSSING, timeout: 120_000 });
            try {
                const failure = await own.failure(`exports.run = (object, { directIo }) => {
                    const kept = [];
                    for (let i = 0; i < ${before}; ++i) kept.push(new Uint8Array(1296 + i % 97));
                    for (let size = 1 << 22; size >= 16; size >>= 1) { try { for (;;) kept.push(new Uint8Array(size)); } catch {} }
                    try { directIo.getInputAsUint8Array(); } catch {}
                    return kept.length;
                }`, { directIo: { input: { bytes: Buffer.alloc(MIB, 0xff) } } });

                expect(failure).to.equal({ kind: 'limit', limit: 'memory', message: 'it needs too much memory' });
                await expectHealth(own);
            }
            finally {
                await own.close();
            }
        });
    }

    it('is ended, with its thread, when it is stuck in the engine', async () => {

        // To write down what is nested so deeply takes seconds and is one step, and only between steps the engine can be interrupted.
        const failure = await pool.failure('exports.run = () => { let a = []; for (let i = 0; i < 50000; ++i) a = [a]; return a; }');

        expect<object>(failure).to.include({ kind: 'limit', limit: 'time' });
        await expectHealth(pool);
    });

    it('starts again afterwards, with fresh modules', async () => {

        const unit = unitOf('let n = 0; exports.run = (object) => { ++n; if (object.id === "loop") { for (;;); } return n; }');
        const world = worldOf([unit]);

        const count = (): Promise<JsonValue> => pool.returned('', { unit, program: world });

        // What was ended by time begins with fresh modules, too.
        expect<unknown>(await inTime(async () => [await count(), await count()])).to.equal([1, 2]);
        expect<object>(await pool.failure('', { unit, program: world, args: [{ id: 'loop' }] })).to.include({ limit: 'time' });
        expect<unknown>(await inTime(count)).to.equal(1);
    });

    it('may catch a stack overflow and continue', async () => {

        const code = 'const deep = () => deep() + 1; exports.run = () => { try { deep(); } catch (error) { return error instanceof Error; } }';

        expect<unknown>(await patient.returned(code)).to.equal(true);
    });
});

describe('the output of a script', () => {

    const cases: readonly (readonly [title: string, body: string, expected: JsonValue | undefined])[] = [
        ['a property __proto__ of a result', 'return JSON.parse(\'{"a": {"__proto__": {"isAdmin": true}}}\');', undefined],
        ['a property that is made as __proto__', 'const o = {}; Object.defineProperty(o, "__proto__", { value: 1, enumerable: true }); return o;', undefined],
        ['a lone surrogate', 'return "\\ud800";', undefined],
        ['too deep a result', 'let a = []; for (let i = 0; i < 200; ++i) a = [a]; return a;', undefined],
        ['a getter', 'return { get a() { return 1; } };', { a: 1 }],
        ['a getter that throws', 'return { get a() { throw new Error("no"); } };', undefined],
        ['a result with toJSON', 'return { toJSON: () => ({ b: 2 }) };', { b: 2 }],
        ['a result whose toJSON lies about being a failure', 'return { toJSON: () => ({ failure: { kind: "limit" } }) };', { failure: { kind: 'limit' } }],
        ['a proxy', 'return new Proxy({ a: 1 }, {});', { a: 1 }],
        ['a proxy that was revoked', 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy;', undefined],
        ['a function', 'return () => 1;', undefined],
        ['a symbol', 'return Symbol("a");', undefined],
        ['a Map', 'return new Map([[1, 2]]);', {}],
        ['a Date', 'return new Date(0);', '1970-01-01T00:00:00.000Z'],
        ['a BigInt', 'return 1n;', undefined],
        ['a circle', 'const a = {}; a.a = a; return a;', undefined]
    ];
    for (const [title, body, expected] of cases) {
        it(`is contained: ${title}`, async () => {

            const outcome = await patient.run(`exports.run = () => { ${body} }`).then(({ returned }) => returned, (error: unknown) => error);

            expect<unknown>(outcome instanceof Error ? undefined : outcome).to.equal(expected);
            expect(({} as { isAdmin?: unknown }).isAdmin).to.be.undefined();
            await expectHealth(patient);
        });
    }

    const thrown: readonly string[] = [
        'throw new Proxy({}, { get() { throw new Error("no"); } });',
        'throw { get name() { throw 1; }, get message() { throw 2; }, get stack() { throw 3; } };',
        'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy;',
        'throw Object.create(null);',
        'throw Symbol("a");',
        'throw () => 1;',
        'throw { name: "CordraError", response: { get a() { throw 1; } }, responseCode: { valueOf() { throw 1; } } };',
        'throw { name: "CordraError", response: "x".repeat(5e5), message: { toString() { throw 1; } } };',
        'throw new Error("x".repeat(5e5));',
        'throw "x".repeat(5e5);',
        'const e = new Error("a"); e.stack = "x".repeat(5e5); throw e;',
        'const e = new Error(); Object.setPrototypeOf(e, null); throw e;',
        'return Promise.reject();',
        'return { then(_go, refuse) { refuse(new Proxy({}, {})); } };'
    ];
    for (const body of thrown) {
        it(`is a short description, for any thrown value: ${body.slice(0, 60)}`, async () => {

            const failure = await patient.failure(`exports.run = () => { ${body} }`);

            expect(['error', 'invalid', 'answer'].includes(failure.kind)).to.be.true();
            expect(JSON.stringify(failure).length).to.be.below(20_000);
            await expectHealth(patient);
        });
    }
});

describe('the sandbox of a script', () => {

    it('contains nothing of the service', async () => {

        const names: readonly string[] = [
            'process', 'global', 'Buffer', 'setTimeout', 'setInterval', 'setImmediate', 'fetch', 'XMLHttpRequest', 'WebAssembly', 'Worker', 'Deno',
            'importScripts', 'SharedArrayBuffer', 'Atomics', 'std', 'os', 'Java', 'scriptArgs', 'window', 'self', 'postMessage', 'crypto'
        ];
        const found = await patient.returned(`exports.run = () => ${JSON.stringify(names)}.filter((name) => name in globalThis)`);

        expect<unknown>(found).to.equal([]);
    });

    const attempts: readonly (readonly [title: string, body: string, expected: JsonValue])[] = [
        ['the constructor of a constructor', 'return {}.constructor.constructor("return typeof process + typeof require + typeof bridge")();', 'undefinedundefinedundefined'],
        ['the constructor of what is given', 'return context.constructor.constructor("return globalThis")() === globalThis;', true],
        ['the constructor of an async function', 'return (async () => {}).constructor("return typeof process")();', 'undefined'],
        ['the functions of cordra', 'return require("cordra").get.constructor("return typeof process")();', 'undefined'],
        ['the constructor of require', 'return require.constructor("return typeof process")();', 'undefined'],
        ['the callers of a function', 'try { return typeof exports.run.caller; } catch { return "undefined"; }', 'undefined'],
        ['eval', 'return (0, eval)("typeof process + typeof module");', 'undefinedundefined'],
        ['this', 'return (function () { return Object.keys(this).length; })();', 0],
        ['another module that imports', 'return import("node:fs").then(() => "imported", () => "refused");', 'refused'],
        ['modules of Node.js', '["fs", "node:fs", "child_process", "worker_threads", "../../../etc/passwd", "/etc/passwd", "quickjs-emscripten-core"]' +
            '.forEach((name) => { let found = true; try { require(name); } catch { found = false; } if (found) { throw name; } }); return "none";', 'none'],
        ['properties that all objects have, as modules', 'try { require("constructor"); return "found"; } catch { return "none"; }', 'none'],
        ['modules that are no text', 'try { require({ toString: () => "cordra" }); return "found"; } catch { return "none"; }', 'none'],
        ['stacks of the sandbox', 'try { require("cordra").get("x"); } catch (error) { return String(error.stack).includes("node_modules"); }', false]
    ];
    for (const [title, body, expected] of attempts) {
        it(`cannot be escaped by ${title}`, async () => {

            const outcome = await patient.returned(`exports.run = (object, context) => { ${body} }`);

            expect<unknown>(outcome).to.equal(expected);
        });
    }

    it('belongs to one type; others do not see its changes', async () => {

        const mine = unitOf('globalThis.leak = 1; Array.prototype.leak = 2; exports.run = () => typeof leak;', 'Mine');
        const other = unitOf('exports.run = () => [typeof globalThis.leak, typeof [].leak];', 'Other');
        const world = worldOf([mine, other]);

        expect<unknown>(await patient.returned('', { unit: mine, program: world })).to.equal('number');
        expect<unknown>(await patient.returned('', { unit: other, program: world })).to.equal(['undefined', 'undefined']);
    });

    const tampering: readonly string[] = [
        'Object.prototype.isAdmin = true;',
        'Array.prototype.push = () => 0;',
        'Object.setPrototypeOf(Array.prototype, { isAdmin: true });',
        'const merge = (to, from) => { for (const key in from) { if (typeof from[key] === "object") merge(to[key], from[key]); else to[key] = from[key]; } };' +
            'merge({}, JSON.parse(\'{"__proto__": {"isAdmin": true}}\'));',
        'Object.defineProperty(String.prototype, "isAdmin", { get: () => true });',
        'Promise.resolve().then(() => { Object.prototype.isAdmin = true; });',
        'Promise.prototype.then = function () { return this; };'
    ];
    for (const body of tampering) {
        it(`is reset for the next caller after ${body.slice(0, 50)}`, async () => {

            const unit = unitOf(`exports.run = (object) => {
                if (object.id === 'tamper') { ${body} return 'done'; }
                const pushed = []; pushed.push(1);
                return [typeof {}.isAdmin, typeof [].isAdmin, typeof ''.isAdmin, pushed.length, Promise.prototype.then.name];
            }`);
            const world = worldOf([unit]);

            expect<unknown>(await patient.returned('', { unit, program: world, args: [{ id: 'tamper' }] })).to.equal('done');
            expect<unknown>(await patient.returned('', { unit, program: world })).to.equal(['undefined', 'undefined', 'undefined', 1, 'then']);
        });
    }

    it('works after a script has replaced built-in functions', async () => {

        const code = `
            JSON.parse = JSON.stringify = () => { throw new Error('mine'); };
            Promise.prototype.then = Promise.resolve = Reflect.apply = Object.fromEntries = Array.prototype.map = () => { throw new Error('mine'); };
            String.prototype.slice = String.prototype.lastIndexOf = () => { throw new Error('mine'); };
            const cordra = require('cordra');
            exports.run = (object) => { console.log(object); return [object.id, cordra.get('x').id]; };`;

        const outcome = await patient.returned(code, { host: { get: (id) => Promise.resolve({ id }) } });

        expect<unknown>(outcome).to.equal(['test/1', 'x']);
    });

    it('protects JSON arguments from changes of prototypes', async () => {

        const strange: JsonObject = JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1, "toString": 2, "length": -1}') as JsonObject;
        const code = 'exports.run = (object) => [typeof {}.isAdmin, Object.keys(object).length, object.constructor, object.length]';

        expect<unknown>(await patient.returned(code, { args: [strange] })).to.equal(['undefined', 4, 1, -1]);
    });
});
