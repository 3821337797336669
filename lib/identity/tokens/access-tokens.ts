/**
 * Access tokens and sessions: random values of which only hashes are kept. They end when they are not used for a while;
 * uses are noted in memory and written now and then, many at a time, so that a request with a token writes nothing.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database, Step } from '../../../db/database.js';
import type { JsonObject } from '../../util/json-types.js';
import type { AccountStore } from '../../stores/account-store.js';
import type { StoredToken, TokenStore } from '../../stores/token-store.js';
import { digestOf } from './digest.js';
import { EpochCache } from '../../util/cache/epoch-cache.js';

/** Settings. */
export interface TokenOptions {
    /** Milliseconds without use after which a token ends. */
    readonly timeout: number;
    /** Tokens and sessions that a user may have at a time. */
    readonly perUser: number;
    /** The clock, epoch milliseconds. */
    readonly now: () => number;
    readonly log: Logger;
}

/** What a new token is for. */
export interface TokenRequest {
    readonly kind: StoredToken['kind'];
    readonly userId: string;
    /** Epoch ms at which it ends in any case. */
    readonly expiresOn?: number | null;
    /** What an authenticate hook said of the user. */
    readonly facts?: JsonObject | null;
    /** Steps that must succeed with it, such as "the password is still this one". */
    readonly guard?: readonly Step[];
}

/** A new token, in the only moment in which its value is known. */
export interface IssuedToken {
    readonly token: string;
    /** The value that must come with a session's cookie; null for tokens. */
    readonly csrf: string | null;
}

/** When a token was used here, and what of that is written. */
interface Use {
    at: number;
    written: number;
}

const TOKEN_BYTES = 24;

/** Characters of a value that can be one of ours at all; others are not hashed. */
const MAX_VALUE_LENGTH = 256;
const MAX_ENTRIES = 20_000;
const WRITE_EVERY = 30_000;
const STEPS_PER_UNIT = 100;

/** Issues, finds and ends tokens. */
export class AccessTokens {

    readonly #db: Database;
    readonly #store: TokenStore;
    readonly #accounts: AccountStore;
    readonly #options: TokenOptions;
    readonly #known = new EpochCache<StoredToken>(MAX_ENTRIES);
    readonly #uses = new Map<string, Use>();
    readonly #writeEvery: number;
    /** Other nodes write the uses that they see a little later; nobody is sent away on their account. */
    readonly #grace: number;
    #timer: NodeJS.Timeout | undefined;
    #writing: Promise<void> = Promise.resolve();

    constructor(parts: { db: Database; tokens: TokenStore; accounts: AccountStore }, options: TokenOptions) {

        this.#db = parts.db;
        this.#store = parts.tokens;
        this.#accounts = parts.accounts;
        this.#options = options;
        this.#writeEvery = Math.min(WRITE_EVERY, Math.ceil(options.timeout / 10));
        this.#grace = parts.db.dialect === 'mysql' ? 2 * this.#writeEvery : 0;
    }

    /** Begins to write uses. */
    start(): void {

        this.#timer ??= setInterval(() => {

            this.#writing = this.#writing.then(() => this.#tryToWrite());
        }, this.#writeEvery).unref();
    }

    /** Writes what is to be written and ends the work in the background. */
    async close(): Promise<void> {

        clearInterval(this.#timer);
        this.#timer = undefined;
        await this.#writing;
        await this.#tryToWrite();
    }

    /** Removes some tokens that have ended for certain; resolves to how many. */
    sweep(): Promise<number> {

        return this.#store.sweep(this.#options.now() - this.#options.timeout - this.#grace - 2 * this.#writeEvery);
    }

    /**
     * Makes a token; null when one of the steps of its guard did not succeed. Where a user has more than allowed by it, those end
     * that were used longest ago.
     */
    async issue({ kind, userId, expiresOn = null, facts = null, guard = [] }: TokenRequest): Promise<IssuedToken | null> {

        const token = randomValue();
        const csrf = kind === 'session' ? randomValue() : null;
        const now = this.#options.now();
        const stored: StoredToken = {
            hash: digestOf(token), kind, userId, csrf: csrf === null ? null : digestOf(csrf),
            createdOn: now, lastUsed: now, expiresOn, facts
        };
        const result = await this.#db.commit({ steps: [...guard, ...this.#store.insertSteps(stored)], essential: true });
        if (!result.ok) {
            return null;
        }

        await this.#endSurplus(userId);
        return { token, csrf };
    }

    /**
     * The same as {@link find} as far as memory knows it for certain, at once; null when it has to be looked for.
     *
     * @param epoch of identity, read before this call
     */
    recall(value: string, epoch: number): StoredToken | null {

        const token = value.length > MAX_VALUE_LENGTH ? undefined : this.#known.get(digestOf(value), epoch);
        if (!token || this.#hasEnded(token)) {
            return null;
        }

        this.#touch(token);
        return token;
    }

    /**
     * The token of a value, if it has not ended; finding it counts as use.
     *
     * @param epoch of identity, read before this call
     */
    async find(value: string, epoch: number): Promise<StoredToken | null> {

        if (value.length > MAX_VALUE_LENGTH) {
            return null;
        }

        const hash = digestOf(value);
        let token = this.#known.get(hash, epoch) ?? await this.#load(hash, epoch);
        if (token && this.#hasEnded(token) && this.#grace > 0) {
            // It may have been used through another node.
            token = await this.#load(hash, epoch);
        }

        if (!token || this.#hasEnded(token)) {
            this.#known.delete(hash);
            return null;
        }

        this.#touch(token);
        return token;
    }

    /** Ends a token; resolves to false when there was none. */
    async revoke(value: string): Promise<boolean> {

        const [remove] = value.length > MAX_VALUE_LENGTH ? [] : this.#store.removeSteps(digestOf(value));
        if (!remove) {
            return false;
        }

        const expected = { ...remove, expect: { rows: 1, otherwise: 'unknown' } };
        const result = await this.#db.commit({ steps: [expected, this.#accounts.bumpStep()], essential: true });
        return result.ok;
    }

    /** Steps that end all tokens of a user, on every node. */
    revokeAllSteps(userId: string): Step[] {

        return [...this.#store.removeOfUserSteps(userId), this.#accounts.bumpStep()];
    }

    /** Looks when the new token is there: of many that are made at once the last one sees them all. */
    async #endSurplus(userId: string): Promise<void> {

        const hashes = await this.#store.surplusOf(userId, this.#options.perUser);
        if (hashes.length > 0) {
            await this.#db.commit({ steps: [...this.#store.removeAllSteps(hashes), this.#accounts.bumpStep()], essential: true });
        }
    }

    #load(hash: string, epoch: number): Promise<StoredToken | null> {

        return this.#known.load(hash, epoch, () => this.#store.get(hash));
    }

    #hasEnded({ hash, lastUsed, expiresOn }: StoredToken): boolean {

        const { now, timeout } = this.#options;
        const last = Math.max(lastUsed, this.#uses.get(hash)?.at ?? 0);
        return now() >= last + timeout + this.#grace || expiresOn !== null && now() >= expiresOn;
    }

    #touch({ hash, lastUsed }: StoredToken): void {

        const at = this.#options.now();
        const use = this.#uses.get(hash);
        if (use) {
            use.at = at;
        }
        else {
            this.#uses.set(hash, { at, written: lastUsed });
        }
    }

    /** Errors are for the log: nobody waits for this, and the next round makes up for it. */
    async #tryToWrite(): Promise<void> {

        try {
            await this.#writeUses();
        }
        catch (error) {
            this.#options.log.error({ err: error }, 'uses of access tokens could not be written');
        }
    }

    async #writeUses(): Promise<void> {

        const ended = this.#options.now() - this.#options.timeout - this.#grace;
        const fresh: [hash: string, use: Use, at: number][] = [];
        for (const [hash, use] of this.#uses) {
            if (use.at > use.written) {
                fresh.push([hash, use, use.at]);
            }
            else if (use.at < ended) {
                this.#uses.delete(hash);
            }
        }

        // In one order on all nodes, so that their units do not lock each other out.
        fresh.sort(([one], [two]) => (one < two ? -1 : 1));
        for (let i = 0; i < fresh.length; i += STEPS_PER_UNIT) {
            const part = fresh.slice(i, i + STEPS_PER_UNIT);
            await this.#db.commit({ steps: part.flatMap(([hash, , at]) => this.#store.touchSteps(hash, at)), essential: true });
            for (const [, use, at] of part) {
                use.written = at;
            }
        }
    }
}

/** Is this the value that belongs to a session? */
export function isCsrfOf(token: StoredToken, csrf: string): boolean {

    const expected = Buffer.from(token.csrf ?? '');
    const given = Buffer.from(digestOf(csrf));
    return expected.length === given.length && timingSafeEqual(expected, given);
}

/** 192 random bits without a dot, by which tokens are told from signed assertions. */
function randomValue(): string {

    return randomBytes(TOKEN_BYTES).toString('base64url');
}
