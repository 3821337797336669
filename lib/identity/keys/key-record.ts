/** An API key in the form for clients, without its value. */

import type { JsonObject } from '../../util/json-types.js';
import type { StoredApiKey } from '../../stores/api-key-store.js';

const text = { type: 'string' };
const time = { type: 'integer', minimum: 0 };
const names = { type: 'array', items: text };

/** JSON schema of {@link keyRecord}, with further members that are always there. Times are epoch ms. */
export function keySchema(more: JsonObject = {}): JsonObject {

    return {
        type: 'object',
        properties: {
            ...more, id: text, name: text, userId: text, operations: names, types: names, readOnly: { type: 'boolean' },
            createdOn: time, createdBy: text, expiresOn: time, lastUsedOn: time
        },
        required: [...Object.keys(more), 'id', 'name', 'userId', 'readOnly', 'createdOn', 'createdBy']
    };
}

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
