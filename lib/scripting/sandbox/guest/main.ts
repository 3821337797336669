/**
 * Entrance of the sandbox: loads the code of a unit, calls its exports, and serialises the results. Texts in, texts out.
 */

import type { Bridge } from './bridge.js';
import { installConsole } from './console.js';
import { cordraModule, cordraUtilModule } from './cordra.js';
import { TamperCheck } from './tamper-check.js';
import type { DirectIoFacts } from './direct-io.js';
import { directIo } from './direct-io.js';
import { call, parse, stringify, then } from './primordials.js';
import { addLazy } from './lazy-property.js';
import { Modules } from './modules.js';
import { describeThrown, safely } from './error-description.js';

/** Functions that the worker calls. They return text when everything is done, null if promise jobs have to run first. */
export interface Entrance {
    /**
     * Returns a line per item, after the prefix `+`, or `-` if one of the calls exceeded a limit.
     *
     * @param original JSON text of `originalObject` in the context of the only item, if it has one
     */
    run(unit: string, request: string, original?: string): string | null;
    describe(unit: string): string;
    /** Returns the text of `run` after the promise jobs. */
    take(): string;
    /** Integrity check: returns `+`, or `-` if calls have changed shared objects. */
    recheck(): string;
}

interface Request {
    readonly path: readonly string[];
    readonly items: readonly unknown[][];
    readonly takes: 'returned' | 'object' | 'both' | 'nothing';
    readonly directIo: DirectIoFacts | null;
}

const MORE_NAMES = 1000;

/** Initialises a new context. */
export function boot(bridge: Bridge): Entrance {

    delete (globalThis as { SharedArrayBuffer?: unknown }).SharedArrayBuffer;
    let about = '';
    installConsole(bridge, () => about);
    const util = (): object => cordraUtilModule(bridge);
    const modules = new Modules(bridge, Object.assign(Object.create(null) as object, {
        cordra: () => cordraModule(bridge), cordraUtil: util, 'cordra-util': util
    }));
    const tamperCheck = new TamperCheck();
    let isLoaded = false;
    let lines: string[] = [];
    let isExhausted = false;
    /** Number of the current run: promises of an earlier one may still be settled by a later one. */
    let current = 0;
    /** Returns the exports of the unit. Changes to shared objects while it loads are accepted. */
    const load = (unit: string): unknown => {

        const exports = modules.require('/', unit);
        if (!isLoaded) {
            isLoaded = true;
            tamperCheck.record();
        }

        return exports;
    };

    const result = (): string => (isExhausted ? '-' : '+') + joined(lines);

    return {
        run: (unit, text, original) => {

            const request = parse(text) as Request;
            if (original !== undefined) {
                addLazy(contextOf(request.items[0]), 'originalObject', original);
            }

            const own: string[] = [];
            lines = own;
            const number = ++current;
            const isOver = (): boolean => number !== current;
            let pending = 0;
            for (let i = 0; i < request.items.length; ++i) {
                const item = new Call(bridge, request, isOver);
                const args = request.items[i] ?? [];
                about = idOf(args);
                const isSettled = item.start(() => load(unit), args);
                own[i] = item.line;
                isExhausted ||= item.isExhausted;
                if (!isSettled) {
                    ++pending;
                    item.onEnd = () => {

                        isExhausted ||= item.isExhausted;
                        own[i] = item.line;
                    };
                }
            }

            // Promises of several objects cannot be attributed to one of them.
            about = request.items.length === 1 ? about : '';
            return pending === 0 ? result() : null;
        },
        describe: (unit) => {

            about = '';
            return describe(() => load(unit));
        },
        take: result,
        recheck: () => (tamperCheck.holds() ? '+' : '-')
    };
}

/** Returns the last argument. */
function contextOf(args: readonly unknown[] = []): object {

    return args[args.length - 1] as object;
}

function idOf(args: readonly unknown[]): string {

    const id = safely(() => (contextOf(args) as { objectId?: unknown }).objectId);
    return typeof id === 'string' ? id : '';
}

/** Joins lines; JSON texts contain no line feeds. */
function joined(lines: readonly string[]): string {

    let text = '';
    for (let i = 0; i < lines.length; ++i) {
        text += (i === 0 ? '' : '\n') + lines[i];
    }

    return text;
}

/** Result of a call whose promise is not settled. */
const UNSETTLED = stringify({ failure: { kind: 'error', message: 'the promise that was returned is never settled', stack: '' } });

/** Line of a result without any member. */
const NO_RESULT = '{}';

/** One call of a function, until its result or error is serialised. */
class Call {

    /** JSON text of the result. */
    line = UNSETTLED;
    /** True if a limit was exceeded. */
    isExhausted = false;
    onEnd: () => void = () => {};
    readonly #bridge: Bridge;
    readonly #request: Request;
    readonly #isOver: () => boolean;
    #args: unknown[] = [];
    #output: () => object | null = () => null;

    /** @param isOver true when the run of the call has ended */
    constructor(bridge: Bridge, request: Request, isOver: () => boolean) {

        this.#bridge = bridge;
        this.#request = request;
        this.#isOver = isOver;
    }

    /** Starts the call. Returns true if it is already over. */
    start(load: () => unknown, args: unknown[]): boolean {

        this.#args = args;
        const context = args[args.length - 1];
        if (this.#request.directIo && typeof context === 'object' && context !== null) {
            const { io, output } = directIo(this.#bridge, this.#request.directIo, this.#isOver);
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

            const promise = Promise.resolve(returned);
            then(promise, (value) => this.#end(() => this.#succeed(value)), (error) => this.#end(() => this.#fail(error)));
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

        this.onEnd();
    }

    #succeed(returned: unknown): void {

        const { takes, path } = this.#request;
        const isNothing = returned === undefined || returned === null;
        const value = takes === 'object' && isNothing ? this.#args[0] : returned;
        const result = takes === 'object' ? { object: value } :
            takes === 'both' ? { returned, object: this.#args[0] } : takes === 'nothing' ? {} : { returned };
        const output = this.#output();
        const line = stringify(output ? { ...result, output } : result);
        // A function, for example. Methods may return one, which is nothing; what hooks return is needed.
        if (line === NO_RESULT && (takes === 'object' || takes === 'returned' && path.length === 1 && !isNothing)) {
            throw new TypeError(`it gave something that JSON cannot carry, of the type ${typeof value}`);
        }

        this.line = line;
    }

    #fail(error: unknown): void {

        const failure = describeThrown(error);
        this.isExhausted = failure.kind === 'limit' || failure.kind === 'null';
        this.line = stringify({ failure });
    }
}

function isThenable(value: unknown): boolean {

    return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

type Callable = (...args: readonly unknown[]) => unknown;

/** Returns the function at the end of a path, and the object it is a member of. */
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

/** Returns the JSON text of the exports of a unit, or why it cannot be loaded. */
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

/** Maximum length of the descriptions of all methods of a group together, as JSON. */
const MAX_DESCRIPTIONS = 65_536;

/**
 * Returns name → whether the method may be called by GET, or that and the JSON text of its description (null if it has none, or one that is
 * too long); null for members that are not functions.
 */
function methodsOf(exports: unknown, group: string): object | null {

    const methods = safely(() => (exports as Record<string, unknown>)[group]);
    if (typeof methods !== 'object' || methods === null) {
        return null;
    }

    let room = MAX_DESCRIPTIONS;
    const kinds = ownNames(methods).map((name) => {

        const method = safely(() => (methods as Record<string, unknown>)[name]);
        if (typeof method !== 'function') {
            return [name, null];
        }

        const allowGet = safely(() => (method as { allowGet?: unknown }).allowGet) === true;
        const description = safely(() => (method as { description?: unknown }).description);
        if (description === undefined) {
            return [name, allowGet];
        }

        const text: unknown = safely(() => stringify(description as object));
        const fits = typeof text === 'string' && text.length <= room;
        room -= fits ? text.length : 0;
        return [name, [allowGet, fits ? text : null]];
    });
    return Object.fromEntries(kinds) as object;
}

function ownNames(value: unknown): string[] {

    return isHolder(value) ?
        Object.getOwnPropertyNames(value).filter((name) => !(typeof value === 'function' && BUILT_IN.has(name))).slice(0, MORE_NAMES) : [];
}

/** Own properties of every function. */
const BUILT_IN = new Set(['length', 'name', 'prototype', 'arguments', 'caller']);
