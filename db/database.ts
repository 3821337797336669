/**
 * What stores know of a database: prepared reads, and units of writes that are data.
 *
 * A unit holds no code, so the same value runs on the SQLite writer thread and on a pooled MySQL connection, and can be
 * repeated after a deadlock. Nobody ever holds a transaction open while user code runs.
 */

/** What can be bound to a statement. Booleans are stored as 0 and 1 by the stores. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** A statement built once (by knex) and kept prepared by the database; values go in at `?`. */
export interface Statement {
    readonly sql: string;
}

/** One write of a unit. */
export interface Step {
    readonly sql: string;
    readonly bindings: readonly SqlValue[];
    /** Number of rows that must be matched; any other number undoes the whole unit with `failed` = `otherwise`. */
    readonly expect?: { readonly rows: number; readonly otherwise: string };
    /** Given to the caller as `failed` when a unique key refuses the row; without it a duplicate is an error. */
    readonly duplicate?: string;
}

/**
 * What must hold for a unit that is written on a server which others write to as well: a number that is read before everything
 * else, and that nobody can change until the unit is written, must be below that of the unit. Units in a common transaction share
 * the look. Databases of one process do not look.
 */
export interface Precondition {
    /** Gives one row with one number, `floor`, and locks it against changes. Without the row nothing is written. */
    readonly statement: Statement;
    readonly bindings: readonly SqlValue[];
    readonly number: number;
    /** What the unit fails with. */
    readonly otherwise: string;
}

/** Steps that are written together or not at all, in this order. */
export interface Unit {
    readonly steps: readonly Step[];
    readonly guard?: Precondition;
    /**
     * True when nobody wants to know what its single steps did: then it may be written in one transaction, and its rows by one
     * statement, with those of other such units, and the result may be without `steps`. Units on their way at the same time must
     * come out the same in any order, but for rows whose steps say what is to happen then (`expect`, `duplicate`).
     */
    readonly shared?: boolean;
    /**
     * True for a unit of one step that may be written twice without harm. On a server it is a transaction by itself, so that a process
     * which stops in the middle leaves no lock behind, and it is repeated also when the connection was lost and its outcome is not known.
     */
    readonly isRepeatable?: boolean;
    /**
     * True for what takes little room or gives some back: it is written also when the disk has no more than what must stay free.
     */
    readonly essential?: boolean;
}

/** What became of a unit. When `ok`, it is on disk. */
export type CommitResult =
    | { readonly ok: true; readonly steps: readonly StepResult[] }
    | { readonly ok: false; readonly failed: string };

export interface StepResult {
    /** Rows matched. */
    readonly rows: number;
    /** The number given by an auto-increment column, else 0. */
    readonly insertId: number;
}

export type Dialect = 'sqlite' | 'mysql';

/** A row as the driver returns it: ids and text as strings, integers as numbers, bytes as Buffer, null. */
export type Row = Record<string, SqlValue>;

/** An open database. */
export interface Database {
    readonly dialect: Dialect;

    /**
     * Grows with every unit whose outcome this process has been told; what was read at the same revision is still true. Null
     * where others may write too, so that nothing can be said without asking.
     */
    readonly revision: number | null;

    /**
     * Reads rows. On SQLite it is synchronous underneath and must stay short: a bounded number of rows by an index.
     * Sees everything that was committed before the call.
     */
    read<R extends object = Row>(statement: Statement, bindings: readonly SqlValue[]): Promise<R[]>;

    /**
     * Writes a unit atomically. Resolves when it is durable. Units given in the same moment may share one commit, yet
     * each fails on its own. Deadlocks and lost connections before the commit are retried within.
     */
    commit(unit: Unit): Promise<CommitResult>;

    /** The bytes of elements live beside the rows; on SQLite in a file of their own with a writer of its own. */
    readonly blobs: BlobDatabase;

    /** Applies migrations, up to the newest. */
    migrate(): Promise<void>;

    /**
     * Rejects when the database does not answer.
     *
     * @param patience milliseconds that an answer may take; default 5000
     */
    ping(patience?: number): Promise<void>;

    /** What keeps a database that answers from doing all that it should; absent where its server knows alone. Never rejects. */
    trouble?(): Promise<DatabaseTrouble | null>;

    /** Whether so many bytes more, by default as many as must stay free, can be stored; absent where its server knows alone. */
    hasRoomFor?(bytes?: number): boolean;

    /** Lets running work end and closes everything. */
    close(): Promise<void>;
}

/** `full`: nothing can be stored until there is room; `damaged`: a part of what was stored cannot be read. */
export type DatabaseTrouble = 'full' | 'damaged';

/** Chunked bytes, by blob id. */
export interface BlobDatabase {
    /**
     * Writes one chunk. Durable only together with a later {@link seal}. The caller lends the bytes and must not use them any
     * more; what comes back is memory of the same length that it may fill again, so that a long body makes no garbage.
     */
    writeChunk(blobId: number, index: number, bytes: Uint8Array): Promise<Uint8Array>;

    /** Makes every chunk written so far to this blob durable. */
    seal(blobId: number): Promise<void>;

    /** Reads one chunk; null when it is not there. */
    readChunk(blobId: number, index: number): Promise<Buffer | null>;

    /** Deletes up to `limit` chunks of a blob; resolves to the number deleted, 0 when none is left. */
    deleteChunks(blobId: number, limit: number): Promise<number>;

    /** Blob ids that have chunks, from `after` on in ascending order, at most `limit`; for the sweeper. */
    listBlobs(after: number, limit: number): Promise<number[]>;
}
