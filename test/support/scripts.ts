/**
 * A pool for scripts with a world made of texts, and short ways to call what they export.
 */

import type { JsonValue } from '../../lib/util/json-types.js';
import type { HostCallContext, ScriptHost } from '../../lib/scripting/protocol/script-host.js';
import type { ScriptCall } from '../../lib/scripting/protocol/script-call.js';
import type { ScriptLimits } from '../../lib/scripting/pool/script-pool.js';
import { ScriptPool } from '../../lib/scripting/pool/script-pool.js';
import { ScriptError } from '../../lib/scripting/protocol/script-error.js';
import type { ScriptFailure } from '../../lib/scripting/protocol/script-error.js';
import type { ScriptResult } from '../../lib/scripting/protocol/script-result.js';
import type { EntryModule, Program } from '../../lib/scripting/protocol/program.js';
import { notFound } from '../../lib/errors/errors.js';
import { SCRIPT_LIMITS } from './gateway.js';

/** A line that a script wrote to the log. */
export interface LoggedLine {
    readonly level: string;
    readonly fields: Readonly<Record<string, unknown>>;
}

/** Everything that a script may ask for, refused; a test gives what it needs. */
export const REFUSING_HOST: ScriptHost = {
    get: refuse, search: refuse, create: refuse, update: refuse, delete: refuse, payload: refuse, verifySecret: refuse, verifyHashes: refuse,
    validate: refuse, groupsOf: refuse, publicKey: refuse, sign: refuse
};

function refuse(): Promise<never> {

    return Promise.reject(notFound('there is nothing'));
}

/** A unit, by its code and the name of its type. */
export function unitOf(code: string, type = 'Document'): EntryModule {

    return { name: `/cordra/schemas/${type}`, label: `type ${type}`, code };
}

/** A world of units and of further modules, whose names end in `.js` or `.json` or not at all. */
export function worldOf(units: readonly EntryModule[], modules: Readonly<Record<string, string>> = {}, version?: string): Program {

    const texts = new Map([...units.map(({ name, code }) => [name, code] as const), ...Object.entries(modules)]);
    return {
        version: version ?? JSON.stringify([...texts]),
        find: (name) => {

            const text = texts.get(name);
            return text === undefined ? undefined : { kind: name.endsWith('.json') ? 'json' : 'script', text: () => text };
        }
    };
}

/** How a test calls; what is absent has the ordinary value. */
export type ShortCall = Partial<Omit<ScriptCall, 'host'>> & {
    readonly host?: Partial<ScriptHost>;
    readonly modules?: Readonly<Record<string, string>>;
};

/** A pool and how to talk to it. */
export interface TestPool {
    readonly pool: ScriptPool;
    readonly lines: LoggedLine[];
    /** Calls `exports.run` of some code with `{ id: 'test/1', content: {} }`. Rejects as the pool does. */
    run(code: string, call?: ShortCall): Promise<ScriptResult>;
    /** What the call returned; `null` for nothing. */
    returned(code: string, call?: ShortCall): Promise<JsonValue>;
    /** How the call failed; rejects when it did not. */
    failure(code: string, call?: ShortCall): Promise<ScriptFailure>;
    close(): Promise<void>;
}

/** Starts nothing yet; threads come when scripts do. Calls may take long, because the machine may be busy. */
export function testPool(limits: Partial<ScriptLimits> = {}, explain?: HostCallContext['explain']): TestPool {

    const lines: LoggedLine[] = [];
    const note = (level: string, fields: object): void => {

        lines.push({ level, fields: fields as Record<string, unknown> });
    };

    const pool = new ScriptPool({ ...SCRIPT_LIMITS, workers: 2, ...limits }, {
        info: (fields) => note('info', fields), warn: (fields) => note('warn', fields), error: (fields) => note('error', fields)
    }, explain);
    const run: TestPool['run'] = (code, { host = {}, modules = {}, unit = unitOf(code), ...call } = {}) => pool.call({
        unit, program: worldOf([unit], modules), path: ['run'], args: [{ id: 'test/1', content: {} }], context: {}, takes: 'returned',
        callerKey: 'somebody', ...call, host: { ...REFUSING_HOST, ...host }
    });
    return {
        pool, lines, run,
        returned: async (code, call) => (await run(code, call)).returned ?? null,
        failure: async (code, call) => {

            const error: unknown = await run(code, call).then((result) => new Error(`it did not fail: ${JSON.stringify(result)}`), (reason: unknown) => reason);
            if (error instanceof ScriptError) {
                return error.failure;
            }

            throw error;
        },
        close: () => pool.close()
    };
}
