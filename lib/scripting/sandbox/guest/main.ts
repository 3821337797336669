/**
 * The entrance of the sandbox: loads the code of a unit, calls what it exports, and writes down what came of it. Texts go in
 * and out.
 */

import type { Bridge } from './bridge.js';
import { installConsole } from './console.js';
import { cordraModule, cordraUtilModule } from './cordra.js';
import { Guard } from './tamper-check.js';
import type { DirectIoFacts } from './direct-io.js';
import { directIo } from './direct-io.js';
import { call, parse, stringify, then } from './primordials.js';
import { addLazy } from './lazy-property.js';
import { Modules } from './modules.js';
import { describeThrown, safely } from './error-description.js';

/** What the thread calls. Each function gives text when all is done, null when promises have to be worked off first. */
export interface Entrance {
    /**
     * A line for each item, behind `+`, or `-` when one of the calls met a limit.
     *
     * @param original text of `originalObject` in the context of the only item, where that has it
     */
    run(unit: string, request: string, original?: string): string | null;
    describe(unit: string): string;
    /** The text that `run` did not give. */
    take(): string;
    /** To be asked when nobody waits: `+`, or `-` when the calls have changed what the next one would find. */
    recheck(): string;
}

interface Request {
    readonly path: readonly string[];
    readonly items: readonly unknown[][];
    readonly takes: 'returned' | 'object' | 'both' | 'nothing';
    readonly directIo: DirectIoFacts | null;
}

const MORE_NAMES = 1000;

/** Prepares a new context. */
export function boot(bridge: Bridge): Entrance {

    delete (globalThis as { SharedArrayBuffer?: unknown }).SharedArrayBuffer;
    let about = '';
    installConsole(bridge, () => about);
    const util = (): object => cordraUtilModule(bridge);
    const modules = new Modules(bridge, Object.assign(Object.create(null) as object, {
        cordra: () => cordraModule(bridge), cordraUtil: util, 'cordra-util': util
    }));
    const guard = new Guard();
    let isLoaded = false;
    let lines: string[] = [];
    let isSpent = false;
    /** The exports of the unit; what it changes while it is loaded counts as given. */
    const load = (unit: string): unknown => {

        const exports = modules.require('/', unit);
        if (!isLoaded) {
            isLoaded = true;
            guard.note();
        }

        return exports;
    };

    const told = (): string => (isSpent ? '-' : '+') + joined(lines);

    return {
        run: (unit, text, original) => {

            const request = parse(text) as Request;
            if (original !== undefined) {
                addLazy(contextOf(request.items[0]), 'originalObject', original);
            }

            lines = [];
            let pending = 0;
            for (let i = 0; i < request.items.length; ++i) {
                const item = new Call(bridge, request);
                const args = request.items[i] ?? [];
                about = idOf(args);
                const isOver = item.start(() => load(unit), args);
                lines[i] = item.line;
                isSpent ||= item.isSpent;
                if (!isOver) {
                    ++pending;
                    item.whenOver = () => {

                        isSpent ||= item.isSpent;
                        lines[i] = item.line;
                    };
                }
            }

            // What goes on behind several objects at once belongs to none of them.
            about = request.items.length === 1 ? about : '';
            return pending === 0 ? told() : null;
        },
        describe: (unit) => {

            about = '';
            return describe(() => load(unit));
        },
        take: told,
        recheck: () => (guard.holds() ? '+' : '-')
    };
}

/** The last argument. */
function contextOf(args: readonly unknown[] = []): object {

    return args[args.length - 1] as object;
}

function idOf(args: readonly unknown[]): string {

    const id = safely(() => (contextOf(args) as { objectId?: unknown }).objectId);
    return typeof id === 'string' ? id : '';
}

/** JSON texts hold no line feeds, so lines can be told apart. */
function joined(lines: readonly string[]): string {

    let text = '';
    for (let i = 0; i < lines.length; ++i) {
        text += (i === 0 ? '' : '\n') + lines[i];
    }

    return text;
}

/** Stands where a call has not come to its end. */
const UNSETTLED = stringify({ failure: { kind: 'error', message: 'the promise that was returned is never settled', stack: '' } });

/** One call of a function, until its result or fault is written down. */
class Call {

    /** JSON text of what came of the call. */
    line = UNSETTLED;
    /** True when a limit was met. */
    isSpent = false;
    whenOver: () => void = () => {};
    readonly #bridge: Bridge;
    readonly #request: Request;
    #args: unknown[] = [];
    #output: () => object | null = () => null;

    constructor(bridge: Bridge, request: Request) {

        this.#bridge = bridge;
        this.#request = request;
    }

    /** True when the call is over already. */
    start(load: () => unknown, args: unknown[]): boolean {

        this.#args = args;
        const context = args[args.length - 1];
        if (this.#request.directIo && typeof context === 'object' && context !== null) {
            const { io, output } = directIo(this.#bridge, this.#request.directIo);
            (context as { directIo?: object }).directIo = io;
            this.#output = output;
        }

        try {
            const { owner, found } = walk(load(), this.#request.path);
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
            takes === 'both' ? { returned, object: this.#args[0] } : takes === 'nothing' ? {} : { returned };
        const output = this.#output();
        this.line = stringify(output ? { ...result, output } : result);
    }

    #fail(error: unknown): void {

        const failure = describeThrown(error);
        this.isSpent = failure.kind === 'limit' || failure.kind === 'null';
        this.line = stringify({ failure });
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
function describe(load: () => unknown): string {

    try {
        const exports = load();
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
