/**
 * The access rules that an administrator writes: `authConfig` of the design object and of Schema objects. Whoever keeps types
 * and the design hands them to the policy; the shapes are read tolerantly, because a rule that cannot be read admits nobody.
 */

import { isJsonObject } from '../util/json-types.js';
import type { JsonValue } from '../util/json-types.js';

/** One entry of an `authConfig`: the defaults of a type, or of the whole service. */
export interface AclDefaults {
    readonly defaultAclRead: readonly string[];
    readonly defaultAclWrite: readonly string[];
    /** Absent: whoever may read an object may read its elements. */
    readonly defaultAclPayloadRead?: readonly string[];
    readonly aclCreate: readonly string[];
    /** Who may provide modules for type code by objects of the type; absent: nobody. */
    readonly aclModules?: readonly string[];
    /** Who finds objects of the type by searching, of those who may read them; `writers` are those of the object. Absent: all of them. */
    readonly aclSearch?: readonly string[];
    /** Absent: the service's own rules for methods count. */
    readonly aclMethods?: MethodAcls;
}

/** Who may call which method. A `Map`, so that a method named `constructor` finds nothing that was not written down. */
export interface MethodAcls {
    readonly instance: ReadonlyMap<string, readonly string[]>;
    readonly static: ReadonlyMap<string, readonly string[]>;
    /** For methods that are not listed. */
    readonly default: { readonly instance?: readonly string[]; readonly static?: readonly string[] };
}

/** All rules that count at a moment. */
export interface AccessRules {
    /** `authConfig.defaultAcls` of the design object: for types without an entry, and for objects that nobody knows. */
    readonly system: AclDefaults;
    /**
     * The entry of a type: what its code makes by `getAuthConfig`, else `authConfig` of its Schema object, else
     * `authConfig.schemaAcls` of the design object; undefined when it has none of them. An entry replaces the rules of the
     * service as a whole.
     */
    entryOf(type: string): AclDefaults | undefined;
    /** Names of all types, the built-in ones included. */
    typeNames(): Iterable<string>;
    /** Names for which there may be an entry: those of all types, and of types that are gone while there still are objects of them. */
    entryNames(): Iterable<string>;
}

/** Rules that admit nobody but the administrator. */
export const NO_ACCESS: AclDefaults = { defaultAclRead: [], defaultAclWrite: [], aclCreate: [] };

/** Reads one entry of an `authConfig`. Missing and unreadable arrays count as empty. */
export function readAclDefaults(value: JsonValue | undefined): AclDefaults {

    if (!isJsonObject(value)) {
        return NO_ACCESS;
    }

    const own = new Map(Object.entries(value));
    return {
        defaultAclRead: readEntries(own.get('defaultAclRead')),
        defaultAclWrite: readEntries(own.get('defaultAclWrite')),
        aclCreate: readEntries(own.get('aclCreate')),
        ...(own.has('defaultAclPayloadRead') ? { defaultAclPayloadRead: readEntries(own.get('defaultAclPayloadRead')) } : {}),
        ...(own.has('aclModules') ? { aclModules: readEntries(own.get('aclModules')) } : {}),
        ...(own.has('aclSearch') ? { aclSearch: readEntries(own.get('aclSearch')) } : {}),
        ...(own.has('aclMethods') ? { aclMethods: readMethodAcls(own.get('aclMethods')) } : {})
    };
}

function readMethodAcls(value: JsonValue | undefined): MethodAcls {

    const own = new Map(isJsonObject(value) ? Object.entries(value) : []);
    const fallback = readNamed(own.get('default'));
    const [instance, ofType] = [fallback.get('instance'), fallback.get('static')];
    return {
        instance: readNamed(own.get('instance')),
        static: readNamed(own.get('static')),
        default: { ...(instance ? { instance } : {}), ...(ofType ? { static: ofType } : {}) }
    };
}

function readNamed(value: JsonValue | undefined): Map<string, readonly string[]> {

    const entries = isJsonObject(value) ? Object.entries(value) : [];
    return new Map(entries.map(([name, list]) => [name, readEntries(list)]));
}

function readEntries(value: JsonValue | undefined): readonly string[] {

    return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}
