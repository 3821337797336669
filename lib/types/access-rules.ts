/**
 * Access rules as administrators write them: `authConfig` of the design object and of Schema objects. Malformed rules are read
 * as rules that grant nothing. The type registry provides them to the access policy.
 */

import { isJsonObject } from '../util/json-types.js';
import type { JsonValue } from '../util/json-types.js';

/** One entry of an `authConfig`: the defaults for a type, or for the whole service. */
export interface AclDefaults {
    readonly defaultAclRead: readonly string[];
    readonly defaultAclWrite: readonly string[];
    /** Absent: readers of an object may read its elements. */
    readonly defaultAclPayloadRead?: readonly string[];
    readonly aclCreate: readonly string[];
    /** Who may provide script modules by objects of the type. Absent: the administrator only. */
    readonly aclModules?: readonly string[];
    /** Readers who find objects of the type by searching; `writers` stands for the writers of the object. Absent: all readers. */
    readonly aclSearch?: readonly string[];
    /** Absent: the rules for methods of the whole service apply. */
    readonly aclMethods?: MethodAcls;
}

/** Who may call a method, by its name. A `Map`, so that a method named `constructor` matches no inherited property. */
export interface MethodAcls {
    readonly instance: ReadonlyMap<string, readonly string[]>;
    readonly static: ReadonlyMap<string, readonly string[]>;
    /** For methods without an entry. */
    readonly default: { readonly instance?: readonly string[]; readonly static?: readonly string[] };
}

/** All access rules in force at a moment. */
export interface AccessRules {
    /** `authConfig.defaultAcls` of the design object: for types without an entry, and for objects that do not exist. */
    readonly system: AclDefaults;
    /**
     * Returns the entry of a type: the result of its `getAuthConfig`, else `authConfig` of its Schema object, else
     * `authConfig.schemaAcls` of the design object, else, for a type that is gone, what it had by its code or Schema object; undefined if
     * it has none. An entry replaces the rules of the whole service completely.
     */
    entryOf(type: string): AclDefaults | undefined;
    /** Returns the names of all types, including built-in types. */
    typeNames(): Iterable<string>;
    /** Returns the names that may have an entry: all types, and deleted types of which there may still be objects. */
    entryNames(): Iterable<string>;
}

/** Rules that admit only the administrator. */
const NO_ACCESS: AclDefaults = { defaultAclRead: [], defaultAclWrite: [], aclCreate: [] };

/** Reads one entry of an `authConfig`. Missing and malformed arrays count as empty. */
export function readAclDefaults(value: JsonValue | undefined): AclDefaults {

    if (!isJsonObject(value)) {
        return NO_ACCESS;
    }

    const entries = new Map(Object.entries(value));
    return {
        defaultAclRead: readEntries(entries.get('defaultAclRead')),
        defaultAclWrite: readEntries(entries.get('defaultAclWrite')),
        aclCreate: readEntries(entries.get('aclCreate')),
        ...(entries.has('defaultAclPayloadRead') ? { defaultAclPayloadRead: readEntries(entries.get('defaultAclPayloadRead')) } : {}),
        ...(entries.has('aclModules') ? { aclModules: readEntries(entries.get('aclModules')) } : {}),
        ...(entries.has('aclSearch') ? { aclSearch: readEntries(entries.get('aclSearch')) } : {}),
        ...(entries.has('aclMethods') ? { aclMethods: readMethodAcls(entries.get('aclMethods')) } : {})
    };
}

function readMethodAcls(value: JsonValue | undefined): MethodAcls {

    const entries = new Map(isJsonObject(value) ? Object.entries(value) : []);
    const fallback = readNamed(entries.get('default'));
    const [instance, ofType] = [fallback.get('instance'), fallback.get('static')];
    return {
        instance: readNamed(entries.get('instance')),
        static: readNamed(entries.get('static')),
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
