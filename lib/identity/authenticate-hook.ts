/**
 * The place of the authenticate hook: code of the administrator that is asked about credentials after our own access tokens
 * and before keys and passwords. Its answers are kept until they expire; an answer of null leaves the matter to us.
 */

import { createHmac, randomBytes } from 'node:crypto';
import { unauthenticated } from '../doip/error.js';
import type { JsonObject, JsonValue } from '../doip/json.js';
import type { Credentials } from './credentials.js';

/** What the hook is told: `token`, or `username` and `password`; `asUserId` where it is claimed. */
export type AuthenticateHook = (info: JsonObject) => Promise<JsonObject | null>;

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

interface Kept {
    readonly answer: HookAnswer;
    /** The epoch of types, which changes with the design object and so with the hook. */
    readonly epoch: number;
}

const KEPT = 10_000;

/** Asks the hook, if there is one. */
export class HookDesk {

    readonly #hook: () => AuthenticateHook | null;
    readonly #now: () => number;
    readonly #key = randomBytes(32);
    readonly #kept = new Map<string, Kept>();

    constructor(hook: () => AuthenticateHook | null, now: () => number) {

        this.#hook = hook;
        this.#now = now;
    }

    /**
     * The hook's answer to some credentials; null when there is no hook or it has nothing to say.
     *
     * @param epoch of types
     * @throws DoipError 401 when the hook fails; its error is the cause
     */
    async ask(credentials: Credentials, asUserId: string | null, epoch: number): Promise<HookAnswer | null> {

        const hook = this.#hook();
        const info = hook ? infoOf(credentials, asUserId) : null;
        if (!hook || !info) {
            return null;
        }

        const digest = createHmac('sha256', this.#key).update(JSON.stringify(info)).digest('base64');
        const kept = this.#kept.get(digest);
        if (kept && kept.epoch === epoch && (kept.answer.expiresOn ?? 0) > this.#now()) {
            return kept.answer;
        }

        this.#kept.delete(digest);
        const answer = await call(hook, info);
        if (!answer?.active || answer.expiresOn === null) {
            return answer;
        }

        if (answer.expiresOn <= this.#now()) {
            return { ...answer, active: false };
        }

        this.#keep(digest, { answer, epoch });
        return answer;
    }

    #keep(digest: string, kept: Kept): void {

        if (this.#kept.size >= KEPT) {
            const [oldest] = this.#kept.keys();
            this.#kept.delete(oldest ?? '');
        }

        this.#kept.set(digest, kept);
    }
}

async function call(hook: AuthenticateHook, info: JsonObject): Promise<HookAnswer | null> {

    let answer: JsonObject | null;
    try {
        answer = await hook(info);
    }
    catch (cause) {
        throw unauthenticated('Authentication failed', { cause });
    }

    return answer && readAnswer(answer);
}

/** What an answer says; members of the wrong kind count as absent. */
export function readAnswer(answer: JsonObject): HookAnswer {

    const { exp, groupIds } = answer;
    return {
        active: answer.active === true,
        userId: textOf(answer.userId),
        username: textOf(answer.username),
        groupIds: Array.isArray(groupIds) ? groupIds.filter((id): id is string => typeof id === 'string') : [],
        expiresOn: typeof exp === 'number' ? exp * 1000 : null,
        grantAuthenticatedAccess: answer.grantAuthenticatedAccess === true,
        bypassGroupObjects: answer.bypassCordraGroupObjects === true,
        asUserId: textOf(answer.asUserId)
    };
}

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

function textOf(value: JsonValue | undefined): string | null {

    return typeof value === 'string' && value !== '' ? value : null;
}
