/**
 * Leases as this process has seen them. One may be taken over when it was not renewed for its whole length, by the monotonic clock of this process,
 * since it was read. No other clock matters: nodes may use servers of a cluster, whose clocks differ, and any clock may be changed. The holder counts
 * the same time by its own monotonic clock, from before it asked for the lease or a renewal, so it has stopped by then.
 */

/** A lease as stored. */
export interface StoredLease {
    /** Id of the job. */
    readonly id: number;
    readonly owner: string;
    /** Grows with each renewal. */
    readonly until: number;
}

interface SeenLease extends StoredLease {
    /** When it was read first, by the monotonic clock. */
    readonly since: number;
}

export class LeaseWatch {

    readonly #now: () => number;
    readonly #seen = new Map<string, readonly SeenLease[]>();

    /** @param now milliseconds of a monotonic clock */
    constructor(now: () => number) {

        this.#now = now;
    }

    /** Takes note of all leases of a kind, which were just read. */
    saw(kind: string, leases: readonly StoredLease[]): void {

        const now = this.#now();
        const known = new Map(this.#seen.get(kind)?.map((lease) => [lease.id, lease]));
        this.#seen.set(kind, leases.map((lease) => {

            const before = known.get(lease.id);
            return before?.owner === lease.owner && before.until === lease.until ? before : { ...lease, since: now };
        }));
    }

    /** Returns the leases of a kind that may be taken over, those that were seen first at the beginning. */
    expired(kind: string, leaseMs: number): StoredLease[] {

        const now = this.#now();
        return (this.#seen.get(kind) ?? []).filter(({ since }) => now - since >= leaseMs).sort((one, other) => one.since - other.since);
    }

    /** Returns the milliseconds until a lease of a kind may be taken over, unless it is renewed; Infinity where there is none. */
    wait(kind: string, leaseMs: number): number {

        const now = this.#now();
        return Math.min(Infinity, ...(this.#seen.get(kind) ?? []).map(({ since }) => since + leaseMs - now));
    }
}
