/**
 * A script context: a QuickJS runtime with memory and stack of its own, which runs the code of one unit. Lives in a worker
 * thread. Everything that comes out of it is untrusted.
 */

import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { guestCode } from './guest-bundle.js';
import type { Entrance } from './guest/main.js';
import type { RunMessage, ThreadOptions } from '../protocol/messages.js';
import type { ScriptLimit } from '../protocol/script-error.js';
import { WRAPPER_PREFIX, GUEST_FILE } from '../protocol/wrapper.js';

/** What the worker provides to the sandbox; texts and bytes only. Errors it throws are visible to the script. */
export interface RealmServices {
    find(from: string, specifier: string): string;
    log(level: string, text: string, about: string): void;
    ask(name: string, args: string): string;
    askBytes(name: string, args: string): Uint8Array | string | null;
    compute(name: string, args: string): string;
    input(): Uint8Array;
    output(bytes: Uint8Array): void;
    outputText(json: string): void;
    /** True when the script has to end. */
    isOver(): boolean;
}

/** A limit stopped the script, or the engine failed. The context must not be used again. */
export class ScriptAborted extends Error {

    /** Null if the engine failed for another reason. */
    readonly limit: ScriptLimit | null;

    constructor(limit: ScriptLimit | null, message: string) {

        super(message);
        this.limit = limit;
    }
}

/** Prefix of texts if no limit was exceeded. */
const CLEAN = '+';

/** Number of promise jobs run between two checks of the time limit. */
const JOBS_PER_BATCH = 64;

let boot: string | undefined;

/** The context of one unit. */
export class Realm {

    readonly #runtime: QuickJSRuntime;
    readonly #context: QuickJSContext;
    readonly #services: RealmServices;
    readonly #options: ThreadOptions;
    readonly #entrance: QuickJSHandle;
    /** Functions of the guest's entrance. */
    readonly #functions: Readonly<Record<keyof Entrance, QuickJSHandle>>;
    /** Module id of the unit, as a value in the sandbox. */
    readonly #unit: QuickJSHandle;
    /** Set when a limit was exceeded outside of the sandbox, so that the script cannot catch it. */
    #stopped: Error | null = null;
    #isClean = true;

    constructor(engine: QuickJSWASMModule, { unit, options, services }: { unit: string; options: ThreadOptions; services: RealmServices }) {

        this.#options = options;
        this.#services = services;
        this.#runtime = engine.newRuntime();
        this.#runtime.setMaxStackSize(options.stackBytes);
        this.#runtime.setInterruptHandler(() => this.#stopped !== null || services.isOver());
        this.#context = this.#runtime.newContext();
        boot ??= guestCode();
        const start = this.#unwrap(this.#context.evalCode(boot, `${GUEST_FILE}main`));
        const bridge = this.#bridge();
        this.#entrance = this.#unwrap(this.#context.callFunction(start, this.#context.undefined, bridge));
        start.dispose();
        bridge.dispose();
        const member = (name: string): QuickJSHandle => this.#context.getProp(this.#entrance, name);
        this.#functions = { run: member('run'), take: member('take'), recheck: member('recheck'), describe: member('describe') };
        this.#unit = this.#string(unit);
    }

    /** Runs calls; returns one line of JSON text per call (for the parameters see {@link RunMessage}). @throws ScriptAborted */
    run(request: string, original: RunMessage['original']): string {

        const text = this.#string(request).consume((handle) => this.#start(handle, original));
        // Also runs promises that are not awaited, so that nothing is left for the next call.
        const hadJobs = this.#workOff();
        const result = text === null || hadJobs ? this.#text('take') ?? '' : text;
        this.#isClean = result.startsWith(CLEAN);
        return result.slice(1);
    }

    /** False if a call exceeded a limit; the context must not be used again then. */
    get isClean(): boolean {

        return this.#isClean;
    }

    /** Integrity check: false if a call has changed shared objects. Called after the result was sent. @throws ScriptAborted */
    recheck(): boolean {

        return this.#text('recheck')?.startsWith(CLEAN) === true;
    }

    /** Returns the JSON text of the exports of a unit, or why it cannot be loaded. @throws ScriptAborted */
    describe(): string {

        const text = this.#text('describe', [this.#unit]) ?? '';
        this.#workOff();
        return text;
    }

    /** Frees the context. Throws if the engine is in an undefined state; nothing that belongs to it can be used then. */
    dispose(): void {

        [this.#unit, ...Object.values(this.#functions), this.#entrance].forEach((handle) => handle.dispose());
        this.#context.dispose();
        this.#runtime.dispose();
    }

    #start(request: QuickJSHandle, original: string | null): string | null {

        return original === null ?
            this.#text('run', [this.#unit, request]) :
            this.#string(original).consume((handle) => this.#text('run', [this.#unit, request, handle]));
    }

    #text(name: keyof Entrance, args: QuickJSHandle[] = []): string | null {

        const context = this.#context;
        const result = this.#unwrap(context.callFunction(this.#functions[name], this.#entrance, args));
        try {
            if (this.#stopped) {
                throw this.#stopped;
            }

            return context.typeof(result) === 'string' ? this.#checkLength(context.getString(result)) : null;
        }
        finally {
            result.dispose();
        }
    }

    /** Runs pending promise jobs. Returns true if there were any. */
    #workOff(): boolean {

        if (!this.#runtime.hasPendingJob()) {
            return false;
        }

        while (this.#runtime.hasPendingJob()) {
            const result = this.#runtime.executePendingJobs(JOBS_PER_BATCH);
            if (result.error) {
                this.#fail(result.error);
            }

            if (this.#services.isOver()) {
                throw new ScriptAborted('time', 'interrupted');
            }
        }

        return true;
    }

    #unwrap(result: ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {

        return result.error ? this.#fail(result.error) : result.value;
    }

    /** Throws for an error that the guest code did not catch: a limit or a failure of the engine. */
    #fail(error: QuickJSHandle): never {

        const dumped: unknown = this.#context.dump(error);
        error.dispose();
        const text = typeof dumped === 'object' && dumped !== null && 'message' in dumped ? String(dumped.message) : '';
        throw this.#stopped ?? new ScriptAborted(limitBehind(text, this.#services.isOver()), text);
    }

    #bridge(): QuickJSHandle {

        const context = this.#context;
        const services = this.#services;
        const bridge = context.newObject();
        const add = (name: string, work: (args: readonly QuickJSHandle[]) => Answer): void => {

            context.newFunction(name, (...args) => this.#answer(work, args)).consume((handle) => context.setProp(bridge, name, handle));
        };

        const texts = (args: readonly QuickJSHandle[]): [string, string] => [this.#textOf(args[0]), this.#textOf(args[1])];
        add('find', (args) => this.#string(services.find(...texts(args))));
        add('compile', (args) => this.#compile(...texts(args)));
        add('log', (args) => {

            services.log(...texts(args), this.#textOf(args[2]));
            return undefined;
        });
        add('ask', (args) => this.#string(services.ask(...texts(args))));
        add('askBytes', (args) => {

            const answer = services.askBytes(...texts(args));
            return answer === null ? context.null : typeof answer === 'string' ? this.#string(answer) : this.#bytes(answer);
        });
        add('compute', (args) => this.#string(services.compute(...texts(args))));
        add('input', () => this.#bytes(services.input()));
        add('output', ([bytes]) => {

            if (bytes) {
                context.getArrayBuffer(bytes).consume(({ value }) => services.output(value.slice()));
            }

            return undefined;
        });
        add('outputText', (args) => {

            services.outputText(this.#textOf(args[0]));
            return undefined;
        });
        return bridge;
    }

    /** Calls a function of the bridge. The script must not catch limits exceeded on this side: they are recorded, and the script is interrupted. */
    #answer(work: (args: readonly QuickJSHandle[]) => Answer, args: readonly QuickJSHandle[]): Answer {

        try {
            return work(args);
        }
        catch (error) {
            if (error instanceof ScriptAborted || isBreakdown(error)) {
                this.#stopped ??= error;
            }

            throw error;
        }
    }

    #compile(name: string, text: string): Answer {

        const result = this.#context.evalCode(`${WRAPPER_PREFIX}${text}\n})`, name, { strict: false });
        return result.error ? { error: result.error } : result.value;
    }

    #bytes(bytes: Uint8Array): QuickJSHandle {

        return this.#context.newArrayBuffer(bytes.slice().buffer);
    }

    #string(text: string): QuickJSHandle {

        const handle = this.#context.newString(text);
        if (this.#context.typeof(handle) !== 'string') {
            handle.dispose();
            throw new ScriptAborted('memory', 'out of memory');
        }

        return handle;
    }

    #textOf(handle: QuickJSHandle | undefined): string {

        return handle ? this.#checkLength(this.#context.getString(handle)) : '';
    }

    #checkLength(text: string): string {

        if (text.length > this.#options.maxMessageBytes) {
            throw new ScriptAborted('size', `a text of ${text.length} characters is too long`);
        }

        return text;
    }
}

/** Result of a bridge function; `error` is thrown in the sandbox. */
type Answer = QuickJSHandle | { readonly error: QuickJSHandle } | undefined;

/** True for errors of a crashed engine: stack overflow of the thread, or a failed assertion. */
function isBreakdown(error: unknown): error is Error {

    return error instanceof RangeError || (error instanceof Error && error.constructor.name === 'RuntimeError');
}

function limitBehind(message: string, isOver: boolean): ScriptLimit | null {

    if (message.includes('out of memory') || message === '') {
        return 'memory';
    }

    return message.includes('stack overflow') ? 'stack' : isOver ? 'time' : null;
}
