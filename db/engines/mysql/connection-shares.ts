/** How a process that writes and others that only read share the connections to a server. */

/** The process that writes has at least as many: two transactions with shared units, and a read beside them. */
const MIN_PRIMARY = 3;

/** Numbers of connections: of the process that writes, and of each that reads. */
export interface ConnectionShares {
    readonly primary: number;
    readonly reader: number;
}

/**
 * Divides a number of connections. A process that reads has one at least, and otherwise half as many as the one that writes, so that all together
 * exceed the number only where it is less than `readers` + 3.
 */
export function splitConnections(connections: number, readers: number): ConnectionShares {

    if (readers === 0) {
        return { primary: connections, reader: 0 };
    }

    const reader = Math.max(1, Math.floor(connections / (readers + 2)));
    return { primary: Math.max(Math.min(connections, MIN_PRIMARY), connections - readers * reader), reader };
}
