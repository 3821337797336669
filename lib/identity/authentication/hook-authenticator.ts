/**
 * Runs the authenticate hook: code of the administrator that checks credentials after own access tokens and before keys and
 * passwords. Answers are cached until they expire; null passes credentials on to the built-in methods.
 */

import { growingCache } from '../../util/cache/growing-cache.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { isTemporary, unauthenticated } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { LoginThrottle } from '../throttling/login-throttle.js';
import type { PresentedCredentials, Credentials } from './credentials.js';
import { keyedDigests } from '../tokens/digest.js';
import { isAdminName, isPossibleId } from '../accounts/login-name.js';

/**
 * The hook. `info` has `token`, or `username` and `password`, and `asUserId` if claimed. The request context is empty if the request has none. Rejects
 * with a DoipError 429 or 503 if it cannot be run at the moment, and with another error if it fails.
 */
export type AuthenticateHook = (info: JsonObject, requestContext: JsonObject, source: string) => Promise<JsonObject | null>;

/** Answer of the hook. */
export interface HookAnswer {
    readonly active: boolean;
    readonly userId: string | null;
    readonly username: string | null;
    /** Groups in addition to those of group objects. */
    readonly groupIds: readonly string[];
    /** Expiry of the answer and of all tokens issued for it (epoch ms); null if the hook gives none. */
    readonly expiresOn: number | null;
    /** Counts as `authenticated` even without a user object. */
    readonly grantAuthenticatedAccess: boolean;
    /** True to ignore group objects. */
    readonly bypassGroupObjects: boolean;
    /** The id that the caller may act as, if it was claimed. */
    readonly asUserId: string | null;
}

/** Returns the current hook; null if there is none. */
export type HookSource = () => AuthenticateHook | null;

interface CacheEntry {
    readonly answer: HookAnswer;
    /** The answer is valid only for this hook. */
    readonly hook: AuthenticateHook;
    /** Epoch of types, which changes with the design object and thus with what the hook may read. */
    readonly epoch: number;
}

/** A call of the hook. */
interface HookCall {
    readonly hook: AuthenticateHook;
    readonly info: JsonObject;
    readonly requestContext: JsonObject;
    readonly credentials: Credentials;
    readonly source: string;
}

const MAX_ENTRIES = 10_000;

/** Maximum number of groups in an answer. */
const MAX_GROUPS = 1_000;

/** Calls the hook, if there is one. */
export class HookAuthenticator {

    readonly #throttle: LoginThrottle;
    readonly #now: () => number;
    readonly #digest = keyedDigests();
    readonly #cache = growingCache<string, CacheEntry>(MAX_ENTRIES);
    /** Single flight: concurrent requests with the same credentials share one call. */
    readonly #calls = new SingleFlight<HookAnswer | null>();
    #find: HookSource = () => null;

    constructor(throttle: LoginThrottle, now: () => number) {

        this.#throttle = throttle;
        this.#now = now;
    }

    /**
     * Installs the hook.
     *
     * @param find called with every login, so it must be cheap; cached answers are valid for the function it returns
     */
    use(find: HookSource): void {

        this.#find = find;
    }

    /** True if there is a hook. */
    get isPresent(): boolean {

        return this.#find() !== null;
    }

    /**
     * Returns the answer of the hook to credentials; null if there is no hook or it does not decide. Rejected passwords count
     * as failed logins.
     *
     * @param source origin of the request, see {@link sourceOf}
     * @param epoch epoch of types
     * @throws DoipError 401 if the hook fails, with its error as cause; 429 or 503 if too many logins or scripts are queued
     */
    async authenticate({ credentials, asUserId, requestContext = {} }: PresentedCredentials, source: string, epoch: number): Promise<HookAnswer | null> {

        const hook = this.#find();
        const info = hook ? infoOf(credentials, asUserId) : null;
        if (!hook || !info) {
            return null;
        }

        const digest = this.#digest(JSON.stringify([info, requestContext]));
        const cached = this.#cache.get(digest);
        if (cached && cached.hook === hook && cached.epoch === epoch && (cached.answer.expiresOn ?? 0) > this.#now()) {
            return cached.answer;
        }

        this.#cache.delete(digest);
        const hookCall = { hook, info, requestContext, credentials, source };
        const answer = await this.#calls.run(() => this.#throttledCall(hookCall), `${epoch} ${source} ${digest}`);
        if (answer?.active && answer.expiresOn !== null) {
            this.#cache.set(digest, { answer, hook, epoch });
        }

        return answer;
    }

    /** Calls the hook. Logins as administrator are not throttled by its answers. */
    async #throttledCall(hookCall: HookCall): Promise<HookAnswer | null> {

        const { credentials, source } = hookCall;
        if (credentials.kind !== 'password' || isAdminName(credentials.name)) {
            return this.#call(hookCall);
        }

        const accepted = await this.#throttle.attempt(credentials.name, source, async () => {

            const answer = await this.#call(hookCall);
            return answer === null ? undefined : answer.active ? answer : null;
        });
        return accepted === null ? NOT_ACTIVE : accepted ?? null;
    }

    async #call(hookCall: HookCall): Promise<HookAnswer | null> {

        const answer = await call(hookCall);
        const isExpired = answer !== null && answer.expiresOn !== null && answer.expiresOn <= this.#now();
        return isExpired ? NOT_ACTIVE : answer;
    }
}

async function call({ hook, info, requestContext, source }: HookCall): Promise<HookAnswer | null> {

    let answer: JsonObject | null;
    try {
        answer = await hook(info, requestContext, source);
    }
    catch (cause) {
        throw isTemporary(cause) ? cause : unauthenticated('Authentication failed', { cause });
    }

    return answer && readAnswer(answer);
}

/** Parses an answer. Members of a wrong type count as absent; with a malformed expiry the answer is inactive, instead of never expiring. */
export function readAnswer(answer: JsonObject): HookAnswer {

    const { active, exp, groupIds } = answer;
    const hasEnd = exp !== undefined && exp !== null;
    return {
        active: active === true && (!hasEnd || typeof exp === 'number'),
        userId: idOf(answer.userId),
        username: idOf(answer.username),
        groupIds: Array.isArray(groupIds) ? groupIds.map(idOf).filter((id) => id !== null).slice(0, MAX_GROUPS) : [],
        expiresOn: typeof exp === 'number' ? Math.floor(Math.min(exp * 1000, Number.MAX_SAFE_INTEGER)) : null,
        grantAuthenticatedAccess: answer.grantAuthenticatedAccess === true,
        bypassGroupObjects: answer.bypassCordraGroupObjects === true,
        asUserId: idOf(answer.asUserId)
    };
}

const NOT_ACTIVE = readAnswer({ active: false });

function infoOf(credentials: Credentials, asUserId: string | null): JsonObject | null {

    const acting = asUserId === null ? {} : { asUserId };
    switch (credentials.kind) {
        case 'token':
            return { token: credentials.token, ...acting };
        case 'password':
            return { username: credentials.name, password: credentials.password, ...acting };
        case 'session':
        case 'none':
            return null;
    }
}

/** Returns a value that can be an id, else null; nothing else reaches the database or a list of principals. */
function idOf(value: JsonValue | undefined): string | null {

    return typeof value === 'string' && isPossibleId(value) ? value : null;
}
