/**
 * Access of a caller, in terms of the index.
 */


/** What the access filter has to know about a caller and the rules. Plain data, passed between threads. */
export interface SearchAccess {
    /** True for access to everything. */
    readonly all: boolean;
    /** Entries of access control lists that admit the caller. */
    readonly entries: readonly string[];
    readonly userId: string | null;
    /** Applies to types that are not in `types`. */
    readonly defaults: TypeAccess;
    readonly types: readonly (readonly [type: string, access: TypeAccess])[];
    /** The only types whose objects can be found; absent for all. */
    readonly onlyTypes?: readonly string[];
}

/** Default access control lists of a type, evaluated for the caller. */
export interface TypeAccess {
    readonly read: Admission;
    readonly write: Admission;
    /** Null: access to the object includes its payloads. */
    readonly payload: Admission | null;
    /** Who finds objects that they may read; null for all callers. */
    readonly search: SearchAdmission | null;
}

/** What the entries of a list grant the caller. */
export interface Admission {
    /** Access to any object. */
    readonly caller: boolean;
    /** Access to objects created by the caller. */
    readonly creator: boolean;
    /** Access to the object of the caller. */
    readonly self: boolean;
}

/** Who finds objects of a type in searches. */
export interface SearchAdmission extends Admission {
    /** Callers with write access find the object. */
    readonly writers: boolean;
}
