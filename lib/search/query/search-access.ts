/**
 * What a caller may find, as terms of the index.
 */


/** What has to be known of a caller and the rules. Plain data that crosses threads. */
export interface SearchAccess {
    /** True when nothing has to be left out. */
    readonly all: boolean;
    /** Entries that admit the caller. */
    readonly entries: readonly string[];
    readonly userId: string | null;
    /** For types that are not in `types`. */
    readonly defaults: TypeAccess;
    readonly types: readonly (readonly [type: string, access: TypeAccess])[];
}

/** The lists of a type. */
export interface TypeAccess {
    readonly read: Admission;
    readonly write: Admission;
    /** Null: elements are for those who may read. */
    readonly payload: Admission | null;
    /** Who finds objects that they may read; null: everybody. */
    readonly search: SearchAdmission | null;
}

/** Whom the entries of a list admit, as the caller is concerned. */
export interface Admission {
    /** The caller, to any object. */
    readonly caller: boolean;
    /** The caller, to objects made by the caller. */
    readonly creator: boolean;
    /** The caller, to the object of the caller. */
    readonly self: boolean;
}

/** Who finds objects of a type by searching. */
export interface SearchAdmission extends Admission {
    /** Whoever may write an object. */
    readonly writers: boolean;
}
