/**
 * The exports of a unit of type code, or the error in it.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { positionIn } from '../protocol/stack-trace.js';
import type { ScriptFailure } from '../protocol/script-error.js';
import { parsedResult, readFailure } from '../protocol/script-result.js';
import type { EntryModule } from '../protocol/program.js';
import { type MethodDescription, readMethodDescription } from './method-description.js';

/** Properties of a method. */
export interface MethodFacts {
    /** True if it may be called by GET. */
    readonly allowGet: boolean;
    /** What the code says about it; null for nothing, or for what is no description. */
    readonly description: MethodDescription | null;
}

/** An error in type code. */
export interface EntryModuleError {
    /**
     * `syntax` and `export` are errors of the code itself and reasons to reject it; `load` is an error while the code ran,
     * which another module may resolve.
     */
    readonly kind: 'syntax' | 'export' | 'load';
    readonly message: string;
    /** 1-based; null if the position is unknown. */
    readonly line: number | null;
    readonly column: number | null;
}

/** Exports of a unit. Names are those of own properties. */
export interface UnitDescription {
    /** Exported functions. */
    readonly hooks: ReadonlySet<string>;
    /** Exported members whose value is `true`, such as `isGenerateIdLoopable`. */
    readonly flags: ReadonlySet<string>;
    readonly methods: ReadonlyMap<string, MethodFacts>;
    readonly staticMethods: ReadonlyMap<string, MethodFacts>;
    readonly error: EntryModuleError | null;
    /** Failure for the log if the code cannot be run; otherwise null. */
    readonly failure: ScriptFailure | null;
}

const NOTHING = { hooks: new Set<string>(), flags: new Set<string>(), methods: new Map(), staticMethods: new Map(), error: null, failure: null };

/** Description of a unit without code. */
export const EMPTY_DESCRIPTION: UnitDescription = NOTHING;

/** Exports that must be functions if present. */
const HOOKS = [
    'beforeSchemaValidation', 'beforeSchemaValidationWithId', 'beforeStorage', 'afterCreateOrUpdate', 'objectForIndexing', 'onObjectResolution',
    'onPayloadResolution', 'beforeDelete', 'afterDelete', 'generateId', 'customizeQuery', 'customizeQueryAndParams', 'authenticate',
    'createHandleValues', 'getAuthConfig', 'afterDesignChange', 'getStorageChooser'
];

/** Reads the text by which the sandbox describes a unit. Untrusted: code may have names that JSON cannot carry. */
export function readDescription(unit: EntryModule, text: string): UnitDescription {

    const described = parsedResult(text);
    if (described instanceof Error) {
        return describeFailure(unit, { kind: 'error', message: `it has exports that JSON cannot carry: ${described.message}`, stack: '' }, false);
    }

    if (described['failure'] !== undefined) {
        return describeFailure(unit, readFailure(described['failure']), described['isSyntax'] === true);
    }

    const kinds = Object.entries(isJsonObject(described['exports']) ? described['exports'] : {});
    const message = exportError(new Map(kinds), described);
    return {
        ...NOTHING,
        hooks: new Set(kinds.filter(([, kind]) => kind === 'function').map(([name]) => name)),
        flags: new Set(kinds.filter(([, kind]) => kind === 'true').map(([name]) => name)),
        methods: readMethods(described['methods']),
        staticMethods: readMethods(described['staticMethods']),
        error: message === null ? null : { kind: 'export', message, ...positionOf(unit, message) }
    };
}

/** Returns the description of a unit that cannot be loaded. */
export function describeFailure(unit: EntryModule, failure: ScriptFailure, isSyntax: boolean): UnitDescription {

    const { message } = failure.kind === 'answer' ? { message: JSON.stringify(failure.body) } : failure;
    const position = failure.kind === 'error' ? positionIn(failure.stack, unit.name) : null;
    // A syntax error of another module has its position there.
    const kind = isSyntax && position ? 'syntax' : 'load';
    return { ...NOTHING, failure, error: { kind, message, line: position?.line ?? null, column: position?.column ?? null } };
}

function exportError(kinds: ReadonlyMap<string, JsonValue>, described: JsonObject): string | null {

    const isAbsent = (kind: JsonValue | undefined): boolean => kind === undefined || kind === 'undefined' || kind === 'null';
    const noFunction = HOOKS.find((name) => !isAbsent(kinds.get(name)) && kinds.get(name) !== 'function');
    if (noFunction !== undefined) {
        return `exports.${noFunction} must be a function`;
    }

    for (const group of ['methods', 'staticMethods']) {
        const methods = described[group];
        if (!isAbsent(kinds.get(group)) && !isJsonObject(methods)) {
            return `exports.${group} must be an object`;
        }

        const [name] = Object.entries(isJsonObject(methods) ? methods : {}).find(([, allowGet]) => allowGet === null) ?? [];
        if (name !== undefined) {
            return `exports.${group}[${JSON.stringify(name)}] must be a function`;
        }

        const wrong = descriptionError(isJsonObject(methods) ? methods : {});
        if (wrong !== null) {
            return `exports.${group}${wrong}`;
        }
    }

    return null;
}

/** Returns the first error in the descriptions of methods, beginning with the name of the method; null if there is none. */
function descriptionError(methods: JsonObject): string | null {

    for (const [name, facts] of Object.entries(methods)) {
        const read = Array.isArray(facts) ? readMethodDescription(facts[1]) : null;
        if (read && 'error' in read) {
            return `[${JSON.stringify(name)}].description${read.error}`;
        }
    }

    return null;
}

function readMethods(value: JsonValue | undefined): ReadonlyMap<string, MethodFacts> {

    const methods = Object.entries(isJsonObject(value) ? value : {});
    return new Map(methods.filter(([, facts]) => typeof facts === 'boolean' || Array.isArray(facts)).map(([name, facts]) => {

        const [allowGet, text] = Array.isArray(facts) ? facts : [facts];
        const read = text === undefined ? null : readMethodDescription(text);
        return [name, { allowGet: allowGet === true, description: read && 'description' in read ? read.description : null }];
    }));
}

/** Returns the position of the first occurrence of the export's name in the code. */
function positionOf({ code }: EntryModule, message: string): { line: number | null; column: number | null } {

    const name = /\["(.*)"\]/.exec(message)?.[1] ?? /^exports\.(\w+)/.exec(message)?.[1] ?? '';
    const index = name === '' ? -1 : code.indexOf(name);
    if (index === -1) {
        return { line: null, column: null };
    }

    const before = code.slice(0, index).split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
