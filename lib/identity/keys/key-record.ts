/** An API key in the form for clients, without its value. */

import type { JsonObject } from '../../util/json-types.js';
import type { StoredApiKey } from '../../stores/api-key-store.js';

/** Describes a key. `operations`, `types`, `expiresOn` and `lastUsedOn` are absent where there is nothing to say. */
export function keyRecord({ id, name, userId, scope, createdOn, createdBy, expiresOn, lastUsed }: StoredApiKey): JsonObject {

    const { operations, types, readOnly } = scope;
    return {
        id, name, userId, readOnly,
        ...operations ? { operations: [...operations] } : {},
        ...types ? { types: [...types] } : {},
        createdOn, createdBy,
        ...expiresOn === null ? {} : { expiresOn },
        ...lastUsed === null ? {} : { lastUsedOn: lastUsed }
    };
}
