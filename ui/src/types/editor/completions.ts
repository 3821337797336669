/** Suggestions for type code: hooks, the modules of the service, members of objects and contexts. */

import type { CodeCompletion } from '../../code/code-editor.js';

type Entry = readonly [label: string, detail: string];

/** Hooks of a type, in the order of their calls. */
export const HOOKS: readonly Entry[] = [
    ['beforeSchemaValidation', 'object, context'], ['generateId', 'object, context'], ['beforeSchemaValidationWithId', 'object, context'], ['beforeStorage', 'object, context'],
    ['objectForIndexing', 'object, context'], ['afterCreateOrUpdate', 'object, context'], ['onObjectResolution', 'object, context'], ['onPayloadResolution', 'object, context'],
    ['beforeDelete', 'object, context'], ['afterDelete', 'object, context'], ['getAuthConfig', 'context']
];

/** Hooks that return the object, which they may change. */
const RETURNING: ReadonlySet<string> = new Set(['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'objectForIndexing', 'onObjectResolution']);

const CORDRA: readonly Entry[] = [
    ['get', 'id'], ['search', 'query, {pageNum, pageSize, sortFields}'], ['create', 'object'], ['update', 'object'], ['delete', 'id'], ['getPayloadAsString', 'id, name'],
    ['getPayloadAsUint8Array', 'id, name'], ['getPayloadAsJson', 'id, name'], ['CordraError', 'body, status']
];

const UTIL: readonly Entry[] = [
    ['verifySecret', 'object, pointer, secret'], ['verifyHashes', 'object'], ['hashJson', 'value'], ['escapeForQuery', 'text'], ['validateWithSchema', 'value, schema'],
    ['getGroupsForUser', 'id'], ['extractJwtPayload', 'jwt'], ['signWithKey', 'payload, jwk'], ['verifyWithKey', 'jwt, jwk'], ['signWithCordraKey', 'payload'],
    ['verifyWithCordraKey', 'jwt'], ['getCordraPublicKey', '']
];

const CONTEXT = [
    'objectId', 'effectiveAcl', 'userId', 'groups', 'grantAuthenticatedAccess', 'requestContext', 'isNew', 'isUpdate', 'isDryRun', 'originalObject', 'newPayloads',
    'payloadsToDelete', 'aclCreate', 'payload', 'start', 'end', 'isSearch', 'method', 'params', 'attributes', 'hasUserObject', 'directIo'
];

const DIRECT_IO: readonly Entry[] = [
    ['getInputAsString', ''], ['getInputAsJson', ''], ['getInputAsUint8Array', ''], ['getInputFilename', ''], ['getInputMediaType', ''], ['writeOutputString', 'text'],
    ['writeOutputJson', 'value'], ['writeOutputUint8Array', 'bytes'], ['setOutputMediaType', 'type'], ['setOutputFilename', 'name']
];

const OBJECT = ['id', 'type', 'content', 'acl', 'userMetadata', 'metadata', 'payloads'];

const KEYWORDS = ['const', 'let', 'function', 'return', 'if', 'else', 'for', 'of', 'throw', 'new', 'try', 'catch', 'async', 'await', 'exports', 'require', 'context', 'object', 'cordra'];

/** Suggestions for the text before a word. `fields` are names of properties of the content. */
export function completionsFor(before: string, fields: readonly string[]): readonly CodeCompletion[] {

    const [, quote] = /require\(\s*(['"])$/.exec(before) ?? [];
    if (quote !== undefined) {
        return ['cordra', 'cordraUtil'].map((label) => ({ label }));
    }

    const [, owner = ''] = /(?<![\w$.?])([\w$.?]{1,200})\.$/.exec(before) ?? [];
    const name = owner.replaceAll('?', '');
    if (name.endsWith('content')) {
        return fields.map((label) => ({ label, kind: 'property' }));
    }

    switch (name.split('.').at(-1)) {
        case 'cordra': {
            return CORDRA.map(call);
        }

        case 'cordraUtil': {
            return UTIL.map(call);
        }

        case 'exports': {
            return [...HOOKS.map(([label, detail]): CodeCompletion => ({ label, detail, apply: hookText(label).replace(/^exports\./, ''), kind: 'function' })),
                { label: 'methods', kind: 'property' }, { label: 'staticMethods', kind: 'property' }];
        }

        case 'context': {
            return CONTEXT.map((label) => ({ label, kind: 'property' }));
        }

        case 'directIo': {
            return DIRECT_IO.map(call);
        }

        case 'object':
        case 'originalObject': {
            return OBJECT.map((label) => ({ label, kind: 'property' }));
        }

        default: {
            return owner === '' ? KEYWORDS.map((label) => ({ label, kind: 'keyword' })) : [];
        }
    }
}

function call([label, detail]: Entry): CodeCompletion {

    return { label, detail, kind: 'method' };
}

/** The text of a new hook. */
export function hookText(name: string): string {

    const [, parameters = 'object, context'] = HOOKS.find(([each]) => each === name) ?? [];
    const body = RETURNING.has(name) ? '    return object;\n' : name === 'generateId' ? '    return null;\n' : name === 'getAuthConfig' ? '    return context.authConfig;\n' : '';
    return `exports.${name} = function (${parameters}) {\n${body}};\n`;
}
