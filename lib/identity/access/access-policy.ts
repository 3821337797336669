/**
 * Who may do what (interface specification, "ACL"; "Authentication" 6 and 8). Every question of rights in the service is
 * answered here, from three levels of rules: the object's own list, the entry of its type, the defaults of the service.
 *
 * It knows callers, objects and rules, and reads no store: the rules are handed in, current for the request.
 */

import type { Acl } from '../../doip/digital-object.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { AccessRules, AclDefaults, MethodAcls } from '../../types/access-rules.js';
import type { Caller, Decision } from '../../model/caller.js';
import { ANONYMOUS_AUTHOR } from '../../model/caller.js';
import type { Subject } from '../../model/access-subject.js';

export { denied } from '../../model/caller.js';
export type { Decision } from '../../model/caller.js';

/** What a caller may do with an object; WRITE includes READ. */
export type Permission = 'WRITE' | 'READ' | 'NONE';

/** A call of type code. */
export interface MethodCall {
    /** `instance`: on an object of the type; `static`: on the type; `service`: of the design object, ruled like its instances. */
    readonly kind: 'instance' | 'static' | 'service';
    readonly type: string;
    readonly method: string;
    /** The object it is called on; for static methods the Schema object of the type, where there is one. */
    readonly object?: Subject | null;
}

/** What is about to be stored: the type and the list of an object. */
export interface MethodGrant {
    readonly type: string;
    readonly acl: Acl | null;
    /** The object as it is stored; null for one that is created. */
    readonly before: Subject | null;
}

/** What a search needs to know in order to leave out objects that the caller may not read. */
export interface ReadPrincipals {
    /** True when nothing has to be left out. */
    readonly all: boolean;
    /** Entries of readers or writers that admit the caller to any object. */
    readonly entries: readonly string[];
    /** Whose objects `creator` and `self` admit to; null for nobody's. */
    readonly userId: string | null;
}

/** Words of an ACL that stand for a rule. A user whose id is spelled like one gains nothing by it. */
const KEYWORDS: ReadonlySet<string> = new Set(['public', 'authenticated', 'creator', 'self', 'readers', 'writers', ANONYMOUS_AUTHOR]);

/** Without any rules for methods they are for those who may write. */
const WRITERS_ONLY: readonly string[] = ['writers'];

const NO_METHODS: MethodAcls = { instance: new Map(), static: new Map(), default: {} };

const ADMIN: Decision = { allowed: true, reason: 'admin' };

/** Answers questions of rights. */
export class Policy {

    readonly #rules: () => AccessRules;
    readonly #hide: ((object: StoredObject) => StoredObject) | null;

    /**
     * @param rules gives the rules as they are now; asked for every question, so it must be cheap
     * @param hide takes out what only callers with WRITE see of an object; by default nothing
     */
    constructor(rules: () => AccessRules, hide: ((object: StoredObject) => StoredObject) | null = null) {

        this.#rules = rules;
        this.#hide = hide;
    }

    /** May the caller see the object, its ACL and its versions? */
    canRead(caller: Caller, object: Subject): Decision {

        const write = this.canWrite(caller, object);
        return write.allowed ? write : this.#listed(caller, 'readers', this.#readers(object), object);
    }

    /** May the caller find the object without knowing its id: by searching, or by what it points at? */
    canFind(caller: Caller, object: Subject): Decision {

        const read = this.canRead(caller, object);
        const finders = this.#defaults(object.type).aclSearch;
        if (!read.allowed || !finders || caller.isAdmin) {
            return read;
        }

        const write = this.canWrite(caller, object);
        return write.allowed && finders.includes('writers') ? write : this.#listed(caller, `aclSearch of ${object.type}`, finders, object);
    }

    /** May the caller read the bytes of elements? Their own list, where there is one, counts instead of the readers. */
    canReadPayload(caller: Caller, object: Subject): Decision {

        const readers = object.acl?.payloadReaders ?? this.#defaults(object.type).defaultAclPayloadRead;
        if (!readers) {
            return this.canRead(caller, object);
        }

        const write = this.canWrite(caller, object);
        return write.allowed ? write : this.#listed(caller, 'payloadReaders', readers, object);
    }

    /** May the caller change, delete or publish the object, or change its ACL? */
    canWrite(caller: Caller, object: Subject): Decision {

        return caller.isAdmin ? ADMIN : this.#listed(caller, 'writers', this.#writers(object), object);
    }

    /** May the caller create objects of a type? */
    canCreate(caller: Caller, type: string): Decision {

        return caller.isAdmin ? ADMIN : this.#listed(caller, `aclCreate of ${type}`, this.#defaults(type).aclCreate, null);
    }

    /** May the caller provide modules for type code by objects of a type? Nobody but the administrator may where no rule says so. */
    canProvideModules(caller: Caller, type: string): Decision {

        return caller.isAdmin ? ADMIN : this.#listed(caller, `aclModules of ${type}`, this.#defaults(type).aclModules ?? [], null);
    }

    /** Names of all types that the caller may create. */
    typesPermittedToCreate(caller: Caller): string[] {

        return Array.from(this.#rules().typeNames()).filter((type) => this.canCreate(caller, type).allowed);
    }

    /**
     * May the caller call a method? What the list of the object says of the method counts first. Else the rule of the method,
     * else the `default` of its kind, else nobody: both are looked for in the entry of the type, when that has rules for methods,
     * else in those of the service; with neither it is the writers.
     */
    canCall(caller: Caller, call: MethodCall): Decision {

        if (caller.isAdmin) {
            return ADMIN;
        }

        const object = call.object ?? null;
        const own = methodsOf(object?.acl ?? null, call.method);
        const entries = own ?? this.#methodEntries(call);
        if (object && entries.includes('writers') && this.canWrite(caller, object).allowed ||
            object && entries.includes('readers') && this.canRead(caller, object).allowed) {
            return { allowed: true, reason: `method ${call.method} is open to readers or writers of ${object.id}` };
        }

        return this.#listed(caller, `${own ? 'acl.methods' : 'aclMethods'} of ${call.type}, method ${call.method}`, entries, object);
    }

    /**
     * May the caller store these rights to methods? A right is passed on by those who have it: a writer of an object does not get
     * past the rules of its type for a method by naming it in the list of the object.
     */
    canGrantMethods(caller: Caller, { type, acl, before }: MethodGrant): Decision {

        const isSameType = before?.type === type;
        // Who creates an object, or gives it another type, is a reader and writer of it then.
        const object: Subject = before && isSameType ? before : {
            id: before?.id ?? '', type, acl: { readers: ['public'], writers: ['public'] },
            metadata: { createdBy: before?.metadata.createdBy ?? caller.userId ?? ANONYMOUS_AUTHOR }
        };
        const refused = Object.entries(acl?.methods ?? {})
            .filter(([method, entries]) => !isSameType || !isSameList(methodsOf(before?.acl ?? null, method), entries))
            .map(([method]) => this.canCall(caller, { kind: 'instance', type, method, object }))
            .find(({ allowed }) => !allowed);
        return refused ?? { allowed: true, reason: 'no rights to methods are given that the caller lacks' };
    }

    /** What the caller may do with the object, as shown to clients. */
    permissionOf(caller: Caller, object: Subject): Permission {

        if (this.canWrite(caller, object).allowed) {
            return 'WRITE';
        }

        return this.canRead(caller, object).allowed ? 'READ' : 'NONE';
    }

    /** May the caller know that an object does not exist? Yes when objects of no particular type could be read. */
    canReadUnknown(caller: Caller): Decision {

        if (caller.isAdmin) {
            return ADMIN;
        }

        const { system } = this.#rules();
        return this.#listed(caller, 'readers of unknown objects', [...system.defaultAclRead, ...system.defaultAclWrite], null);
    }

    /** May the caller know that there is no object to be changed? Yes when objects of no particular type could be. */
    canWriteUnknown(caller: Caller): Decision {

        return caller.isAdmin ? ADMIN : this.#listed(caller, 'writers of unknown objects', this.#rules().system.defaultAclWrite, null);
    }

    /**
     * The object as the caller may see it. The one place that hides parts of an object from those who may not write it.
     *
     * @param stored what rights depend on, where the code of its type shows another form
     */
    visibleTo(caller: Caller, object: StoredObject, stored: Subject = object): StoredObject {

        return this.#hide && this.hidesFrom(caller, stored) ? this.#hide(object) : object;
    }

    /** Is there anything in the object that {@link visibleTo} may leave out for the caller? */
    hidesFrom(caller: Caller, object: Subject): boolean {

        return this.#hide !== null && !this.canWrite(caller, object).allowed;
    }

    /** What a search needs to know about the caller. */
    readPrincipals(caller: Caller): ReadPrincipals {

        return {
            all: caller.isAdmin,
            entries: ['public', ...(caller.isAuthenticated ? ['authenticated'] : []), ...principalsOf(caller)],
            userId: caller.userId
        };
    }

    /** Is a user or group named in the rules of the service or of a type? */
    isNamedInRules(id: string): boolean {

        const rules = this.#rules();
        const entries = Array.from(rules.entryNames(), (type) => rules.entryOf(type));
        return [rules.system, ...entries].some((defaults) => defaults !== undefined && allEntries(defaults).includes(id));
    }

    /** The rules for objects of a type that have no list of their own. */
    defaultsOf(type: string): AclDefaults {

        return this.#defaults(type);
    }

    #defaults(type: string): AclDefaults {

        const rules = this.#rules();
        return rules.entryOf(type) ?? rules.system;
    }

    #readers({ acl, type }: Subject): readonly string[] {

        return acl?.readers ?? this.#defaults(type).defaultAclRead;
    }

    #writers({ acl, type }: Subject): readonly string[] {

        return acl?.writers ?? this.#defaults(type).defaultAclWrite;
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
                return { allowed: true, reason: `${list} has ${entry}` };
            }
        }

        const who = caller.userId ?? 'an anonymous caller';
        return { allowed: false, reason: `${list}${object ? ` of ${object.id}` : ''} does not admit ${who}` };
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

/** Does one entry of a list admit the caller? Ids are compared byte for byte. */
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

/** The list of an object for one of its methods. */
function methodsOf(acl: Acl | null, method: string): readonly string[] | undefined {

    return acl?.methods && Object.hasOwn(acl.methods, method) ? acl.methods[method] : undefined;
}

function isSameList(one: readonly string[] | undefined, other: readonly string[]): boolean {

    return one?.length === other.length && one.every((entry, index) => entry === other[index]);
}

/** The ids by which ACL entries can name the caller: the caller's own and those of the groups. */
function principalsOf(caller: Caller): ReadonlySet<string> {

    let principals = principalSets.get(caller);
    if (!principals) {
        principals = new Set([caller.userId, ...caller.groupIds].filter(isPrincipal));
        principalSets.set(caller, principals);
    }

    return principals;
}

/** False for the words of a list that stand for a rule. */
export function isPrincipal(id: string | null): id is string {

    return id !== null && !KEYWORDS.has(id);
}

const principalSets = new WeakMap<Caller, ReadonlySet<string>>();
