/**
 * The place of the authenticate hook: code of the administrator that is asked about credentials after our own access tokens
 * and before keys and passwords. Its answers are kept until they expire; an answer of null leaves the matter to us.
 */

import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { unauthenticated } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { LoginThrottle } from '../throttling/login-throttle.js';
import type { PresentedCredentials, Credentials } from './credentials.js';
import { keyedDigests } from '../tokens/digest.js';
import { isAdminName, isPossibleName } from '../accounts/login-name.js';

/**
 * What the hook is told: `token`, or `username` and `password`; `asUserId` where it is claimed. Then the request context, empty
 * where the request has none.
 */
export type AuthenticateHook = (info: JsonObject, requestContext: JsonObject) => Promise<JsonObject | null>;

/** What the hook said of somebody. */
export interface HookAnswer {
    readonly active: boolean;
    readonly userId: string | null;
    readonly username: string | null;
    /** Groups besides those of group objects. */
    readonly groupIds: readonly string[];
    /** Epoch ms at which the answer, and every token given for it, ends; null when the hook does not say. */
    readonly expiresOn: number | null;
    /** Counts as `authenticated` even without a user object. */
    readonly grantAuthenticatedAccess: boolean;
    /** Group objects do not count. */
    readonly bypassGroupObjects: boolean;
    /** The id that the hook allows to act as, in answer to the same one in what it was told. */
    readonly asUserId: string | null;
}

/** Finds the hook as it is now; null while there is none. */
export type HookFinder = () => AuthenticateHook | null;

interface CacheEntry {
    readonly answer: HookAnswer;
    /** An answer counts only as long as this is the hook. */
    readonly hook: AuthenticateHook;
    /** The epoch of types, which changes with the design object and so with what the hook may look at. */
    readonly epoch: number;
}

/** One question to the hook. */
interface Question {
    readonly hook: AuthenticateHook;
    readonly info: JsonObject;
    readonly requestContext: JsonObject;
    readonly credentials: Credentials;
    readonly source: string;
}

const MAX_ENTRIES = 10_000;

/** Groups that one answer may name. */
const MAX_GROUPS = 1_000;

/** Asks the hook, if there is one. */
export class HookAuthenticator {

    readonly #backOff: LoginThrottle;
    readonly #now: () => number;
    readonly #digest = keyedDigests();
    readonly #kept = new LRUCache<string, CacheEntry>({ max: MAX_ENTRIES });
    /** Requests that come with the same credentials at the same time are one question. */
    readonly #questions = new SingleFlight<HookAnswer | null>();
    #find: HookFinder = () => null;

    constructor(backOff: LoginThrottle, now: () => number) {

        this.#backOff = backOff;
        this.#now = now;
    }

    /**
     * Puts the hook in its place.
     *
     * @param find asked with every login, so it must be cheap; another function in its answer is another hook
     */
    use(find: HookFinder): void {

        this.#find = find;
    }

    /** True when there is a hook to be asked. */
    get isPresent(): boolean {

        return this.#find() !== null;
    }

    /**
     * The hook's answer to some credentials; null when there is no hook or it has nothing to say. Passwords that it does not
     * accept count as failed logins.
     *
     * @param source where the request comes from, see {@link sourceOf}
     * @param epoch of types
     * @throws DoipError 401 when the hook fails; its error is the cause. 429 when too many logins are waiting
     */
    async ask({ credentials, asUserId, requestContext = {} }: PresentedCredentials, source: string, epoch: number): Promise<HookAnswer | null> {

        const hook = this.#find();
        const info = hook ? infoOf(credentials, asUserId) : null;
        if (!hook || !info) {
            return null;
        }

        const digest = this.#digest(JSON.stringify([info, requestContext]));
        const kept = this.#kept.get(digest);
        if (kept && kept.hook === hook && kept.epoch === epoch && (kept.answer.expiresOn ?? 0) > this.#now()) {
            return kept.answer;
        }

        this.#kept.delete(digest);
        const question = { hook, info, requestContext, credentials, source };
        const answer = await this.#questions.run(() => this.#question(question), `${epoch} ${source} ${digest}`);
        if (answer?.active && answer.expiresOn !== null) {
            this.#kept.set(digest, { answer, hook, epoch });
        }

        return answer;
    }

    /** The administrator is not slowed down by what a hook thinks. */
    async #question({ hook, info, requestContext, credentials, source }: Question): Promise<HookAnswer | null> {

        if (credentials.kind !== 'password' || isAdminName(credentials.name)) {
            return this.#call(hook, info, requestContext);
        }

        const accepted = await this.#backOff.attempt(credentials.name, source, async () => {

            const answer = await this.#call(hook, info, requestContext);
            return answer === null ? undefined : answer.active ? answer : null;
        });
        return accepted === null ? NOT_ACTIVE : accepted ?? null;
    }

    async #call(hook: AuthenticateHook, info: JsonObject, requestContext: JsonObject): Promise<HookAnswer | null> {

        const answer = await call(hook, info, requestContext);
        const hasEnded = answer !== null && answer.expiresOn !== null && answer.expiresOn <= this.#now();
        return hasEnded ? NOT_ACTIVE : answer;
    }
}

async function call(hook: AuthenticateHook, info: JsonObject, requestContext: JsonObject): Promise<HookAnswer | null> {

    let answer: JsonObject | null;
    try {
        answer = await hook(info, requestContext);
    }
    catch (cause) {
        throw unauthenticated('Authentication failed', { cause });
    }

    return answer && readAnswer(answer);
}

/** What an answer says; members of the wrong kind count as absent, and without a readable end nobody is let in for ever. */
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

/** What can be an id; nothing else gets into a row or a list of principals. */
function idOf(value: JsonValue | undefined): string | null {

    return typeof value === 'string' && isPossibleName(value) ? value : null;
}
