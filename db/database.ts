/**
 * Interface of the databases: prepared reads, and units of writes that are data.
 *
 * A unit holds no code, so the same value runs on the SQLite writer thread and on a pooled MySQL connection, and can be retried
 * after a deadlock. No transaction is ever open while user code runs.
 */

/** Value that can be bound to a statement. Stores write booleans as 0 and 1. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** A statement that is built once (by knex) and kept prepared by the database; values are bound to `?`. */
export interface Statement {
    readonly sql: string;
}

/** One write of a unit. */
export interface Step {
    readonly sql: string;
    readonly bindings: readonly SqlValue[];
    /** Number of rows that must match; any other number rolls the unit back with `failed` = `otherwise`. */
    readonly expect?: { readonly rows: number; readonly otherwise: string };
    /** Reported as `failed` on a duplicate key; without it a duplicate is an error. */
    readonly duplicate?: string;
    /**
     * Positions of bindings that are amounts to be added: steps of several units that differ in these alone may be written as one, with
     * the sums, if all of them succeed.
     */
    readonly sums?: readonly number[];
}

/**
 * Precondition of a unit on a server with several writers: its number must be above a number (the floor) in a row, and its epoch not below one
 * (the fence), from the check until the unit is written. The check changes the row, because that is what all servers exclude each other by:
 * clusters such as Galera and TiDB share no locks for reading. Each of the {@link SLOTS} has a row of its own, so that transactions of a process
 * do not wait for each other. Units of one epoch in one transaction share the check, with the lowest of their numbers. Embedded databases
 * ignore it.
 */
export interface Precondition {
    /** Changes the row of a slot if its floor and fence permit the unit. Unless it matches one row, nothing is written. */
    readonly statement: Statement;
    /** Bindings for each slot. */
    readonly slots: readonly (readonly SqlValue[])[];
    readonly number: number;
    readonly epoch: number;
    /** `failed` of a unit that is rejected. */
    readonly otherwise: string;
}

/** Maximum number of transactions with shared units that run at a time: while one waits for the disk, the next is sent. */
export const SLOTS = 2;

/** Steps that are written atomically, in this order. */
export interface Unit {
    readonly steps: readonly Step[];
    readonly precondition?: Precondition;
    /**
     * True when the results of the single steps are not needed: the unit may then share a transaction, and statements for its rows,
     * with other such units, and the result may lack `steps`. Concurrent units must commute, except for rows whose steps have
     * `expect` or `duplicate`.
     */
    readonly shared?: boolean;
    /**
     * True for an idempotent unit of one step. On a server it runs in autocommit, so that a process which stops in the middle leaves
     * no lock behind, and it is also retried when the connection was lost and the outcome is unknown.
     */
    readonly isRepeatable?: boolean;
    /** True for units that need little space or free some: they are written even if only the reserved disk space is left. */
    readonly essential?: boolean;
}

/** Result of a unit. When `ok`, it is durable. */
export type CommitResult =
    | { readonly ok: true; readonly steps: readonly StepResult[] }
    | { readonly ok: false; readonly failed: string };

/** Result of one step. */
export interface StepResult {
    /** Number of matching rows. */
    readonly rows: number;
    /** Value of an auto-increment column, else 0. */
    readonly insertId: number;
}

export type Dialect = 'sqlite' | 'mysql';

/** A row as the driver returns it: ids and text as strings, integers as numbers, bytes as Buffer, null. */
export type Row = Record<string, SqlValue>;

/** An open database. */
export interface Database {
    readonly dialect: Dialect;

    /**
     * Increases with every unit whose outcome was reported; what was read at the same revision is still valid. Null where other
     * processes may write, so that nothing is known without a read.
     */
    readonly revision: number | null;

    /**
     * Reads rows. On SQLite the read is synchronous and must stay short: a bounded number of rows by an index. Sees everything that
     * was committed before the call.
     */
    read<R extends object = Row>(statement: Statement, bindings: readonly SqlValue[]): Promise<R[]>;

    /**
     * Writes a unit atomically. Resolves when it is durable. Units of the same turn may share one commit, but fail separately.
     * Deadlocks, and connections lost before the commit, are retried.
     *
     * @throws DatabaseError
     */
    commit(unit: Unit): Promise<CommitResult>;

    /** Bytes of elements; on SQLite in a file with a writer thread of its own. */
    readonly blobs: BlobDatabase;

    /** Applies all migrations that are missing. */
    migrate(): Promise<void>;

    /**
     * Returns the time (epoch ms) by the clock of the server, or of this machine for an embedded database. Nodes use it for what they compare with
     * each other, such as leases, as their own clocks may differ. It never waits: the clock is read by {@link ping}.
     */
    now(): number;

    /**
     * Rejects when the database does not answer.
     *
     * @param timeoutMs timeout in milliseconds; default 5000
     */
    ping(timeoutMs?: number): Promise<void>;

    /** Returns what impairs a database that answers; absent in processes that do not write. Never rejects. */
    condition?(): Promise<DatabaseCondition | null>;

    /** Returns whether this number of bytes can be stored, by default as many as are reserved; absent where only the server knows. */
    hasSpaceFor?(bytes?: number): boolean;

    /**
     * Called when a write lacks disk space, with a function that removes what is no longer needed; the write is then tried once more.
     * Absent where only the server knows.
     */
    useSpaceMaker?(makeSpace: () => Promise<unknown>): void;

    /** Returns its current load; reads counters only. */
    usage(): DatabaseUsage;

    /** Returns the bytes that it takes on its disk; on a server an estimate. */
    size(): Promise<number>;

    /** Waits for running work and closes all connections. */
    close(): Promise<void>;
}

/** Current load of a database. */
export interface DatabaseUsage {
    readonly writers: readonly WriterUsage[];
    /** Connections to a server; null for an embedded database. */
    readonly pool: PoolUsage | null;
    /** The disk of an embedded database, in bytes: what is free, and what is to be kept free; null where only the server knows. */
    readonly disk: { readonly free: number; readonly reserved: number } | null;
}

/** Units of one writer: waiting for a transaction, and in one. */
export interface WriterUsage {
    readonly writer: WriterName;
    readonly waiting: number;
    readonly running: number;
}

export interface PoolUsage {
    readonly busy: number;
    readonly idle: number;
    /** Maximum number of connections. */
    readonly limit: number;
    /** Requests that wait for a connection. */
    readonly waiting: number;
}

/** `rows` writes everything but the bytes of elements, which an embedded database has in a file of their own: `blobs`. */
export type WriterName = 'rows' | 'blobs';

/** Called after each transaction of a writer with its time in seconds, and the number of its units. */
export type CommitObserver = (writer: WriterName, seconds: number, units: number) => void;

/**
 * `full`: nothing can be stored until there is disk space; `stalled`: a server answers, but completes no writes; `damaged`: a part of what was stored
 * cannot be read.
 */
export type DatabaseCondition = 'full' | 'stalled' | 'damaged';

/** Some bytes of a chunk: 0-based start, and number. */
export interface ChunkPart {
    readonly start: number;
    readonly length: number;
}

/** Some chunks of a blob. */
export interface ChunkTotals {
    readonly chunks: number;
    readonly bytes: number;
}

/** Chunks of bytes, by blob id. */
export interface BlobDatabase {
    /** True where a read blocks the thread until it has ended, so that to begin it earlier saves nothing. */
    readonly readsAtOnce: boolean;

    /**
     * Writes one chunk, which becomes durable by a later {@link seal}. Takes ownership of the bytes; the returned memory of the
     * same length may be used for the next chunk, so that a long body produces no garbage.
     */
    writeChunk(blobId: number, index: number, bytes: Uint8Array): Promise<Uint8Array>;

    /** Makes all chunks written to this blob durable. */
    seal(blobId: number): Promise<void>;

    /** Reads one chunk, which is the caller's from then on; null when it does not exist. */
    readChunk(blobId: number, index: number): Promise<Buffer | null>;

    /** Reads some bytes of one chunk, from `start` (0-based), which are the caller's, and the size of the whole chunk; null when it does not exist. */
    readPart(blobId: number, index: number, part: ChunkPart): Promise<{ readonly size: number; readonly bytes: Buffer } | null>;

    /** Counts the chunks of a blob from one number to another (exclusive), and their bytes. */
    measureChunks(blobId: number, from: number, to: number): Promise<ChunkTotals>;

    /**
     * Deletes up to `limit` chunks of a blob; resolves to the number deleted, 0 when none is left.
     *
     * @param movedTo the database deletes none unless the row of the blob names this store: another process may have moved it back
     */
    deleteChunks(blobId: number, limit: number, movedTo?: string): Promise<number>;

    /** Returns up to `limit` ids of blobs with chunks, ascending from `after` (exclusive); for the sweeper. */
    listBlobs(after: number, limit: number): Promise<number[]>;
}
