/**
 * Keeps the rows of accounts and groups in step with the objects that describe them, in the unit of the object: login names
 * stay unique, and deactivated or deleted users lose their tokens in the same commit, deleted ones their API keys too. Those of users that an upload
 * of all objects deletes are kept aside until it has ended, as a rollback gives them back.
 */

import type { Step } from '../../../db/database.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { childPointer } from '../../json/pointer.js';
import type { Account, AccountStore } from '../../stores/account-store.js';
import { secretKey, type CredentialStore } from '../../stores/credential-store.js';
import type { GroupStore } from '../../stores/group-store.js';
import type { ApiKeyStore } from '../../stores/api-key-store.js';
import type { TokenStore } from '../../stores/token-store.js';
import type { Caller } from '../../model/caller.js';
import { checkCredentialChange } from '../../model/caller.js';
import type { AccountAnnotations } from '../../model/account-annotations.js';
import { isAccount, isPrincipalContent, NO_ROLES } from '../../model/account-annotations.js';
import { checkUsername, loginKey, usernameConflict } from '../accounts/login-name.js';
import type { Principals } from '../accounts/principals.js';

/** A change of an object, as far as identity is concerned. */
export interface IdentityChange {
    readonly id: string;
    /** True if the object is created. */
    readonly isNew: boolean;
    /**
     * Annotated values of the new content; null if the object is deleted, or is a version now. Changes that leave the content alone do not
     * concern identity.
     */
    readonly roles: AccountAnnotations | null;
    /** The new content; absent without `roles`. */
    readonly content?: JsonObject | undefined;
    readonly caller: Caller;
    /** True for a write of an upload of all objects. */
    readonly isUpload?: boolean;
}

/** Failure tag of a unit whose username belongs to another user. */
export const USERNAME_CONFLICT = 'identity:username';

const MEMBER_BYTES = 255;

/** Derives the steps for accounts and groups from changes of objects. */
export class AccountWriter {

    readonly #accounts: AccountStore;
    readonly #credentials: CredentialStore;
    readonly #groups: GroupStore;
    readonly #tokens: TokenStore;
    readonly #keys: ApiKeyStore;
    readonly #principals: Principals;

    constructor(parts: {
        accounts: AccountStore; credentials: CredentialStore; groups: GroupStore; tokens: TokenStore; keys: ApiKeyStore; principals: Principals;
    }) {

        this.#accounts = parts.accounts;
        this.#credentials = parts.credentials;
        this.#groups = parts.groups;
        this.#tokens = parts.tokens;
        this.#keys = parts.keys;
        this.#principals = parts.principals;
    }

    /**
     * Returns the steps for the unit of a change. They increment the epoch of identity if caches may become stale.
     *
     * @throws DoipError 400 for an invalid username, 409 for an id that stands for another user or group, 403 if callers change
     *   their own key without password or key
     */
    async steps({ id, isNew, roles, content, caller, isUpload = false }: IdentityChange): Promise<Step[]> {

        const annotated = roles ?? NO_ROLES;
        const footprint = isNew ? NOTHING : await this.#accounts.footprint(id);
        const isHeld = isPrincipalContent(annotated);
        if (!isHeld && !footprint.account && !footprint.credential && !footprint.group && !footprint.secrets && !footprint.held) {
            return [];
        }

        const steps = [
            ...await this.#accountSteps({ id, isNew, caller, isUpload }, footprint.account, annotated),
            ...footprint.credential && !isAccount(annotated) ? this.#credentials.removeSteps(id) : [],
            ...await this.#groupSteps(id, footprint.group, annotated.members),
            ...footprint.secrets ? await this.#secretSteps(id, roles, content) : [],
            ...await this.#principals.accountSteps({ id, wasAccount: footprint.held, isAccount: isHeld, caller })
        ];
        const onlyNewAccount = annotated.members === undefined && !footprint.account && !footprint.group;
        return steps.length === 0 || onlyNewAccount ? steps : [...steps, this.#accounts.bumpStep()];
    }

    /** Returns the error for a failure tag of these steps; undefined for other tags. */
    explain(failed: string, { roles }: Pick<IdentityChange, 'roles'>): Error | undefined {

        const name = roles?.username?.value;
        return failed === USERNAME_CONFLICT && typeof name === 'string' ? usernameConflict(name) : undefined;
    }

    /**
     * Returns the steps that delete the secrets of an object, or those whose place in its content is gone. The text in their place counts, not the
     * annotation: that may be in an alternative of the schema which the empty text does not match.
     */
    async #secretSteps(id: string, roles: AccountAnnotations | null, content: JsonObject | undefined): Promise<Step[]> {

        if (!roles || !content) {
            return roles ? [] : this.#credentials.removeSecretsSteps(id);
        }

        const annotated = new Set(roles.secure.map(({ pointer }) => secretKey(pointer)));
        const others = (await this.#credentials.secretsOf([id])).filter(({ key }) => !annotated.has(key));
        const present = others.length > 0 ? new Set(Array.from(emptyTexts(content, ''), secretKey)) : annotated;
        return others.filter(({ key }) => !present.has(key)).flatMap(({ key }) => this.#credentials.removeSecretSteps(id, key));
    }

    async #accountSteps(
        { id, isNew, caller, isUpload }: Omit<IdentityChange, 'roles' | 'content'>, exists: boolean, roles: AccountAnnotations
    ): Promise<Step[]> {

        const before = exists ? await this.#accounts.get(id) : null;
        const after = accountOf(id, roles);
        if (!after) {
            return before ? [
                ...this.#accounts.removeSteps(id), ...this.#accounts.releaseNameSteps(id), ...this.#tokens.removeOfUserSteps(id),
                ...isUpload ? this.#keys.holdSteps(id) : this.#keys.removeOfUserSteps(id)
            ] : [];
        }

        if (!isNew && after.publicKey !== null && !isSameKey(before?.publicKey ?? null, after.publicKey)) {
            checkCredentialChange(caller, id);
        }

        return isSame(before, after) ? [] : [
            ...this.#accounts.putSteps(after),
            ...this.#nameSteps(id, before?.username ?? null, after.username),
            ...before && endsTokens(before, after) ? this.#tokens.removeOfUserSteps(id) : []
        ];
    }

    #nameSteps(id: string, before: string | null, after: string | null): Step[] {

        const keyBefore = before === null ? '' : loginKey(before);
        const keyAfter = after === null ? '' : loginKey(after);
        if (keyBefore === keyAfter) {
            return [];
        }

        return [
            ...keyBefore === '' ? [] : this.#accounts.releaseNameSteps(id),
            ...keyAfter === '' ? [] : this.#accounts.claimNameSteps(keyAfter, id, USERNAME_CONFLICT)
        ];
    }

    async #groupSteps(id: string, exists: boolean, members: readonly string[] | undefined): Promise<Step[]> {

        if (!members) {
            return exists ? this.#groups.clearSteps(id) : [];
        }

        const memberIds = new Set(members.filter(isPossibleId));
        const removed: string[] = [];
        for await (const member of exists ? this.#membersOf(id) : []) {
            if (!memberIds.delete(member)) {
                removed.push(member);
            }
        }

        return [...this.#groups.removeSteps(id, removed), ...this.#groups.addSteps(id, [...memberIds])];
    }

    async *#membersOf(groupId: string): AsyncGenerator<string> {

        let page = await this.#groups.membersAfter(groupId, '');
        while (page.length > 0) {
            yield *page;
            // Yields to the event loop, since groups may be large.
            await new Promise(setImmediate);
            page = await this.#groups.membersAfter(groupId, page.at(-1) ?? '');
        }
    }
}

const NOTHING = { account: false, credential: false, group: false, secrets: false, held: false };

/** Returns the account that content describes; null if there is none. */
function accountOf(userId: string, roles: AccountAnnotations): Account | null {

    if (!isAccount(roles)) {
        return null;
    }

    const name = roles.username?.value;
    const username = typeof name === 'string' && name !== '' ? name : null;
    if (username !== null) {
        checkUsername(username);
    }

    const key = roles.publicKey?.value;
    return {
        userId,
        username,
        active: roles.accountActive === undefined || roles.accountActive.value === true,
        mustChangePassword: roles.requirePasswordChange?.value === true,
        publicKey: isJsonObject(key) ? key : null
    };
}

function isSame(before: Account | null, after: Account): boolean {

    return before !== null && before.username === after.username && before.active === after.active &&
        before.mustChangePassword === after.mustChangePassword && isSameKey(before.publicKey, after.publicKey);
}

/** True if tokens must be revoked: the account was deactivated, or its key, with which they may have been requested, was changed. */
function endsTokens(before: Account, after: Account): boolean {

    return !after.active || endsKey(before.publicKey, after.publicKey);
}

/** True if a public key was replaced or removed. */
export function endsKey(before: JsonObject | null, after: JsonObject | null): boolean {

    return before !== null && !isSameKey(before, after);
}

function isSameKey(before: JsonObject | null, after: JsonObject | null): boolean {

    return JSON.stringify(before) === JSON.stringify(after);
}

function isPossibleId(id: string): boolean {

    return id !== '' && id.isWellFormed() && Buffer.byteLength(id) <= MEMBER_BYTES;
}

/** Returns the JSON pointers of all empty texts in a value. */
function *emptyTexts(value: JsonValue, pointer: string): Generator<string, void, undefined> {

    if (value === '') {
        yield pointer;
    }

    if (typeof value === 'object' && value !== null) {
        for (const [name, member] of Object.entries(value)) {
            yield *emptyTexts(member, childPointer(pointer, name));
        }
    }
}
