/**
 * Ids of users and groups named in access control lists. Permissions given to one principal must not pass to another one with
 * the same id. All ids that were ever named are recorded; only the administrator, or the only user who has named it, may give
 * such an id to a new user or group.
 */

import type { Logger } from 'pino';
import { growingCache } from '../../util/cache/growing-cache.js';
import type { Database, Step } from '../../../db/database.js';
import { conflict } from '../../errors/errors.js';
import { ForPrimary } from '../../errors/for-primary.js';
import type { Acl } from '../../doip/digital-object.js';
import type { ObjectChange } from '../../model/write-participant.js';
import { ID_RESERVED } from '../../model/write-participant.js';
import type { AccountStore } from '../../stores/account-store.js';
import type { PrincipalStore } from '../../stores/principal-store.js';
import type { Caller } from '../../model/caller.js';
import { ADMIN_ID, ANONYMOUS_AUTHOR, isUnrestrictedAdmin } from '../../model/caller.js';
import type { Policy } from '../access/access-policy.js';
import { isPrincipal } from '../access/access-policy.js';

/** Maximum number of cached records that are certainly in the database. */
const MAX_ENTRIES = 20_000;

/** Number of ids that are looked up at once. */
const BATCH_SIZE = 256;

/** Records named principals, and reserves their ids. */
export class Principals {

    readonly #db: Database;
    readonly #store: PrincipalStore;
    readonly #accounts: AccountStore;
    readonly #policy: Pick<Policy, 'isNamedInRules'>;
    readonly #log: Logger;
    readonly #reserved: readonly string[];
    readonly #isReadOnly: boolean;
    /** Records already written. They are never removed, so that the cache cannot be stale unless the database loses them. */
    readonly #recorded = growingCache<string, true>(MAX_ENTRIES);

    /**
     * @param parts with `isReadOnly` in a process that cannot write
     * @param reserved prefixes of ids that belong to the users of login providers, each with a slash at its end
     */
    constructor(
        parts: {
            db: Database; principals: PrincipalStore; accounts: AccountStore; policy: Pick<Policy, 'isNamedInRules'>; log: Logger;
            isReadOnly?: boolean | undefined;
        },
        reserved: readonly string[] = []
    ) {

        this.#db = parts.db;
        this.#store = parts.principals;
        this.#accounts = parts.accounts;
        this.#policy = parts.policy;
        this.#log = parts.log;
        this.#reserved = reserved;
        this.#isReadOnly = parts.isReadOnly === true;
    }

    /** Forgets which records are in the database, which may have lost some. */
    forget(): void {

        this.#recorded.clear();
    }

    /**
     * Returns the steps for an object that becomes a user or group, or ceases to be one.
     *
     * @throws DoipError 409 for an id that others have named, unless the caller is the administrator
     */
    async accountSteps({ id, wasAccount, isAccount, caller }: { id: string; wasAccount: boolean; isAccount: boolean; caller: Caller }): Promise<Step[]> {

        if (wasAccount === isAccount) {
            return [];
        }

        const { userId } = caller;
        if (!isAccount) {
            return this.#store.releaseSteps(id, userId ?? '');
        }

        if (!isUnrestrictedAdmin(caller) && (this.isOfProvider(id) || await this.#isReservedByOthers(id, userId))) {
            throw conflict(`the id ${id} stands for another user or group: only an administrator can give it to this one`, { reason: ID_RESERVED });
        }

        return this.#store.holdSteps(id, userId ?? ANONYMOUS_AUTHOR, userId);
    }

    /** True for ids that belong to the users of a login provider, whether they have logged in or not. */
    isOfProvider(id: string): boolean {

        return this.#reserved.some((prefix) => id.startsWith(prefix));
    }

    /**
     * Records that the ids of the users of login providers are theirs. An object with such an id that somebody has made before the provider was
     * configured counts only if it was the administrator. To be called at the start.
     */
    async reserve(): Promise<void> {

        const taken: string[] = [];
        for (const prefix of this.#reserved) {
            if (await this.#store.hasOwnBelow(prefix)) {
                taken.push(prefix);
            }
        }

        if (taken.length === 0) {
            return;
        }

        try {
            const steps = taken.flatMap((prefix) => this.#store.externalBelowSteps(prefix));
            await this.#db.commit({ steps: [...steps, this.#accounts.bumpStep()], essential: true });
        }
        catch (error) {
            // On a full disk, for example, where the service starts all the same: the login of the person records the id.
            this.#log.warn({ event: 'identity.principals-failed', err: error }, 'failed to store ids of login providers');
        }
    }

    /** Returns the steps that record the principals named by a change: in the access control list, and as author. */
    namingSteps(change: ObjectChange): Step[] {

        const { userId } = change.caller;
        return this.#newNames(change).flatMap((id) => this.#store.nameSteps(id, userId));
    }

    /** Caches the records of a committed change. */
    committed(change: ObjectChange): void {

        for (const id of this.#newNames(change)) {
            this.#recorded.set(recordKey(id, change.caller.userId), true);
        }
    }

    /**
     * Records ids that an authentication hook gives to a user and to groups without objects. A group object with such an id
     * counts only if the administrator created it.
     *
     * @throws ForPrimary in a process that cannot write, for ids that are not recorded
     */
    async recordExternal(userId: string | null, groupIds: readonly string[]): Promise<void> {

        const ids = [...userId === null ? [] : [userId], ...groupIds].filter((id) => isPrincipal(id) && !this.#recorded.has(externalKey(id)));
        if (ids.length === 0) {
            return;
        }

        if (this.#isReadOnly) {
            await this.#findRecorded(ids);
            return;
        }

        try {
            const steps = ids.toSorted().flatMap((id) => this.#store.externalSteps(id));
            await this.#db.commit({ steps: [...steps, this.#accounts.bumpStep()] });
            ids.forEach((id) => this.#recorded.set(externalKey(id), true));
        }
        catch (error) {
            // While nothing can be written no id can be taken either: the login goes on, and the next one retries.
            this.#log.warn({ event: 'identity.principals-failed', err: error }, 'failed to store ids from the authenticate hook');
        }
    }

    /** @throws ForPrimary unless all ids are recorded */
    async #findRecorded(ids: readonly string[]): Promise<void> {

        for (let start = 0; start < ids.length; start += BATCH_SIZE) {
            (await this.#store.externalOf(ids.slice(start, start + BATCH_SIZE))).forEach((id) => this.#recorded.set(externalKey(id), true));
        }

        if (!ids.every((id) => this.#recorded.has(externalKey(id)))) {
            throw new ForPrimary();
        }
    }

    async #isReservedByOthers(id: string, userId: string | null): Promise<boolean> {

        const principal = await this.#store.get(id);
        const isFree = principal === null || principal.owner !== null && principal.owner === userId;
        return !isFree || this.#policy.isNamedInRules(id) || await this.#store.isNamedByOthers(id, userId);
    }

    #newNames({ before, after, caller }: ObjectChange): string[] {

        if (!after) {
            return [];
        }

        const author = before?.metadata.createdBy === after.metadata.createdBy ? [] : [after.metadata.createdBy];
        const entries = before?.acl === after.acl ? [] : entriesOf(after.acl);
        if (author.length === 0 && entries.length === 0) {
            return [];
        }

        const former = new Set(entriesOf(before?.acl ?? null));
        const names = [...author, ...entries.filter((entry) => !former.has(entry))];
        return [...new Set(names)].filter((id) => id !== ADMIN_ID && isPrincipal(id) && !this.#recorded.has(recordKey(id, caller.userId))).sort();
    }
}

function entriesOf(acl: Acl | null): string[] {

    return [...acl?.readers ?? [], ...acl?.writers ?? [], ...acl?.payloadReaders ?? [], ...Object.values(acl?.methods ?? {}).flat()];
}

function recordKey(id: string, namedBy: string | null): string {

    return JSON.stringify([id, namedBy]);
}

function externalKey(id: string): string {

    return JSON.stringify([id]);
}
