/**
 * Access policy (interface specification, "ACL"; "Authentication" 6 and 8): the only place for access decisions. Rules have
 * three levels: the access control list of the object, the entry of its type, the defaults of the service. An API key restricts all of
 * them to its types, and a read-only one to reading.
 *
 * Knows callers, objects and rules, but no store: the rules in force are passed in.
 */

import type { Acl } from '../../doip/digital-object.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { AccessRules, AclDefaults, MethodAcls } from '../../types/access-rules.js';
import type { Caller, Decision } from '../../model/caller.js';
import { ANONYMOUS_AUTHOR, sharedCaller } from '../../model/caller.js';
import type { Subject } from '../../model/access-subject.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import { isDeepStrictEqual } from 'node:util';

/** Permission of a caller on an object; WRITE includes READ. */
export type Permission = 'WRITE' | 'READ' | 'NONE';

/** A call of type code. */
export interface MethodCall {
    /** `instance`: on an object of the type; `static`: on the type; `service`: of the design object, with the rules of its instances. */
    readonly kind: 'instance' | 'static' | 'service';
    readonly type: string;
    readonly method: string;
    /** The object it is called on; for static methods the Schema object of the type, if there is one. */
    readonly object?: Subject | null;
}

/** Type and access control list of an object that is about to be stored. */
export interface MethodGrant {
    readonly type: string;
    readonly acl: Acl | null;
    /** The stored object; null on creation. */
    readonly before: Subject | null;
}

/** Principals of a caller, for searches to filter out objects that the caller may not read. */
export interface ReadPrincipals {
    /** True if no filter is needed. */
    readonly all: boolean;
    /** Entries of readers or writers that give the caller access to any object. */
    readonly entries: readonly string[];
    /** User id for the entries `creator` and `self`; null for anonymous callers. */
    readonly userId: string | null;
    /** The only types whose objects the caller may read; absent for all. */
    readonly types?: readonly string[];
}

/** Reserved words in access control lists. A user whose id equals one gains nothing by it. */
const KEYWORDS: ReadonlySet<string> = new Set(['public', 'authenticated', 'creator', 'self', 'readers', 'writers', ANONYMOUS_AUTHOR]);

/** Default without any rules for methods. */
const WRITERS_ONLY: readonly string[] = ['writers'];

const NO_METHODS: MethodAcls = { instance: new Map(), static: new Map(), default: {} };

const ADMIN: Decision = { allowed: true, reason: 'admin', by: 'admin' };

/** A list of rights, and where it is: at the object, in the rules for its type, or in those of the service for all types. */
export interface RightsList {
    readonly entries: readonly string[];
    readonly source: 'object' | 'type' | 'default';
}

/** The lists that decide who may use an object. */
export interface ObjectRights {
    readonly read: RightsList;
    /** Null if the readers of the object may read its elements. */
    readonly readPayloads: RightsList | null;
    readonly write: RightsList;
    /** By the name of each method that has a list. */
    readonly methods: ReadonlyMap<string, RightsList>;
    /** For all other methods. */
    readonly otherMethods: RightsList;
}

/** Makes access decisions. */
export class Policy {

    readonly #rules: () => AccessRules;
    readonly #hide: ((object: StoredObject) => StoredObject) | null;

    /**
     * @param rules returns the rules in force; called for every decision, so it must be cheap
     * @param hide removes the parts of an object that require WRITE; by default nothing
     */
    constructor(rules: () => AccessRules, hide: ((object: StoredObject) => StoredObject) | null = null) {

        this.#rules = rules;
        this.#hide = hide;
    }

    /** Decides whether the caller may see the object, its ACL and its versions. */
    canRead(caller: Caller, object: Subject): Decision {

        return outOfScope(caller, object.type) ?? this.#read(caller, object);
    }

    /** Decides whether the caller may find the object without knowing its id: by a search, or through references. */
    canFind(caller: Caller, object: Subject): Decision {

        const read = this.canRead(caller, object);
        const searchRule = this.defaultsOf(object.type).aclSearch;
        if (!read.allowed || !searchRule || caller.isAdmin) {
            return read;
        }

        const write = this.#write(caller, object);
        return write.allowed && searchRule.includes('writers') ? write : this.#listed(caller, `aclSearch of ${object.type}`, searchRule, object);
    }

    /** Decides whether the caller may read the bytes of elements. A list for payloads, if there is one, replaces the readers. */
    canReadPayload(caller: Caller, object: Subject): Decision {

        const readers = object.acl?.payloadReaders ?? this.defaultsOf(object.type).defaultAclPayloadRead;
        if (!readers) {
            return this.canRead(caller, object);
        }

        const restriction = outOfScope(caller, object.type);
        if (restriction) {
            return restriction;
        }

        const write = this.#write(caller, object);
        return write.allowed ? write : this.#listed(caller, 'payloadReaders', readers, object);
    }

    /** Decides whether the caller may change, delete or publish the object, or change its ACL. */
    canWrite(caller: Caller, object: Subject): Decision {

        return outOfScope(caller, object.type, true) ?? this.#write(caller, object);
    }

    /** Decides whether the caller may create objects of a type. */
    canCreate(caller: Caller, type: string): Decision {

        return outOfScope(caller, type, true) ??
            (caller.isAdmin ? ADMIN : this.#listed(caller, `aclCreate of ${type}`, this.defaultsOf(type).aclCreate, null));
    }

    /** Decides whether the caller may provide script modules by objects of a type. Without a rule only the administrator may. */
    canProvideModules(caller: Caller, type: string): Decision {

        return outOfScope(caller, type, true) ??
            (caller.isAdmin ? ADMIN : this.#listed(caller, `aclModules of ${type}`, this.defaultsOf(type).aclModules ?? [], null));
    }

    /** Returns the names of all types whose objects the caller may create. */
    typesPermittedToCreate(caller: Caller): string[] {

        return Array.from(this.#rules().typeNames()).filter((type) => this.canCreate(caller, type).allowed);
    }

    /**
     * Decides whether the caller may call a method. The list of the object for the method comes first, then the rule of the
     * method, then the `default` of its kind, then only the administrator. Both rules come from the entry of the type if
     * it has rules for methods, else from those of the service; without either, writers may call.
     */
    canCall(caller: Caller, call: MethodCall): Decision {

        const restriction = outOfScope(caller, call.type);
        if (restriction || caller.isAdmin) {
            return restriction ?? ADMIN;
        }

        const object = call.object ?? null;
        const own = methodsOf(object?.acl ?? null, call.method);
        const entries = own ?? this.#methodEntries(call);
        if (object && entries.includes('writers') && this.#write(caller, object).allowed ||
            object && entries.includes('readers') && this.#read(caller, object).allowed) {
            return { allowed: true, reason: `method ${call.method} is open to readers or writers of ${object.id}`, by: entries.includes('readers') ? 'readers' : 'writers' };
        }

        return this.#listed(caller, `${own ? 'acl.methods' : 'aclMethods'} of ${call.type}, method ${call.method}`, entries, object);
    }

    /**
     * Decides whether the caller may store these permissions for methods. Only callers who have a permission may grant it: a
     * writer of an object cannot bypass the rules of its type for a method by listing it in the ACL of the object. Nor can they bypass
     * a list of the object by removing it, after which the rules of the type apply.
     */
    canGrantMethods(caller: Caller, { type, acl, before }: MethodGrant): Decision {

        const isSameType = before?.type === type;
        // The creator of an object, or a caller who changes its type, is treated as its reader and writer.
        const object: Subject = before && isSameType ? before : {
            id: before?.id ?? '', type, acl: { readers: ['public'], writers: ['public'] },
            metadata: { createdBy: before?.metadata.createdBy ?? caller.userId ?? ANONYMOUS_AUTHOR }
        };
        const given = Object.entries(acl?.methods ?? {})
            .filter(([method, entries]) => !isSameType || !isDeepStrictEqual(methodsOf(before?.acl ?? null, method), entries))
            .map(([method]) => this.canCall(caller, { kind: 'instance', type, method, object }));
        const lost = before ? Object.keys(before.acl?.methods ?? {}).filter((method) => methodsOf(acl, method) === undefined)
            .map((method) => this.canCall(caller, { kind: 'instance', type: before.type, method, object: before })) : [];
        const denied = [...given, ...lost].find(({ allowed }) => !allowed);
        return denied ?? { allowed: true, reason: 'no rights to methods are given that the caller lacks' };
    }

    /** Returns the permission of the caller on the object, in the form for clients. */
    permissionOf(caller: Caller, object: Subject): Permission {

        if (this.canWrite(caller, object).allowed) {
            return 'WRITE';
        }

        return this.canRead(caller, object).allowed ? 'READ' : 'NONE';
    }

    /** Decides whether the caller may learn that an object does not exist: yes if the defaults of the service allow reading. */
    canReadUnknown(caller: Caller): Decision {

        const restriction = outOfScope(caller, null);
        if (restriction || caller.isAdmin) {
            return restriction ?? ADMIN;
        }

        const { system } = this.#rules();
        return this.#listed(caller, 'readers of unknown objects', [...system.defaultAclRead, ...system.defaultAclWrite], null);
    }

    /** Decides whether the caller may learn that an object to be changed does not exist: yes if the defaults of the service allow writing. */
    canWriteUnknown(caller: Caller): Decision {

        return outOfScope(caller, null, true) ??
            (caller.isAdmin ? ADMIN : this.#listed(caller, 'writers of unknown objects', this.#rules().system.defaultAclWrite, null));
    }

    /**
     * Returns the object as the caller may see it. The only place that hides parts of an object from callers without WRITE.
     *
     * @param stored the stored object, which determines the permissions, if type code shows another form of it
     */
    visibleTo(caller: Caller, object: StoredObject, stored: Subject = object): StoredObject {

        return this.#hide && this.hidesFrom(caller, stored) ? this.#hide(object) : object;
    }

    /** True if {@link visibleTo} may hide parts of the object from the caller. */
    hidesFrom(caller: Caller, object: Subject): boolean {

        return this.#hide !== null && !this.canWrite(caller, object).allowed;
    }

    /** Returns the principals of a caller, for searches. */
    readPrincipals(caller: Caller): ReadPrincipals {

        return {
            all: caller.isAdmin,
            entries: ['public', ...(caller.isAuthenticated ? ['authenticated'] : []), ...principalsOf(caller)],
            userId: isPrincipal(caller.userId) ? caller.userId : null,
            ...caller.apiKey?.types ? { types: [...caller.apiKey.types].sort() } : {}
        };
    }

    /** True if a user or group occurs in the rules of the service or of a type. */
    isNamedInRules(id: string): boolean {

        const rules = this.#rules();
        const entries = Array.from(rules.entryNames(), (type) => rules.entryOf(type));
        return [rules.system, ...entries].some((defaults) => defaults !== undefined && allEntries(defaults).includes(id));
    }

    /** Returns the rules for objects of a type that have no access control list: those of the type, else those of the service. */
    defaultsOf(type: string): AclDefaults {

        const rules = this.#rules();
        return rules.entryOf(type) ?? rules.system;
    }

    /** Returns the lists by which this policy decides about an object. */
    rightsOf(object: Subject): ObjectRights {

        const { acl, type } = object;
        const own = this.#rules().entryOf(type);
        const source = own ? 'type' : 'default';
        const listOf = (ofObject: readonly string[] | undefined, inherited: readonly string[]): RightsList =>
            (ofObject ? { entries: ofObject, source: 'object' } : { entries: inherited, source });
        const payloadReaders = acl?.payloadReaders ?? this.defaultsOf(type).defaultAclPayloadRead;
        const methodSource = own?.aclMethods ? 'type' : 'default';
        const rules = own?.aclMethods ?? this.#rules().system.aclMethods;
        const methods = [...new Set([...Object.keys(acl?.methods ?? {}), ...(rules ?? NO_METHODS).instance.keys()])].map((method): [string, RightsList] => {

            const ofObject = methodsOf(acl, method);
            return [method, ofObject ? { entries: ofObject, source: 'object' } : { entries: this.#methodEntries({ kind: 'instance', type, method }), source: methodSource }];
        });
        return {
            read: listOf(acl?.readers, this.#readers(object)),
            readPayloads: payloadReaders ? listOf(acl?.payloadReaders, payloadReaders) : null,
            write: listOf(acl?.writers, this.#writers(object)),
            methods: new Map(methods),
            otherMethods: { entries: rules ? rules.default.instance ?? [] : WRITERS_ONLY, source: methodSource }
        };
    }

    #read(caller: Caller, object: Subject): Decision {

        const write = this.#write(caller, object);
        return write.allowed ? write : this.#listed(caller, 'readers', this.#readers(object), object);
    }

    #write(caller: Caller, object: Subject): Decision {

        return caller.isAdmin ? ADMIN : this.#listed(caller, 'writers', this.#writers(object), object);
    }

    #readers({ acl, type }: Subject): readonly string[] {

        return acl?.readers ?? this.defaultsOf(type).defaultAclRead;
    }

    #writers({ acl, type }: Subject): readonly string[] {

        return acl?.writers ?? this.defaultsOf(type).defaultAclWrite;
    }

    #methodEntries({ kind, type, method }: MethodCall): readonly string[] {

        const rules = this.#rules();
        const acls = rules.entryOf(type)?.aclMethods ?? rules.system.aclMethods;
        if (!acls) {
            return WRITERS_ONLY;
        }

        const group = kind === 'static' ? 'static' : 'instance';
        return acls[group].get(method) ?? acls.default[group] ?? [];
    }

    #listed(caller: Caller, list: string, entries: readonly string[], object: Subject | null): Decision {

        for (const entry of entries) {
            if (admits(entry, caller, object)) {
                return { allowed: true, reason: `${list} has ${entry}`, by: entry };
            }
        }

        const callerName = caller.userId ?? 'an anonymous caller';
        return { allowed: false, reason: `${list}${object ? ` of ${object.id}` : ''} does not admit ${callerName}` };
    }
}

function allEntries(defaults: AclDefaults): string[] {

    const { defaultAclRead, defaultAclWrite, defaultAclPayloadRead = [], aclCreate, aclModules = [], aclSearch = [], aclMethods } = defaults;
    const { instance, static: ofType, default: fallback } = aclMethods ?? NO_METHODS;
    return [
        ...defaultAclRead, ...defaultAclWrite, ...defaultAclPayloadRead, ...aclCreate, ...aclModules, ...aclSearch,
        ...[...instance.values()].flat(), ...[...ofType.values()].flat(), ...fallback.instance ?? [], ...fallback.static ?? []
    ];
}

/** Returns the refusal of what the caller's API key does not permit; null for all else. @param type null for an unknown object */
function outOfScope({ apiKey }: Caller, type: string | null, isWrite = false): Decision | null {

    if (!apiKey) {
        return null;
    }

    if (apiKey.types && (type === null || !apiKey.types.has(type))) {
        return { allowed: false, reason: `API key ${apiKey.id} does not include ${type === null ? 'unknown objects' : `type ${type}`}` };
    }

    return isWrite && apiKey.readOnly ? { allowed: false, reason: `API key ${apiKey.id} is read-only` } : null;
}

/** True if an entry of a list applies to the caller. Ids are compared byte for byte. */
function admits(entry: string, caller: Caller, object: Subject | null): boolean {

    switch (entry) {
        case 'public':
            return true;
        case 'authenticated':
            return caller.isAuthenticated;
        case 'creator':
            return object !== null && isPrincipal(caller.userId) && object.metadata.createdBy === caller.userId;
        case 'self':
            return object !== null && caller.userId !== null && object.id === caller.userId;
        default:
            return principalsOf(caller).has(entry);
    }
}

/** Returns the list of an object for one of its methods. */
function methodsOf(acl: Acl | null, method: string): readonly string[] | undefined {

    return acl?.methods && Object.hasOwn(acl.methods, method) ? acl.methods[method] : undefined;
}

/** Returns the ids by which ACL entries can name the caller: user id and groups. */
function principalsOf(caller: Caller): ReadonlySet<string> {

    return getOrAdd(principalSets, sharedCaller(caller), () => new Set([caller.userId, ...caller.groupIds].filter(isPrincipal)));
}

/** False for reserved words of access control lists. */
export function isPrincipal(id: string | null): id is string {

    return id !== null && !KEYWORDS.has(id);
}

const principalSets = new WeakMap<Caller, ReadonlySet<string>>();
