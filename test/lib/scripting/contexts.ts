/** What every hook and method is told in its argument `context`: all members, and no others. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { Answer, ShortRequest } from '../../support/gateway.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { forEachDatabase } from '../../support/database.js';
import { changeDesign, contentOf, messageOf, OPEN_SCHEMA, startNodes, type Nodes } from '../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Says in the place of its work what it was told, as a refusal where that is possible. */
const CODE = `
const HOOKS = ['beforeSchemaValidation', 'generateId', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing', 'beforeDelete'];
HOOKS.forEach((hook) => { exports[hook] = (object, context) => { if (object.content.tell === hook) { throw JSON.stringify(context); } }; });
exports.onObjectResolution = (object, context) => { object.content.told = context; };
exports.onPayloadResolution = (object, { directIo, ...context }) => directIo.writeOutputJson({ ...context, directIo: Object.keys(directIo).length > 0 });
exports.methods = { tell: (object, { directIo, ...context }) => ({ ...context, directIo: typeof directIo.getInputAsString() }) };
exports.staticMethods = { tell: ({ directIo, ...context }) => ({ ...context, directIo: typeof directIo.getInputAsString() }) };
`;
const DESIGN_CODE = `
const tell = (query, context) => { throw JSON.stringify(context); };
exports.customizeQuery = (query, context) => query.includes('tell') ? tell(query, context) : query;
exports.methods = exports.staticMethods = { tellAll: (...args) => { const { directIo, ...context } = args[args.length - 1]; return { ...context, directIo: typeof directIo }; } };
`;

const CREATE = '0.DOIP/Op.Create';
const UPDATE = '0.DOIP/Op.Update';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const CALL = 'gateway/Op.Call';
const ANN = { username: 'ann', password: 'password of ann' };

const RULES = { readers: ['public'], writers: ['test/ann'] };
const WHO = { userId: 'test/ann', groups: ['test/team'], grantAuthenticatedAccess: true, requestContext: { from: 'ann' } };
const ABOUT = { ...WHO, objectId: 'test/told', effectiveAcl: RULES };
const NEW = { ...WHO, effectiveAcl: { readers: ['public'], writers: ['test/team'] }, aclCreate: ['authenticated'], isNew: true, isUpdate: false };
const CHANGED = { ...ABOUT, isNew: false, isUpdate: true };
const METHOD = { method: 'tell', isNew: false, params: [1], attributes: { a: { b: 2 } }, hasUserObject: true, directIo: 'string' };
const SENT = { newPayloads: [{ name: 'scan', mediaType: 'text/plain', size: 3 }] };

/** A request by Ann, and what the code is told of it. `original` where it is told of the object before, too. */
interface Case {
    readonly title: string;
    readonly operation: string;
    /** Made anew for each database: what it sends can be read once. */
    readonly request: () => ShortRequest;
    readonly told: (answer: Answer) => unknown;
    readonly expected: JsonObject;
    readonly original?: true;
}

const refusal = (answer: Answer): unknown => JSON.parse(String(messageOf(answer)));

function written(hook: string, operation: string, { expected, original }: { expected: JsonObject; original?: true }): Case {

    const content = { tell: hook };
    const object = { type: 'Told', attributes: { content }, elements: [{ id: 'scan', type: 'text/plain' }] };
    return {
        title: `${hook} of ${operation}`, operation, told: refusal, expected, ...original ? { original } : {},
        request: () => ({
            ...operation === UPDATE ? { targetId: 'test/told', attributes: { elementsToDelete: ['old'] } } : {},
            input: [jsonSegment(object), jsonSegment({ id: 'scan' }), bytesSegment(Buffer.from('abc'))]
        })
    };
}

const CASES: readonly Case[] = [
    written('beforeSchemaValidation', CREATE, { expected: { ...NEW, ...SENT, payloadsToDelete: [] } }),
    // The id is about to be made, and payloads are told once.
    written('generateId', CREATE, { expected: { ...NEW, isUpdate: null } }),
    written('beforeSchemaValidation', UPDATE, { expected: { ...CHANGED, ...SENT, payloadsToDelete: ['old'] }, original: true }),
    written('beforeSchemaValidationWithId', UPDATE, { expected: CHANGED, original: true }),
    written('beforeStorage', UPDATE, { expected: CHANGED, original: true }),
    written('objectForIndexing', UPDATE, { expected: { objectId: 'test/told' } }),
    { title: 'beforeDelete', operation: '0.DOIP/Op.Delete', told: refusal, expected: { ...ABOUT, objectId: 'test/deleting' }, request: () => ({ targetId: 'test/deleting' }) },
    { title: 'onObjectResolution', operation: RETRIEVE, told: (answer) => contentOf(answer)['told'], expected: ABOUT, request: () => ({ targetId: 'test/told' }) },
    {
        title: 'onObjectResolution in a search', operation: '0.DOIP/Op.Search', expected: { ...ABOUT, isSearch: true },
        told: ({ value }) => (value as { results: { attributes: { content: JsonObject } }[] }).results[0]?.attributes.content['told'],
        request: () => ({ attributes: { query: 'id:"test/told"' } })
    },
    {
        title: 'onPayloadResolution', operation: RETRIEVE, told: ({ value }) => JSON.parse(String(value)) as unknown,
        expected: { ...ABOUT, payload: 'old', start: 1, end: 2, directIo: true },
        request: () => ({ targetId: 'test/told', attributes: { element: 'old', range: { start: 1, end: 2 } } })
    },
    {
        title: 'an instance method', operation: CALL, told: ({ value }) => value, expected: { ...ABOUT, ...METHOD },
        request: () => ({ targetId: 'test/told', attributes: { method: 'tell', params: [1], attributes: { a: { b: 2 } } } })
    },
    {
        title: 'a static method', operation: CALL, told: ({ value }) => value, expected: { ...WHO, ...METHOD },
        request: () => ({ attributes: { type: 'Told', method: 'tell', params: [1], attributes: { a: { b: 2 } } } })
    },
    { title: 'customizeQuery', operation: '0.DOIP/Op.Search', told: refusal, expected: WHO, request: () => ({ attributes: { query: '/tell:1' } }) }
];

forEachDatabase((name, create) => {

    describe(`the context of hooks and methods, on ${name}`, () => {

        let nodes: Nodes;

        before(async () => {

            nodes = await startNodes(create);
            const { node } = nodes;
            await node.create('User', ANN, { id: 'test/ann' });
            await node.create('Group', { groupName: 'team', description: '', users: ['test/ann'] }, { id: 'test/team' });
            await node.create('Schema', {
                identifier: '', name: 'Told', schema: OPEN_SCHEMA, javascript: CODE, authConfig: {
                    defaultAclRead: ['public'], defaultAclWrite: ['test/team'], aclCreate: ['authenticated'],
                    aclMethods: { default: { instance: ['authenticated'], static: ['authenticated'] } }
                }
            });
            await node.asAdmin(CREATE, {
                input: [
                    jsonSegment({ id: 'test/told', type: 'Told', attributes: { content: {}, acl: RULES } }), jsonSegment({ id: 'old' }), bytesSegment(Buffer.from('abcd'))
                ]
            });
            await node.create('Told', { tell: 'beforeDelete' }, { id: 'test/deleting', attributes: { acl: RULES } });
            await changeDesign(node, { javascript: DESIGN_CODE });
        });

        after(() => nodes.stop());

        for (const { title, operation, request, told, expected, original } of CASES) {
            it(`is complete for ${title}`, async () => {

                const sent = request();
                const answer = await nodes.node.perform(operation, {
                    ...sent, authentication: ANN, attributes: { ...sent.attributes, requestContext: { from: 'ann' } }
                });
                const { originalObject, ...rest } = told(answer) as JsonObject;

                expect<unknown>(rest).to.equal(Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== null)));
                expect<unknown>((originalObject as JsonObject | undefined)?.['id']).to.equal(original ? 'test/told' : undefined);
            });
        }

        it('is complete for methods of the service', async () => {

            const { value } = await nodes.node.asAdmin('tellAll', { attributes: { params: 1, x: 2, requestContext: { from: 'admin' } } });

            expect<unknown>(value).to.equal({
                userId: 'admin', groups: [], grantAuthenticatedAccess: true, requestContext: { from: 'admin' }, objectId: 'design',
                effectiveAcl: { readers: ['public'], writers: [] }, method: 'tellAll', isNew: false, params: 1, attributes: { params: 1, x: 2, requestContext: { from: 'admin' } }, hasUserObject: false,
                directIo: 'object'
            });
        });

        it('has no caller where there is none', async () => {

            const { value } = await nodes.node.perform(RETRIEVE, { targetId: 'test/told' });

            expect<unknown>((value as { attributes: { content: JsonObject } }).attributes.content['told']).to.equal({ groups: [], objectId: 'test/told', effectiveAcl: RULES });
        });
    });
});
