/** PROVISIONAL, to be replaced as a whole by the real module; the names used by callers stay. */

import type { JsonObject } from '../doip/json.js';

export const SCHEMA_TYPE = 'Schema';
export const DESIGN_TYPE = 'CordraDesign';

/** Contents of the Schema objects of a fresh service. */
export const DEFAULT_TYPES: readonly JsonObject[] = [
    { identifier: '', name: 'User', schema: { type: 'object', properties: { id: {}, username: {}, password: {} } } },
    { identifier: '', name: 'Group', schema: { type: 'object', properties: { id: {}, groupName: {}, users: {} } } },
    { identifier: '', name: 'Document', schema: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } } }
];

/** The design of a fresh service. */
export function initialDesign({ prefix, baseUri }: { prefix: string; baseUri?: string | null | undefined }): JsonObject {

    return {
        handleMintingConfig: { prefix, ...(baseUri ? { baseUri } : {}) },
        authConfig: {
            schemaAcls: {
                User: { defaultAclRead: ['public'], defaultAclWrite: ['self'], aclCreate: [] },
                Schema: { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] },
                CordraDesign: { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] }
            },
            defaultAcls: { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] }
        }
    };
}
