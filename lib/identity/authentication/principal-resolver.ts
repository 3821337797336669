/**
 * Resolves authentication results to callers: reads the account, adds groups, rejects blocked users, and lets administrators
 * act as another user.
 */

import { unauthenticated } from '../../errors/errors.js';
import type { JsonObject } from '../../util/json-types.js';
import type { Epochs } from '../../stores/objects/object-store.js';
import type { StoredToken } from '../../stores/token-store.js';
import type { HookAnswer } from './hook-authenticator.js';
import { readAnswer } from './hook-authenticator.js';
import type { Caller } from '../../model/caller.js';
import { ADMIN_ID, ANONYMOUS, sharedCaller } from '../../model/caller.js';
import type { ApiKey } from '../keys/api-keys.js';
import { digestOf } from '../tokens/digest.js';
import type { Directory, Principal } from '../accounts/user-directory.js';
import { EpochCache } from '../../util/cache/epoch-cache.js';
import type { Principals } from '../accounts/principals.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** Authenticated identity, and the method. */
export interface AuthenticationResult {
    readonly userId: string;
    readonly method: 'password' | 'key' | 'token' | 'session' | 'api-key' | 'hook';
    /** Answer of the authenticate hook, now or when the token was issued; null without hook. */
    readonly hook: HookAnswer | null;
    /** Record of the given password; null for other methods. */
    readonly record: string | null;
    /** The API key; absent for other methods. */
    readonly apiKey?: ApiKey;
}

/** A caller described by the hook; expires after `validUntil`, since a user object may exist by then. */
interface HookCaller {
    readonly caller: Caller;
    readonly principal: Principal | null;
    readonly validUntil: number;
}

/** Maximum number of cached callers; hook answers may name many groups. */
const MAX_ENTRIES = 1_000;

/** Cache time in ms for callers without user object, because creating one does not change the epoch. */
const WITHOUT_OBJECT = 1_000;

/** Makes callers. */
export class PrincipalResolver {

    readonly #directory: Directory;
    readonly #principals: Principals;
    readonly #now: () => number;
    readonly #admins = new Map<Caller['method'], Caller>();
    readonly #hooked = new EpochCache<HookCaller>(MAX_ENTRIES);
    readonly #answers = new WeakMap<Caller, HookAnswer>();
    readonly #facts = new WeakMap<JsonObject, HookAnswer>();

    constructor({ directory, principals }: { directory: Directory; principals: Principals }, now: () => number) {

        this.#directory = directory;
        this.#principals = principals;
        this.#now = now;
    }

    /**
     * Returns the result of {@link callerOf} if it is cached; null if something has to be read.
     *
     * @throws DoipError like {@link callerOf}
     */
    fromCache({ userId, method, hook }: AuthenticationResult, epoch: number, mayWait = false): Caller | null {

        if (userId === ADMIN_ID) {
            return this.#admin(method);
        }

        const principal = hook ? undefined : this.#directory.recall(userId, epoch);
        return principal ? this.#admit(principal, method, mayWait) : null;
    }

    /**
     * Returns the caller of an authentication result.
     *
     * @param epoch epoch of identity, read before this call
     * @param mayWait true for operations allowed while the password must be changed
     * @throws DoipError 401 if the account is inactive, must change its password, or does not exist
     */
    async callerOf(proof: AuthenticationResult, epoch: number, mayWait = false): Promise<Caller> {

        if (proof.hook && proof.userId !== ADMIN_ID) {
            return this.#hookCaller(proof, proof.hook, epoch);
        }

        const cached = this.fromCache(proof, epoch, mayWait);
        if (cached) {
            return cached;
        }

        const principal = await this.#directory.principal(proof.userId, epoch);
        if (!principal) {
            throw unauthenticated('Authentication failed', { reason: `user ${proof.userId} does not exist` });
        }

        return this.#admit(principal, proof.method, mayWait);
    }

    /** Returns the current epochs, for work without a target. */
    epochs(): Promise<Epochs> {

        return this.#directory.epochs();
    }

    /** Returns the caller acting as another user: for the administrator, or if the hook allows it. */
    async actingAs(userId: string, caller: Caller, { hook }: AuthenticationResult, epoch: number): Promise<Caller> {

        if (!caller.isAdmin && hook?.asUserId !== userId) {
            throw unauthenticated('only an administrator can act as another user');
        }

        if (userId === ADMIN_ID && caller.isAdmin) {
            return caller;
        }

        if (userId === ADMIN_ID) {
            throw unauthenticated('only an administrator can act as admin');
        }

        const principal = await this.#directory.principal(userId, epoch);
        const acted: Caller = principal ? this.#directory.callerOf(principal, 'as-user') :
            { ...ANONYMOUS, userId, groupIds: await this.#directory.groupIdsOf([userId]), method: 'as-user' };
        return { ...acted, actorId: caller.userId, shared: acted };
    }

    /** Returns the authentication result of a token. */
    proofOf({ userId, expiresOn, facts }: StoredToken, method: 'token' | 'session'): AuthenticationResult {

        return { userId, method, hook: facts && getOrAdd(this.#facts, facts, () => ({ ...readAnswer(facts), expiresOn })), record: null };
    }

    /** Returns the authentication result of a hook answer; null if it names no user. */
    async proofOfAnswer(hook: HookAnswer): Promise<AuthenticationResult | null> {

        const userId = hook.userId ?? (hook.username === null ? null : (await this.#directory.accountOf(hook.username))?.userId);
        return userId ? { userId, method: 'hook', hook, record: null } : null;
    }

    /** Returns the hook answer behind a caller, for a token issued to them; null for callers of other methods. */
    answerOf(caller: Caller): HookAnswer | null {

        return this.#answers.get(sharedCaller(caller)) ?? null;
    }

    /** Returns a caller object for one request, with the same hook answer behind it. */
    copyOf(caller: Caller): Caller {

        const copy = { ...caller };
        const answer = this.answerOf(caller);
        if (answer) {
            this.#answers.set(copy, answer);
        }

        return copy;
    }

    #admit(principal: Principal, method: Caller['method'], mayWait: boolean): Caller {

        checkActive(principal);
        if (principal.account.mustChangePassword && !mayWait) {
            throw unauthenticated('Password change required.', { details: { passwordChangeRequired: true } });
        }

        return this.#directory.callerOf(principal, method);
    }

    #admin(method: Caller['method']): Caller {

        return getOrAdd(this.#admins, method, () => (
            { userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method }
        ));
    }

    async #hookCaller({ userId, method }: AuthenticationResult, hook: HookAnswer, epoch: number): Promise<Caller> {

        const key = digestOf(JSON.stringify([userId, method, hook]));
        const cached = this.#hooked.get(key, epoch);
        const found = cached && cached.validUntil > this.#now() ? cached :
            await this.#hooked.load(key, epoch, () => this.#describe(userId, method, hook, epoch));
        if (found?.principal) {
            checkActive(found.principal);
        }

        return found?.caller ?? ANONYMOUS;
    }

    /** Returns the user object of a user that was authenticated elsewhere. Of users of a provider only one that the administrator made counts. */
    async #userObject(userId: string, epoch: number): Promise<Principal | null> {

        if (!this.#principals.isOfProvider(userId)) {
            return this.#directory.principal(userId, epoch);
        }

        await this.#principals.recordExternal(userId, []);
        const { identity } = await this.#directory.epochs();
        return this.#directory.principal(userId, identity);
    }

    async #describe(userId: string, method: Caller['method'], hook: HookAnswer, epoch: number): Promise<HookCaller> {

        const principal = await this.#userObject(userId, epoch);
        await this.#principals.recordExternal(principal ? null : userId, hook.groupIds);
        const groupIds = hook.bypassGroupObjects ? [] : await this.#directory.groupIdsOf([userId, ...hook.groupIds]);
        const caller: Caller = {
            userId,
            username: principal?.account.username ?? hook.username,
            groupIds: [...new Set([...hook.groupIds, ...groupIds])],
            isAdmin: false,
            isAuthenticated: principal !== null || hook.grantAuthenticatedAccess,
            method
        };
        this.#answers.set(caller, hook);
        return { caller, principal, validUntil: principal ? Infinity : this.#now() + WITHOUT_OBJECT };
    }
}

/** Returns the facts of an answer that are stored with a token; `readAnswer` parses them. */
export function factsOf(answer: HookAnswer): JsonObject {

    return {
        active: true, userId: answer.userId, username: answer.username, groupIds: [...answer.groupIds],
        grantAuthenticatedAccess: answer.grantAuthenticatedAccess, bypassCordraGroupObjects: answer.bypassGroupObjects
    };
}

function checkActive({ account }: Principal): void {

    if (!account.active) {
        throw unauthenticated('Account is inactive');
    }
}
