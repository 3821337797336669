/**
 * Built-in operations and their result schemas: each operation has one or is known to have none, and what a real service answers is as the
 * schema says.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import { DIGITAL_OBJECT, IDS, METHOD, searchResults, TEXT } from '../../../lib/doip/result-schemas.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { OPERATION_DESCRIPTION } from '../../../lib/core/operation-description.js';
import { builtInOperations } from '../../../lib/operations/index.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { account, ACCOUNT, basic, defineAccounts, tokenOf } from '../../support/accounts.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import type { Answer, ShortRequest, TestGateway } from '../../support/gateway.js';
import { ADMIN, startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';

/** Operations without a schema of their result, and what they send instead. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
    [Op.delete]: ['none'],
    // The response has attributes alone.
    [Op.loginBegin]: ['none'],
    [Op.loginComplete]: ['none'],
    [Op.exportObjects]: ['bytes'],
    // What the method returns or writes.
    [Op.call]: ['json', 'bytes', 'none']
};

/** Operations that have a schema, and send something else as well. */
const BESIDE: Readonly<Record<string, readonly string[]>> = { [Op.retrieve]: ['json', 'bytes', 'segments'] };

const CODE = `
    exports.methods = { show: (object) => object.content.name };
    exports.methods.show.allowGet = true;
    exports.methods.show.description = { summary: 'the name', params: false, result: { type: 'string' } };
    exports.staticMethods = { count: () => 1 };
`;
const SCHEMA: JsonObject = {
    type: 'object', required: ['name'],
    properties: { name: { type: 'string' }, friend: { type: 'string', cordra: { type: { handleReference: { types: ['Note'] } } } } }
};

/** A request, by what those before it have left; and a schema that is narrower than that of the operation. */
type Case = readonly [operation: string, request?: ShortRequest | ((state: State) => ShortRequest), narrower?: JsonObject];

interface State {
    readonly schemaId: string;
    readonly token: string;
    readonly session: JsonObject;
    readonly key: { readonly id: string; readonly key: string };
    readonly exported: string;
}

const search = (attributes: JsonObject, more: ShortRequest = {}): ShortRequest => ({ ...more, attributes: { query: '*:*', ...attributes } });
const onNote = (attributes: JsonObject = {}): ShortRequest => ({ targetId: 'test/note', attributes });
const note = (id: string, more: JsonObject = {}): JsonObject => ({ id, type: 'Note', attributes: { content: { name: id }, ...more } });
const anonymous = { authentication: {} };
const asAnn = { authentication: basic('ann') };

const CASES: readonly Case[] = [
    [Op.create, { input: note('test/plain') }],
    [Op.create, { input: note('test/dry'), attributes: { dryRun: true } }],
    [Op.create, {
        input: [
            jsonSegment(note('test/note', {
                content: { name: 'note', friend: 'test/plain' }, acl: { readers: ['public'], writers: ['test/ann'], payloadReaders: [], methods: { show: ['public'] } },
                userMetadata: { batch: 7 }
            })),
            jsonSegment({ id: 'bare' }), bytesSegment(Buffer.from('bytes')),
            jsonSegment({ id: 'named' }), bytesSegment(Buffer.from('{}'), { mediaType: 'application/json', filename: 'n.json' })
        ]
    }],
    [Op.update, { targetId: 'test/note', input: { attributes: { content: { name: 'new', friend: 'test/plain' } } } }],
    [Op.update, { targetId: 'test/note', input: { attributes: { content: { name: 'dry' } } }, attributes: { dryRun: true } }],
    [Op.retrieve, onNote(), DIGITAL_OBJECT],
    [Op.retrieve, { ...onNote(), ...anonymous }, DIGITAL_OBJECT],
    [Op.retrieve, onNote({ jsonPointer: '/name' }), TEXT],
    [Op.retrieve, onNote({ filter: ['/attributes/content/name'] })],
    [Op.versionsPublish, onNote({ versionId: 'test/v1' })],
    [Op.versionsPublish, onNote({ clonePayloads: false })],
    [Op.versionsGet, onNote()],
    [Op.versionsGet, { targetId: 'test/v1' }],
    [Op.versionsGet, { targetId: 'test/plain' }],
    [Op.retrieve, { targetId: 'test/v1' }, DIGITAL_OBJECT],
    [Op.relationshipsGet, onNote()],
    [Op.relationshipsGet, { targetId: 'test/plain' }],
    [Op.relationshipsGet, { targetId: 'test/plain', attributes: { outboundOnly: true } }],
    [Op.rightsExplain, onNote()],
    [Op.rightsExplain, { ...onNote(), ...anonymous }],
    [Op.rightsExplain, onNote({ user: 'test/ann' })],
    [Op.labels, { attributes: { ids: ['test/note', 'test/nothing'] } }],
    [Op.labels, { ...anonymous, input: [jsonSegment([])] }],
    [Op.aclsGet, onNote()],
    [Op.aclsGet, { targetId: 'test/plain' }],
    [Op.aclsUpdate, { ...onNote(), input: { readers: ['public'], methods: { show: ['authenticated'] } } }],
    [Op.aclsUpdate, { targetId: 'test/plain', input: null }],
    [Op.search, search({}), searchResults(DIGITAL_OBJECT)],
    [Op.search, search({ includeScore: true, includeVersions: true, pageSize: 2, pageNum: 1 }), searchResults(DIGITAL_OBJECT)],
    [Op.search, search({ facets: [{ field: 'type' }, { field: '/name', maxBuckets: 1 }], pageSize: 0 })],
    [Op.search, search({ type: 'id' }), searchResults(TEXT)],
    [Op.search, search({ filter: ['/id'] })],
    [Op.search, search({ query: 'name:nothing' })],
    [Op.search, search({}, anonymous), searchResults(DIGITAL_OBJECT)],
    [Op.listMethods, onNote(), IDS],
    [Op.listMethods, onNote({ includeCrud: true }), IDS],
    [Op.listMethods, { attributes: { type: 'Note', static: true } }, IDS],
    [Op.listMethods, {}, IDS],
    [Op.listMethods, onNote({ describe: true, includeCrud: true }), { type: 'array', items: METHOD }],
    [Op.listOperations, {}, IDS],
    [Op.listOperations, onNote(), IDS],
    [Op.listOperations, { attributes: { describe: true } }, { type: 'array', items: OPERATION_DESCRIPTION }],
    [Op.listOperations, onNote({ describe: true })],
    [Op.describe],
    [Op.hello],
    [Op.getDesign],
    [Op.getInitData],
    [Op.getInitData, anonymous],
    [Op.getInitData, asAnn],
    [Op.schemasList],
    [Op.schemasGet, { attributes: { type: 'Note' } }],
    [Op.schemasCheck, { attributes: { type: 'Note', pageSize: 1 }, input: { required: ['absent'] } }],
    [Op.schemasRehearse, { targetId: 'test/note', input: { schema: {} } }],
    [Op.schemaTemplates],
    [Op.schemasUpdate, { attributes: { type: 'Fresh' }, input: { type: 'object' } }],
    [Op.schemasUpdate, { attributes: { type: 'Fresh' }, input: { type: 'object', required: ['a'] } }],
    [Op.schemasDelete, { attributes: { type: 'Fresh' } }],
    [Op.authToken, { input: basic('ann'), ...anonymous }],
    [Op.authToken, { input: ADMIN, attributes: { full: true }, ...anonymous }],
    [Op.authIntrospect, ({ token }) => ({ input: { token } })],
    [Op.authIntrospect, ({ token }) => ({ input: { token }, attributes: { full: true } })],
    [Op.authIntrospect, { input: { token: 'none' } }],
    [Op.authRevoke, ({ token }) => ({ input: { token } })],
    [Op.authRevoke, { input: { token: 'none' } }],
    [Op.checkCredentials],
    [Op.checkCredentials, { ...asAnn, attributes: { full: true } }],
    [Op.checkCredentials, { ...anonymous, attributes: { full: true } }],
    [Op.keysCreate, { input: { name: 'plain' } }],
    [Op.keysCreate, { ...asAnn, input: { name: 'narrow', operations: ['Retrieve'], types: ['Note'], readOnly: true, expiresInDays: 2 } }],
    [Op.checkCredentials, ({ key }) => ({ authentication: { token: key.key }, attributes: { full: true } })],
    [Op.keysList],
    [Op.keysList, asAnn],
    [Op.keysList, { attributes: { all: true, pageSize: 1 } }],
    [Op.keysRevoke, ({ key }) => ({ attributes: { keyId: key.id } })],
    [Op.keysList, { attributes: { userId: 'test/nobody' } }],
    [Op.tokensList],
    [Op.tokensList, { attributes: { userId: 'test/ann' } }],
    [Op.tokensRevoke, { ...asAnn, attributes: { all: true } }],
    [Op.sessionsGet, anonymous],
    [Op.sessionsCreate, asAnn],
    [Op.sessionsGet, ({ session }) => ({ authentication: session })],
    [Op.sessionsGet, ({ session }) => ({ authentication: session, attributes: { full: true } })],
    [Op.sessionsDelete, ({ session }) => ({ authentication: session })],
    [Op.loginProviders],
    [Op.usage],
    [Op.usage, { attributes: { user: 'test/ann', type: 'Note' } }],
    [Op.usage, asAnn],
    [Op.batchUpload, { input: [note('test/b1'), note('test/note'), { id: 'test/b2', type: 'Note', attributes: { content: {} } }, { type: 'Absent' }] }],
    [Op.batchUpload, { input: [jsonSegment([])] }],
    [Op.batchUpload, { input: [note('test/b3')], attributes: { failFast: true, parallel: false } }],
    [Op.uploadObjects, { input: [note('test/u1')] }],
    [Op.importObjects, ({ exported }) => ({ input: [bytesSegment(Buffer.from(exported), { mediaType: 'application/x-ndjson' })] })],
    [Op.importObjects, { input: [note('test/i1'), { id: 'test/i2', type: 'Absent', attributes: { content: {} } }] }],
    [Op.reindexBatch, { input: ['test/note', 'test/nothing'] }],
    [Op.reindexBatch, { attributes: { query: 'name:note' } }],
    [Op.highestSafeTxnId],
    [Op.handlesStatus],
    [Op.handlesUpdate],
    [Op.handlesStatus],
    [Op.handlesResolve, onNote()],
    [Op.handlesResolve, onNote({ index: [99] })],
    [Op.handlesResolve, {}],
    [Op.handlesLocate, onNote()],
    [Op.handlesLocate, onNote({ view: 'json' })],
    [Op.handlesLocate, {}],
    [Op.startupStatus],
    [Op.status],
    [Op.status],
    [Op.health],
    [Op.health, { attributes: { check: 'live' }, ...anonymous }],
    [Op.auditList],
    [Op.auditList, { attributes: { pageSize: 1 } }],
    [Op.auditList, { attributes: { objectId: 'test/nothing' } }],
    [Op.payloadsMove, { attributes: { job: 1 } }],
    [Op.auditVerify],
    [Op.auditVerify, { attributes: { expect: `1:${'0'.repeat(64)}` } }],
    [Op.changePassword, { ...asAnn, input: 'another-password' }],
    [Op.changeAdminPassword, { input: { password: 'another-password' } }]
];

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
const checks = new Map<string, ValidateFunction>();
for (const { id, resultSchema } of builtInOperations) {
    if (resultSchema) {
        checks.set(id, ajv.compile(resultSchema));
    }
}

describe('the built-in operations', () => {

    it('describe their results, or say what they send instead', () => {

        const [without, beside] = [{ ...WITHOUT }, { ...BESIDE }] as Record<string, readonly string[]>[];
        for (const { id, resultSchema, outputs } of builtInOperations) {
            expect<unknown>([id, outputs]).to.equal([id, resultSchema ? beside?.[id] : without?.[id]]);
            expect(resultSchema !== undefined || without?.[id] !== undefined, id).to.be.true();
        }

        const ids = builtInOperations.map(({ id }) => id);
        expect(ids).to.include([...Object.keys(WITHOUT), ...Object.keys(BESIDE)]);
    });

    it('are all requested below', () => {

        const tested = new Set(CASES.map(([operation]) => operation));
        expect(builtInOperations.map(({ id }) => id).filter((id) => !tested.has(id) && !WITHOUT[id])).to.equal([]);
    });
});

forEachDatabase((name, create) => {

    describe(`results on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        const state: Record<string, unknown> = {};

        before(async () => {

            place = await create();
            test = await startGateway(place, {
                auditDays: 10, quotas: { countUsage: true, userObjects: 0, userBytes: 10_000_000, typeObjects: 0, typeBytes: 0 }
            });
            await defineAccounts(test);
            const javascript = CODE;
            state['schemaId'] = (await test.create('Schema', { name: 'Note', schema: SCHEMA, javascript }, { id: 'test/note-type' })).id;
            await test.create(ACCOUNT, account('ann'), { id: 'test/ann' });
            const { value } = await test.asAdmin(Op.retrieve, { targetId: 'design' });
            const { content } = (value as { attributes: { content: JsonObject } }).attributes;
            await test.asAdmin(Op.update, { targetId: 'design', input: { attributes: { content: { ...content, useLegacySessionsApi: true } } } });
            state['token'] = await tokenOf(test, basic('ann'));
            state['exported'] = String((await test.asAdmin(Op.exportObjects)).output[0]);
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        /** What later requests need of an answer. */
        const collect = (operation: string, { value, attributes }: Answer): void => {

            state['key'] = operation === Op.keysCreate ? value : state['key'];
            state['session'] = operation === Op.sessionsCreate ? attributes['session'] : state['session'];
        };

        it('are as their operations say', async () => {

            const wrong: unknown[] = [];
            for (const [operation, request = {}, narrower] of CASES) {
                const given = typeof request === 'function' ? request(state as unknown as State) : request;
                const answer = await test.asAdmin(operation, given);
                if (answer.status !== OK || answer.output.length !== 1) {
                    wrong.push([operation, given, answer.status, answer.output]);
                    continue;
                }

                collect(operation, answer);
                const check = checks.get(operation);
                for (const each of [check, ...narrower ? [ajv.compile(narrower)] : []]) {
                    if (each?.(answer.value) !== true) {
                        wrong.push([operation, given, ajv.errorsText(each?.errors), JSON.stringify(answer.value).slice(0, 500)]);
                    }
                }
            }

            expect(wrong).to.equal([]);
        });
    });
});
