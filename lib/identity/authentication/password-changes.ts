/**
 * Changes of users' own passwords: an ordinary update of the user object, with the password rules of its type, that revokes all
 * tokens of the user.
 */

import { badRequest, forbidden, missingObject } from '../../errors/errors.js';
import { setAt } from '../../json/pointer.js';
import type { JsonObject } from '../../util/json-types.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { ObjectInput } from '../../model/object-input.js';
import type { WriteContext } from '../../model/write-context.js';
import type { Catalog } from '../../types/catalog.js';
import type { AdminAccount } from '../passwords/admin-account.js';
import { checkNewPassword, samePassword } from '../passwords/admin-account.js';
import { denied } from '../../model/caller.js';
import type { AccountAnnotations } from '../../model/account-annotations.js';
import type { PasswordAuthenticator } from './password-authenticator.js';

/** Caller and request context of a password change. */
type PasswordContext = Pick<WriteContext, 'caller' | 'requestContext'>;

/** Changes user objects. */
export interface UserObjects {
    update(
        id: string, change: { readonly input: ObjectInput; readonly edit: (content: JsonObject) => JsonObject }, context: PasswordContext
    ): Promise<unknown>;
}

/** Reads user objects. */
export interface UserReader {
    view(id: string): Promise<{ readonly object: StoredObject | null }>;
}

/** Changes passwords. */
export class PasswordChanges {

    readonly #admin: AdminAccount;
    readonly #catalog: Catalog;
    readonly #logins: PasswordAuthenticator;
    readonly #objects: UserObjects;
    readonly #reader: UserReader;

    constructor(parts: { admin: AdminAccount; catalog: Catalog; logins: PasswordAuthenticator; objects: UserObjects; reader: UserReader }) {

        this.#admin = parts.admin;
        this.#catalog = parts.catalog;
        this.#logins = parts.logins;
        this.#objects = parts.objects;
        this.#reader = parts.reader;
    }

    /**
     * Changes the password of a caller.
     *
     * @throws DoipError 401 for anonymous callers, 403 for callers not authenticated by password or key, 400 if the password is
     *   empty, unchanged, or against the rules of the type
     */
    async change(password: string, context: PasswordContext): Promise<void> {

        const { caller } = context;
        const { userId, method } = caller;
        if (userId === null) {
            throw denied(caller, 'changing a password needs credentials');
        }

        if (method !== 'password' && method !== 'key') {
            throw forbidden('changing the password needs the password itself or a signed assertion, not an access token');
        }

        if (caller.isAdmin) {
            await this.#admin.changePassword(password);
            return;
        }

        checkNewPassword(password);
        if (await this.#logins.isPasswordOf(userId, password)) {
            throw samePassword();
        }

        await this.#changeObject(userId, password, context);
    }

    async #changeObject(userId: string, password: string, context: PasswordContext): Promise<void> {

        const { object } = await this.#reader.view(userId);
        if (!object) {
            throw missingObject(userId);
        }

        await this.#catalog.current.get(object.type)?.prepare();
        const input = { elements: new Map(), elementsToDelete: [] };
        await this.#objects.update(userId, { input, edit: (content) => this.#withPassword(content, object, password) }, context);
    }

    #withPassword(content: JsonObject, { id, type, metadata }: StoredObject, password: string): JsonObject {

        const { createdOn, createdBy, modifiedOn, modifiedBy } = metadata;
        const rolesIn = (candidate: JsonObject): AccountAnnotations | undefined => this.#catalog.current.get(type)?.process({
            content: candidate, id, createdOn, createdBy, modifiedOn, modifiedBy
        }).roles;

        // Content without a password so far may lack the property: then its usual name is tried.
        const annotated = rolesIn(content)?.password ?? rolesIn({ ...content, password: '' })?.password;
        if (!annotated) {
            throw badRequest(`objects of type ${type} have no password`);
        }

        const changed = setAt(content, annotated.pointer, password);
        const required = rolesIn(content)?.requirePasswordChange;
        return (required?.value === true ? setAt(changed, required.pointer, false) : changed) as JsonObject;
    }
}
