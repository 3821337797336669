/**
 * What cannot be stored though its type allows it, found before anything of an upload is written: usernames that are not unique,
 * passwords that cannot be, payloads without bytes, code that cannot be compiled.
 */

import type { ContentRoles } from '../identity/content-roles.js';
import type { Directory } from '../identity/directory.js';
import type { SecureValues } from '../identity/secure-values.js';
import type { CodeInspector } from '../objects/content-pipeline.js';
import type { ObjectFinder } from '../objects/object-finder.js';
import type { StoredObject } from '../objects/stored-object.js';
import type { ProcessedContent } from '../types/type-definition.js';
import type { ImportedObject } from './import-object.js';
import { badRequest } from '../doip/error.js';
import { checkUsername, loginKey, usernameTaken } from '../identity/login-name.js';
import { DESIGN_ID } from '../doip/handle.js';
import { SCHEMA_TYPE } from '../types/built-in-types.js';
import { decodeBase64 } from './bulk-item.js';

export interface ReviewParts {
    readonly finder: ObjectFinder;
    readonly directory: Directory;
    readonly secureValues: SecureValues;
    readonly code: CodeInspector;
}

/** Reviews the objects of one upload. */
export class UploadReview {

    readonly #parts: ReviewParts;
    readonly #keepsOthers: boolean;
    /** Usernames of the upload as they are compared, and whose they are. */
    readonly #usernames = new Map<string, string>();

    constructor(parts: ReviewParts, keepsOthers: boolean) {

        this.#parts = parts;
        this.#keepsOthers = keepsOthers;
    }

    /** @throws DoipError 400 for an object that could not be stored */
    async look(object: ImportedObject, processed: ProcessedContent): Promise<void> {

        const { id, type } = object;
        const { roles } = processed;
        await this.#lookAtName(id, roles);
        if (roles.password || roles.secure.length > 0) {
            this.#parts.secureValues.check(roles.password?.value === '' && await this.#before(id) === null, roles);
        }

        await this.#lookAtPayloads(object);
        if (type === SCHEMA_TYPE || id === DESIGN_ID) {
            const after: StoredObject = {
                id, type, content: processed.content, acl: null, userMetadata: null, elements: [], metadata: { ...object.metadata, txnId: 0 }
            };
            await this.#parts.code.inspect({ before: await this.#before(id), after, processed });
        }
    }

    /** A name that another object has is refused also where that object gets another one: which comes first is not certain. */
    async #lookAtName(id: string, { username }: ContentRoles): Promise<void> {

        const name = username?.value;
        if (typeof name !== 'string' || name === '') {
            return;
        }

        checkUsername(name);
        const key = loginKey(name);
        const others = [this.#usernames.get(key), this.#keepsOthers ? await this.#parts.directory.holderOf(name) : null];
        if (others.some((other) => other !== undefined && other !== null && other !== id)) {
            throw usernameTaken(name);
        }

        this.#usernames.set(key, id);
    }

    async #lookAtPayloads({ id, elements }: ImportedObject): Promise<void> {

        for (const { name, base64 } of elements) {
            if (base64 !== undefined) {
                decodeBase64(base64, name);
            }
            else if (!(await this.#before(id))?.elements.some((known) => known.name === name)) {
                throw badRequest(`element ${name} was listed but its bytes were not sent`);
            }
        }
    }

    /** What the object will be put in the place of. */
    async #before(id: string): Promise<StoredObject | null> {

        return this.#keepsOthers || id === DESIGN_ID ? this.#parts.finder.find(id) : null;
    }
}
