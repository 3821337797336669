/**
 * Seed content: the design of a fresh service and its types User, Group and Document, which are ordinary types from then on.
 * Also the template of a type whose objects hold script modules.
 */

import type { JsonObject } from '../util/json-types.js';
import { isDeepStrictEqual } from 'node:util';
import type { StoredObject } from '../model/stored-object.js';
import { SERVICE } from '../model/caller.js';
import { authorOf } from '../model/write-context.js';

/** Access rules of a fresh service: the public reads, every user creates, and creators write. */
export const INITIAL_AUTH_CONFIG: JsonObject = {
    schemaAcls: {
        User: { defaultAclRead: ['public'], defaultAclWrite: ['self'], aclCreate: [] },
        Schema: { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] },
        CordraDesign: { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] }
    },
    defaultAcls: { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] }
};

/** Returns the content of the design object of a fresh service. */
export function initialDesign({ prefix, baseUri }: { prefix: string; baseUri?: string | null | undefined }): JsonObject {

    return {
        handleMintingConfig: { prefix, ...(baseUri ? { baseUri } : {}) },
        authConfig: structuredClone(INITIAL_AUTH_CONFIG)
    };
}

/** Returns the contents of the Schema objects of a fresh service. `keyword` is the name of the extension keyword. */
export function initialTypes(keyword: string): readonly JsonObject[] {

    return [userType(keyword), groupType(keyword), documentType(keyword)];
}

/** Returns the contents that seeded Schema objects had in earlier versions. */
function earlierTypes(keyword: string): readonly JsonObject[] {

    return [documentType(keyword, { name: { maxLength: 128 }, description: { maxLength: 2048 } })];
}

/** Returns the schema for objects whose elements are script modules; `require` finds them under `directory`. */
export function moduleDirectoryTemplate(keyword: string): JsonObject {

    return {
        type: 'object',
        title: 'JavaScriptDirectory',
        required: ['id', 'directory'],
        properties: {
            id: auto(keyword, 'handle'),
            directory: {
                type: 'string', title: 'Directory', [keyword]: { preview: PRIMARY, referrable: { id: true, payloads: 'scripts' } }
            }
        }
    };
}

const PRIMARY = { showInPreview: true, isPrimary: true };
const IN_PREVIEW = { showInPreview: true };

/** Adds members that the schema requires, and enforces a minimum length for new passwords. */
const USER_SCRIPT = `'use strict';

const MIN_PASSWORD_LENGTH = 8;

exports.beforeSchemaValidation = function (object, context) {
    const content = object.content;
    if (content.id === undefined) {
        content.id = '';
    }

    if (content.password === undefined) {
        content.password = '';
    }

    const isGiven = context.isNew || content.password !== '';
    if (isGiven && String(content.password).length < MIN_PASSWORD_LENGTH) {
        throw 'Password is too short. Min length ' + MIN_PASSWORD_LENGTH + ' characters';
    }

    return object;
};
`;

/** Code of the seeded types, which needs no validation. */
export const INITIAL_SCRIPTS: ReadonlySet<string> = new Set([USER_SCRIPT]);

function userType(keyword: string): JsonObject {

    return {
        identifier: '',
        name: 'User',
        schema: {
            type: 'object',
            title: 'User',
            required: ['id', 'username', 'password'],
            properties: {
                id: auto(keyword, 'handle'),
                username: { type: 'string', title: 'Username', [keyword]: { preview: PRIMARY, auth: 'username' } },
                password: { type: 'string', format: 'password', title: 'Password', [keyword]: { auth: 'password' } },
                requirePasswordChange: {
                    type: 'boolean', title: 'Require Password Change', description: 'a new password must be set before anything else',
                    [keyword]: { auth: 'requirePasswordChange' }
                }
            }
        },
        javascript: USER_SCRIPT
    };
}

function groupType(keyword: string): JsonObject {

    return {
        identifier: '',
        name: 'Group',
        schema: {
            type: 'object',
            title: 'Group',
            required: ['id', 'groupName', 'description'],
            properties: {
                id: auto(keyword, 'handle'),
                groupName: { type: 'string', title: 'Group Name', [keyword]: { preview: PRIMARY } },
                description: {
                    type: 'string', format: 'textarea', maxLength: 2048, title: 'Description',
                    [keyword]: { preview: { showInPreview: true, excludeTitle: true } }
                },
                users: {
                    type: 'array', format: 'table', title: 'Users', uniqueItems: true,
                    items: { type: 'string', title: 'User', [keyword]: { type: { handleReference: { types: ['User', 'Group'] } } } },
                    [keyword]: { auth: 'usersList' }
                }
            }
        }
    };
}

function documentType(keyword: string, limits: { name?: JsonObject; description?: JsonObject } = {}): JsonObject {

    return {
        identifier: '',
        name: 'Document',
        schema: {
            type: 'object',
            title: 'Document',
            required: ['id'],
            properties: {
                id: auto(keyword, 'handle'),
                name: { type: 'string', title: 'Name', ...limits.name, [keyword]: { preview: PRIMARY } },
                description: {
                    type: 'string', format: 'textarea', ...limits.description, title: 'Description',
                    [keyword]: { preview: { showInPreview: true, excludeTitle: true } }
                },
                creationDate: auto(keyword, 'creationDate', 'Created', IN_PREVIEW),
                modificationDate: auto(keyword, 'modificationDate', 'Modified', IN_PREVIEW),
                createdBy: auto(keyword, 'createdBy', 'Created by'),
                modifiedBy: auto(keyword, 'modifiedBy', 'Modified by')
            }
        }
    };
}

function auto(keyword: string, field: string, title = 'Identifier', preview?: JsonObject): JsonObject {

    return { type: 'string', title, [keyword]: { type: { autoGeneratedField: field }, ...(preview ? { preview } : {}) } };
}

/** True for a Schema object that the service seeded and that is unchanged since. */
export function isUntouchedDefault({ content, acl, userMetadata, elements, metadata }: StoredObject, extensionKeyword: string): boolean {

    const byService = metadata.createdBy === authorOf(SERVICE) && metadata.modifiedBy === authorOf(SERVICE) && !metadata.isVersion;
    return byService && acl === null && userMetadata === null && elements.length === 0 &&
        [...initialTypes(extensionKeyword), ...earlierTypes(extensionKeyword)]
            .some((initial) => isDeepStrictEqual({ ...initial, identifier: content.identifier }, content));
}
