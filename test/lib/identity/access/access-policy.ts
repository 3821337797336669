/** Rights: one row per rule of the access control lists. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { Acl } from '../../../../lib/doip/digital-object.js';
import { readAclDefaults } from '../../../../lib/types/access-rules.js';
import type { Caller } from '../../../../lib/model/caller.js';
import { ANONYMOUS, denied } from '../../../../lib/model/caller.js';
import { Policy } from '../../../../lib/identity/access/access-policy.js';
import type { MethodCall, Permission } from '../../../../lib/identity/access/access-policy.js';
import type { StoredObject } from '../../../../lib/model/stored-object.js';

export const lab = Lab.script();
const { describe, it } = lab;

const SYSTEM = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] };

const ADMIN: Caller = { ...ANONYMOUS, userId: 'admin', username: 'admin', isAdmin: true, method: 'password' };
const ANN: Caller = { ...ANONYMOUS, userId: 'test/ann', username: 'ann', isAuthenticated: true, groupIds: ['test/g1'], method: 'token' };
const BOB: Caller = { ...ANN, userId: 'test/bob', username: 'bob', groupIds: [] };
const GUEST: Caller = { ...BOB, userId: 'orcid/1', username: null, isAuthenticated: false };

/** A policy from the `authConfig` members of the design object. */
function policyOf(defaultAcls: JsonObject = SYSTEM, schemaAcls: Record<string, JsonObject> = {}): Policy {

    const entries = new Map(Object.entries(schemaAcls).map(([type, entry]) => [type, readAclDefaults(entry)]));
    const system = readAclDefaults(defaultAcls);
    const names = ['Schema', 'User', 'Document'];
    return new Policy(() => ({ system, entryOf: (type) => entries.get(type), typeNames: () => names, entryNames: () => [...names, ...entries.keys()] }));
}

function objectOf(acl: Acl | null = null, facts: { id?: string; type?: string; createdBy?: string } = {}): StoredObject {

    const { id = 'test/1', type = 'Document', createdBy = 'test/owner' } = facts;
    const metadata = { createdOn: 1, createdBy, modifiedOn: 1, modifiedBy: createdBy, txnId: 1 };
    return { id, type, content: {}, acl, userMetadata: null, metadata, elements: [] };
}

describe('the access policy', () => {

    describe('for permissions on an object', () => {

        const cases: readonly (readonly [title: string, caller: Caller, object: StoredObject, expected: Permission])[] = [
            ['lets admin write with any lists', ADMIN, objectOf({ readers: [], writers: [] }), 'WRITE'],
            ['lets anyone read what is public', ANONYMOUS, objectOf({ readers: ['public'], writers: [] }), 'READ'],
            ['lets anyone write what is public to writers', ANONYMOUS, objectOf({ readers: [], writers: ['public'] }), 'WRITE'],
            ['treats an empty list as no callers, not as the default', ANN, objectOf({ readers: [], writers: [] }), 'NONE'],
            ['lets a listed reader read', ANN, objectOf({ readers: ['test/ann'], writers: [] }), 'READ'],
            ['lets a listed writer read and write', ANN, objectOf({ readers: [], writers: ['test/ann'] }), 'WRITE'],
            ['does not treat a username as an id', ANN, objectOf({ readers: ['ann'], writers: [] }), 'NONE'],
            ['lets a member of a listed group read', ANN, objectOf({ readers: ['test/g1'], writers: [] }), 'READ'],
            ['rejects others', BOB, objectOf({ readers: ['test/ann', 'test/g1'], writers: [] }), 'NONE'],
            ['compares ids byte for byte', BOB, objectOf({ readers: ['test/Bob', 'test/bob ', 'TEST/bob'], writers: [] }), 'NONE'],
            ['does not count anonymous callers as authenticated', ANONYMOUS, objectOf({ readers: ['authenticated'], writers: [] }), 'NONE'],
            ['counts users as authenticated', BOB, objectOf({ readers: ['authenticated'], writers: [] }), 'READ'],
            ['does not count callers without user object as authenticated', GUEST, objectOf({ readers: ['authenticated'], writers: [] }), 'NONE'],
            ['accepts callers without user object by their id', GUEST, objectOf({ readers: ['orcid/1'], writers: [] }), 'READ'],
            ['accepts the creator', ANN, objectOf({ readers: ['creator'], writers: [] }, { createdBy: 'test/ann' }), 'READ'],
            ['compares the whole id of the creator', BOB, objectOf({ readers: ['creator'], writers: [] }, { createdBy: 'test/ann' }), 'NONE'],
            ['does not treat a group as the creator', ANN, objectOf({ writers: ['creator'] }, { createdBy: 'test/g1' }), 'READ'],
            ['has no creator for objects of anonymous callers', { ...GUEST, userId: 'anonymous' },
                objectOf({ readers: ['creator', 'anonymous'], writers: [] }, { createdBy: 'anonymous' }), 'NONE'],
            ['accepts users for their own object by self', ANN, objectOf({ readers: ['self'], writers: [] }, { id: 'test/ann' }), 'READ'],
            ['does not treat a group as self', ANN, objectOf({ readers: [], writers: ['self'] }, { id: 'test/g1' }), 'NONE'],
            ['compares keywords case-sensitively', ANN, objectOf({ readers: ['Public', 'AUTHENTICATED', 'Self'], writers: [] }), 'NONE'],
            ['has no keyword admin', ANN, objectOf({ readers: ['admin'], writers: ['admin'] }), 'NONE'],
            ['uses readers and writers in method lists only', ANN, objectOf({ readers: ['writers'], writers: ['readers'] }), 'NONE'],
            ['grants nothing to an id spelled like a keyword', { ...GUEST, userId: 'authenticated' },
                objectOf({ readers: ['authenticated'], writers: [] }), 'NONE'],
            ['falls back to the default readers when only writers are given', ANONYMOUS, objectOf({ writers: [] }), 'READ'],
            ['falls back to the default writers when only readers are given', ANN, objectOf({ readers: [] }, { createdBy: 'test/ann' }), 'WRITE'],
            ['falls back for both without a list', BOB, objectOf(null), 'READ']
        ];

        for (const [title, caller, object, expected] of cases) {
            it(title, () => {

                const policy = policyOf();

                expect(policy.permissionOf(caller, object)).to.equal(expected);
                expect(policy.canRead(caller, object).allowed).to.equal(expected !== 'NONE');
                expect(policy.canWrite(caller, object).allowed).to.equal(expected === 'WRITE');
            });
        }

        it('uses the entry of the type instead of the defaults of the service, with missing arrays as empty', () => {

            const policy = policyOf(SYSTEM, { Document: { defaultAclWrite: ['test/bob'] } });

            expect(policy.permissionOf(ANONYMOUS, objectOf())).to.equal('NONE');
            expect(policy.permissionOf(BOB, objectOf())).to.equal('WRITE');
            expect(policy.permissionOf(ANONYMOUS, objectOf(null, { type: 'Other' }))).to.equal('READ');
        });

        it('grants nothing by malformed rules', () => {

            const policy = policyOf({ defaultAclRead: 'public', defaultAclWrite: { 0: 'public' }, aclCreate: [1, null] });

            expect(policy.permissionOf(ANN, objectOf())).to.equal('NONE');
            expect(policy.canCreate(ANN, 'Document').allowed).to.be.false();
        });

        it('gives the reason for the log', () => {

            const { reason } = policyOf().canRead(BOB, objectOf({ readers: ['test/ann'] }));

            expect(reason).to.equal('readers of test/1 does not admit test/bob');
        });
    });

    describe('for reading elements', () => {

        const listed = objectOf({ readers: ['public'], writers: ['test/bob'], payloadReaders: ['test/ann'] });
        const cases: readonly (readonly [string, Caller, StoredObject, JsonObject, boolean])[] = [
            ['follows the readers without a list for elements', ANONYMOUS, objectOf(), SYSTEM, true],
            ['follows the list of the object', ANN, listed, SYSTEM, true],
            ['rejects readers who are not on the list', ANONYMOUS, listed, SYSTEM, false],
            ['includes writers', BOB, listed, SYSTEM, true],
            ['follows the default list', ANONYMOUS, objectOf(), { ...SYSTEM, defaultAclPayloadRead: ['authenticated'] }, false],
            ['treats an empty list as no callers', ANN, objectOf({ payloadReaders: [] }), SYSTEM, false]
        ];

        for (const [title, caller, object, defaults, expected] of cases) {
            it(title, () => {

                expect(policyOf(defaults).canReadPayload(caller, object).allowed).to.equal(expected);
            });
        }
    });

    describe('for creating objects', () => {

        const types = { User: { aclCreate: [] }, Schema: { aclCreate: ['test/g1', 'creator', 'self'] } };

        const cases: readonly (readonly [string, Caller, string[]])[] = [
            ['lets admin create every type', ADMIN, ['Schema', 'User', 'Document']],
            ['lets a group create', ANN, ['Schema', 'Document']],
            ['falls back to the service for types without an entry', BOB, ['Document']],
            ['grants anonymous callers nothing by authenticated', ANONYMOUS, []]
        ];

        for (const [title, caller, expected] of cases) {
            it(title, () => {

                expect(policyOf(SYSTEM, types).typesPermittedToCreate(caller)).to.equal(expected);
            });
        }
    });

    describe('for calling methods', () => {

        const aclMethods = {
            instance: { sign: ['authenticated'], mine: ['self'], look: ['readers'] },
            static: { count: ['public'] },
            default: { instance: ['test/g1'], static: ['writers'] }
        };
        const own = { Document: { ...SYSTEM, aclMethods } };
        const document = objectOf(null, { createdBy: 'test/bob' });
        const schema = objectOf({ writers: ['test/bob'] }, { id: 'test/schema', type: 'Schema' });
        const call = (method: string, kind: MethodCall['kind'] = 'instance', object: StoredObject | null = document): MethodCall => {

            return { kind, type: 'Document', method, object };
        };

        const cases: readonly (readonly [string, Policy, Caller, MethodCall, boolean])[] = [
            ['lets admin call unlisted methods', policyOf(SYSTEM, { Document: { aclMethods: {} } }), ADMIN, call('x'), true],
            ['accepts writers without any rules', policyOf(), BOB, call('x'), true],
            ['rejects readers without any rules', policyOf(), ANN, call('x'), false],
            ['accepts writers of the Schema object for a static method', policyOf(), BOB, call('x', 'static', schema), true],
            ['rejects others for a static method', policyOf(), ANN, call('x', 'static', schema), false],
            ['accepts only admin for a static method without Schema object', policyOf(), BOB, call('x', 'static', null), false],
            ['follows the rule of the method', policyOf(SYSTEM, own), ANN, call('sign'), true],
            ['rejects others by the rule of the method', policyOf(SYSTEM, own), ANONYMOUS, call('sign'), false],
            ['supports readers', policyOf(SYSTEM, own), ANONYMOUS, call('look'), true],
            ['supports self', policyOf(SYSTEM, own), BOB, call('mine', 'instance', objectOf(null, { id: 'test/bob' })), true],
            ['separates the rules of instance and static methods', policyOf(SYSTEM, own), ANONYMOUS, call('count'), false],
            ['follows the rule of a static method', policyOf(SYSTEM, own), ANONYMOUS, call('count', 'static', schema), true],
            ['falls back to the default of the kind', policyOf(SYSTEM, own), ANN, call('other'), true],
            ['falls back to the default for static methods', policyOf(SYSTEM, own), ANN, call('other', 'static', schema), false],
            ['rejects callers when neither the method nor a default is listed', policyOf(SYSTEM, { Document: { aclMethods: { instance: {} } } }),
                BOB, call('x'), false],
            ['falls back to the service when the entry of the type has no methods',
                policyOf({ ...SYSTEM, aclMethods }, { Document: SYSTEM }), ANONYMOUS, call('look'), true],
            ['does not merge the entry of the type with the rules of the service',
                policyOf({ ...SYSTEM, aclMethods }, { Document: { ...SYSTEM, aclMethods: { default: {} } } }), ANN, call('sign'), false],
            ['finds nothing under inherited names', policyOf(SYSTEM, { Document: { aclMethods: { instance: {} } } }), BOB, call('constructor'), false],
            ['prefers the list of the object to the rules of its type', policyOf(SYSTEM, own), ANONYMOUS,
                call('sign', 'instance', objectOf({ methods: { sign: ['public'] } })), true],
            ['rejects writers by an empty list of the object', policyOf(), BOB, call('x', 'instance', objectOf({ writers: ['test/bob'], methods: { x: [] } })), false],
            ['finds nothing in the list of the object under inherited names', policyOf(), ANN, call('toString', 'instance', objectOf({ methods: {} })), false],
            ['treats methods of the design object like those of instances', policyOf(SYSTEM, { CordraDesign: { aclMethods } }),
                ANN, { kind: 'service', type: 'CordraDesign', method: 'sign' }, true]
        ];

        for (const [title, policy, caller, methodCall, expected] of cases) {
            it(title, () => {

                expect(policy.canCall(caller, methodCall).allowed).to.equal(expected);
            });
        }
    });

    describe('for missing objects', () => {

        const cases: readonly (readonly [string, Caller, string[], boolean])[] = [
            ['reveals that they are missing where everything is public', ANONYMOUS, ['public'], true],
            ['reveals that they are missing to admin', ADMIN, [], true],
            ['hides that they are missing from callers who could read nothing', BOB, ['creator', 'self'], false],
            ['reveals that they are missing to possible readers', BOB, ['authenticated'], true]
        ];

        for (const [title, caller, defaultAclRead, expected] of cases) {
            it(title, () => {

                expect(policyOf({ ...SYSTEM, defaultAclRead }).canReadUnknown(caller).allowed).to.equal(expected);
            });
        }
    });

    it('hides nothing by default, and from readers what the option says', () => {

        const object = objectOf({ readers: ['public'], writers: ['test/ann'] });
        const hiding = new Policy(() => ({ system: readAclDefaults(SYSTEM), entryOf: () => undefined, typeNames: () => [], entryNames: () => [] }),
            (whole) => ({ ...whole, acl: null }));

        expect(policyOf().visibleTo(BOB, object) === object).to.be.true();
        expect(hiding.visibleTo(ANN, object) === object).to.be.true();
        expect(hiding.visibleTo(BOB, object).acl).to.be.null();
    });

    it('returns the entries for a search that grant access to a caller', () => {

        const policy = policyOf();

        expect(policy.readPrincipals(ANONYMOUS)).to.equal({ all: false, entries: ['public'], userId: null });
        expect(policy.readPrincipals(ANN)).to.equal({
            all: false, entries: ['public', 'authenticated', 'test/ann', 'test/g1'], userId: 'test/ann'
        });
        expect(policy.readPrincipals(ADMIN).all).to.be.true();
    });

    it('rejects anonymous callers with 401 and others with 403, with the reason in the log only', () => {

        const anonymous = denied(ANONYMOUS, 'secret rule');
        const known = denied(ANN, 'secret rule');

        expect([anonymous.status, known.status]).to.equal(['0.DOIP/Status.102', '0.DOIP/Status.103']);
        expect([anonymous.reason, known.reason]).to.equal(['secret rule', 'secret rule']);
        expect(`${anonymous.message} ${known.message}`).to.not.contain('secret');
    });
});
