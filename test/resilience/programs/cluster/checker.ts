/**
 * What the clients of an installation know: each write with its outcome, and whether each read, with the interval in which it was made, agrees with it.
 * A write without an answer may have been made or not, until a read has seen it.
 */

/**
 * `lost`: what was acknowledged is not there, or was replaced by a change of an older version; `stale`: a read shows what had been replaced before it began;
 * `leaked`: a read was allowed after the right had been taken away; `duplicate`: two objects for one name or id; `half-visible`: wrong bytes;
 * `unsearchable`: a search misses an object, or finds one that is not there; `contradicted`: a change that was rejected was made;
 * `unexpected`: an answer that no fault explains, such as 500; `stuck`: the installation did not recover.
 */
export const KINDS = ['lost', 'stale', 'leaked', 'duplicate', 'half-visible', 'unsearchable', 'contradicted', 'unexpected', 'stuck'] as const;

export type Kind = typeof KINDS[number];

/** Something that must not be. */
export interface Finding {
    readonly kind: Kind;
    readonly text: string;
    /** Milliseconds since the epoch. */
    readonly on: number;
}

/** Findings that are printed when they are made. */
const MAX_PRINTED = 30;

/** What the object is after a write. */
export interface State {
    /** What the write has left: a text that no other write leaves, or null for no object. */
    readonly value: string | null;
    /** When the write began, in milliseconds of `performance.now()`. */
    readonly begun: number;
    /** From when on it is certain that the write was made; Infinity as long as it is not. */
    certain: number;
}

/** The register of one object, which one client changes, one change after the other, and all may read. */
export class Register {

    readonly id: string;
    /** Not changed any more, since a write that is not conditional may still be made. */
    isGivenUp = false;
    /** The version that the next change is based on. */
    etag: string | null = null;
    readonly #checker: Checker;
    readonly #staleness: (value: string | null) => Kind;
    readonly #rejected = new Set<string | null>();
    #states: State[] = [{ value: null, begun: -Infinity, certain: -Infinity }];
    #current: State = this.#states[0] as State;

    /** @param staleness the kind of finding when a read shows a value that was replaced */
    constructor(id: string, checker: Checker, staleness: (value: string | null) => Kind = () => 'stale') {

        this.id = id;
        this.#checker = checker;
        this.#staleness = staleness;
    }

    /** What the client who changes it believes. */
    get value(): string | null {

        return this.#current.value;
    }

    /** True where a write without an answer may have been made. */
    get isUncertain(): boolean {

        return this.#states.at(-1)?.certain === Infinity;
    }

    /** Values that a read that begins now may show. */
    get possible(): readonly (string | null)[] {

        return this.#states.slice(this.#states.findLastIndex(({ certain }) => certain < Infinity)).map(({ value }) => value);
    }

    /** Records that a write begins. */
    begin(value: string | null): State {

        const state = { value, begun: performance.now(), certain: Infinity };
        this.#states.push(state);
        return state;
    }

    /** Records that it was acknowledged. It was based on the current version, so none in between can have been made. */
    acknowledge(state: State, etag: string | null): void {

        const between = this.#states.slice(this.#states.indexOf(this.#current) + 1, this.#states.indexOf(state));
        for (const { value } of between.filter(({ certain }) => certain < Infinity)) {
            this.#checker.find('lost', `${this.id}: ${value} was replaced by ${state.value}, which was based on ${this.#current.value}`);
        }

        state.certain = Math.min(state.certain, performance.now());
        [this.#current, this.etag] = [state, etag];
        // Reads that have begun before may still be in progress, so that some former states are needed.
        this.#states = this.#states.slice(-20);
    }

    /** Records that it was rejected, so that it never is made. */
    reject(state: State): void {

        if (state.certain < Infinity) {
            this.#checker.find('contradicted', `${this.id}: ${state.value} was rejected, and made`);
            return;
        }

        this.#rejected.add(state.value);
        this.#states = this.#states.filter((each) => each !== state);
    }

    /** Checks what a read shows that began at a time. Returns the state, null where it shows none that can be. */
    read(value: string | null, from: number, by: string): State | null {

        const now = performance.now();
        const first = this.#states.findLastIndex(({ certain }) => certain < from);
        const shown = this.#states.findIndex((state, index) => index >= first && state.value === value && state.begun <= now);
        if (shown === -1) {
            const isFormer = this.#states.some((state) => state.value === value) || value === null;
            const kind = isFormer ? this.#staleness(value) : this.#rejected.has(value) ? 'contradicted' : 'lost';
            this.#checker.find(kind, `${this.id} is ${value} at ${by}, but may be ${this.#states.slice(first).map((state) => state.value).join()}`);
            return null;
        }

        const state = this.#states[shown] as State;
        if (this.#states.filter((each, index) => index >= first && each.value === value).length === 1) {
            state.certain = Math.min(state.certain, now);
        }

        return state;
    }

    /** Goes on from what the client who changes it has read. */
    settle(state: State, etag: string | null): void {

        [this.#current, this.etag] = [state, etag];
    }
}

/** All registers, and what was found. */
export class Checker {

    readonly registers = new Map<string, Register>();
    readonly findings: Finding[] = [];
    /** Acknowledged writes. */
    writes = 0;
    /** Reads that were answered. */
    reads = 0;
    searches = 0;
    /** Names and ids for which several clients have raced. */
    races = 0;
    readonly #isQuiet: boolean;

    /** @param options `isQuiet` to print no findings when they are made */
    constructor({ isQuiet = false } = {}) {

        this.#isQuiet = isQuiet;
    }

    register(id: string): Register {

        const register = new Register(id, this);
        this.registers.set(id, register);
        return register;
    }

    find(kind: Kind, text: string): void {

        this.findings.push({ kind, text, on: Date.now() });
        if (!this.#isQuiet && this.findings.length <= MAX_PRINTED) {
            console.log(`${new Date().toISOString()} ${kind.toUpperCase()}: ${text}`);
        }
    }

    counts(): Record<Kind, number> {

        return Object.fromEntries(KINDS.map((kind) => [kind, this.findings.filter((finding) => finding.kind === kind).length])) as Record<Kind, number>;
    }
}
