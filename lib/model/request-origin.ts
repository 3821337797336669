/**
 * The request on which a caller acts, as the audit log names it.
 */

/** Where a request came from, and what it has changed. */
export interface RequestOrigin {
    readonly operationId: string;
    /** IP address of the client; empty for calls from the same process. */
    readonly address: string;
    /** `rest`, `doip-http`, `doip`, `internal` … */
    readonly protocol: string;
    /** Request id of the protocol, as in the log of requests; null if it has none. */
    readonly requestId: string | null;
    /** Number of changes of objects that were stored for it. */
    changes: number;
}
