/**
 * The entrance of the sandbox: loads the code of a unit, calls what it exports, and writes down what came of it. Texts go in
 * and out.
 */

import type { Bridge } from './bridge.js';
import { installConsole } from './console.js';
import { cordraModule, cordraUtilModule } from './cordra.js';
import type { DirectIoFacts } from './direct-io.js';
import { directIo } from './direct-io.js';
import { call, parse, stringify, then } from './intrinsics.js';
import { Modules } from './modules.js';
import { describeThrown, safely } from './thrown.js';

/** What the thread calls. Each function gives text when all is done, null when promises have to be worked off first. */
export interface Entrance {
    run(unit: string, request: string): string | null;
    describe(unit: string): string;
    /** The text that `run` did not give. */
    take(): string;
}

interface Request {
    readonly path: readonly string[];
    readonly items: readonly unknown[][];
    readonly takes: 'returned' | 'object' | 'both';
    readonly directIo: DirectIoFacts | null;
}

const MORE_NAMES = 1000;

/** Prepares a new context. */
export function boot(bridge: Bridge): Entrance {

    delete (globalThis as { SharedArrayBuffer?: unknown }).SharedArrayBuffer;
    installConsole(bridge);
    const util = (): object => cordraUtilModule(bridge);
    const modules = new Modules(bridge, Object.assign(Object.create(null) as object, {
        cordra: () => cordraModule(bridge), cordraUtil: util, 'cordra-util': util
    }));
    let lines: string[] = [];
    return {
        run: (unit, text) => {

            const request = parse(text) as Request;
            lines = [];
            let pending = 0;
            for (let i = 0; i < request.items.length; ++i) {
                const item = new Call(bridge, modules, request);
                const isOver = item.start(unit, request.items[i] ?? []);
                lines[i] = item.line;
                if (!isOver) {
                    ++pending;
                    item.whenOver = () => {

                        lines[i] = item.line;
                    };
                }
            }

            return pending === 0 ? joined(lines) : null;
        },
        describe: (unit) => describe(modules, unit),
        take: () => joined(lines)
    };
}

/** JSON texts hold no line feeds, so lines can be told apart. */
function joined(lines: readonly string[]): string {

    let text = '';
    for (let i = 0; i < lines.length; ++i) {
        text += (i === 0 ? '' : '\n') + lines[i];
    }

    return text;
}

/** One call of a function, until its result or fault is written down. */
class Call {

    /** JSON text of what came of the call. */
    line = stringify({ failure: { kind: 'error', message: 'the promise that was returned is never settled', stack: '' } });
    whenOver: () => void = () => {};
    readonly #bridge: Bridge;
    readonly #modules: Modules;
    readonly #request: Request;
    #args: unknown[] = [];
    #output: () => object | null = () => null;

    constructor(bridge: Bridge, modules: Modules, request: Request) {

        this.#bridge = bridge;
        this.#modules = modules;
        this.#request = request;
    }

    /** True when the call is over already. */
    start(unit: string, args: unknown[]): boolean {

        this.#args = args;
        const context = args[args.length - 1];
        if (this.#request.directIo && typeof context === 'object' && context !== null) {
            const { io, output } = directIo(this.#bridge, this.#request.directIo);
            (context as { directIo?: object }).directIo = io;
            this.#output = output;
        }

        try {
            const { owner, found } = walk(this.#modules.require('/', unit), this.#request.path);
            const returned: unknown = call(found, owner, args);
            if (!isThenable(returned)) {
                this.#succeed(returned);
                return true;
            }

            const settled = Promise.resolve(returned);
            then(settled, (value) => this.#end(() => this.#succeed(value)), (error) => this.#end(() => this.#fail(error)));
            return false;
        }
        catch (error) {
            this.#fail(error);
            return true;
        }
    }

    #end(write: () => void): void {

        try {
            write();
        }
        catch (error) {
            this.#fail(error);
        }

        this.whenOver();
    }

    #succeed(returned: unknown): void {

        const { takes } = this.#request;
        const isNothing = returned === undefined || returned === null;
        const result = takes === 'object' ? { object: isNothing ? this.#args[0] : returned } :
            takes === 'both' ? { returned, object: this.#args[0] } : { returned };
        const output = this.#output();
        this.line = stringify(output ? { ...result, output } : result);
    }

    #fail(error: unknown): void {

        this.line = stringify({ failure: describeThrown(error) });
    }
}

function isThenable(value: unknown): boolean {

    return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

type Callable = (...args: readonly unknown[]) => unknown;

/** The function at the end of a path, and what it is a member of. */
function walk(exports: unknown, path: readonly string[]): { readonly owner: unknown; readonly found: Callable } {

    let owner: unknown = undefined;
    let found: unknown = exports;
    for (let i = 0; i < path.length; ++i) {
        const name = path[i] ?? '';
        owner = found;
        found = isHolder(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined;
    }

    if (typeof found !== 'function') {
        throw new TypeError(`the script exports no function ${path[path.length - 1] ?? ''}`);
    }

    return { owner, found: found as Callable };
}

function isHolder(value: unknown): value is Record<string, unknown> {

    return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** What a unit exports; or why it cannot be loaded. */
function describe(modules: Modules, unit: string): string {

    try {
        const exports = modules.require('/', unit);
        const names = ownNames(exports);
        const kinds = names.map((name) => [name, kindOf(safely(() => (exports as Record<string, unknown>)[name]))]);
        return stringify({
            exports: Object.fromEntries(kinds) as object,
            methods: methodsOf(exports, 'methods'),
            staticMethods: methodsOf(exports, 'staticMethods')
        });
    }
    catch (error) {
        return stringify({ failure: describeThrown(error), isSyntax: error instanceof SyntaxError });
    }
}

function kindOf(value: unknown): string {

    return value === null ? 'null' : value === true ? 'true' : typeof value;
}

/** Name → whether it may be called by GET; null for a member that is no function. */
function methodsOf(exports: unknown, group: string): object | null {

    const methods = safely(() => (exports as Record<string, unknown>)[group]);
    if (typeof methods !== 'object' || methods === null) {
        return null;
    }

    const kinds = ownNames(methods).map((name) => {

        const method = safely(() => (methods as Record<string, unknown>)[name]);
        return [name, typeof method === 'function' ? safely(() => (method as { allowGet?: unknown }).allowGet) === true : null];
    });
    return Object.fromEntries(kinds) as object;
}

function ownNames(value: unknown): string[] {

    return isHolder(value) ?
        Object.getOwnPropertyNames(value).filter((name) => !(typeof value === 'function' && BUILT_IN.has(name))).slice(0, MORE_NAMES) : [];
}

/** Own properties that every function has. */
const BUILT_IN = new Set(['length', 'name', 'prototype', 'arguments', 'caller']);
