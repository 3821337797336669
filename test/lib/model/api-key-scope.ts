/** Scopes of API keys: one row per rule, and comparisons of random scopes by what they permit. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Op } from '../../../lib/doip/operation-ids.js';
import type { ApiKeyScope, ScopedOperation } from '../../../lib/model/api-key-scope.js';
import { admitsOperation, isWithin } from '../../../lib/model/api-key-scope.js';
import { seeded } from '../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

const SEED = Number(process.env['SCOPE_SEED'] ?? Date.now() % 1_000_000);

function scope(facts: Partial<Record<'operations' | 'types', readonly string[]>> & Partial<Pick<ApiKeyScope, 'readOnly' | 'expiresOn'>> = {}): ApiKeyScope {

    const { operations, types, readOnly = false, expiresOn = null } = facts;
    return { id: 'k', name: 'k', operations: operations ? new Set(operations) : null, types: types ? new Set(types) : null, readOnly, expiresOn };
}

const reading = (id: string): ScopedOperation => ({ id, isReading: true });
const writing = (id: string): ScopedOperation => ({ id, isReading: false });

describe('the scope of an API key', () => {

    const cases: readonly (readonly [title: string, scope: ApiKeyScope, operation: ScopedOperation, expected: boolean])[] = [
        ['without restriction permits an update', scope(), writing(Op.update), true],
        ['without restriction permits no new keys', scope(), writing(Op.keysCreate), false],
        ['without restriction permits no revocation of keys', scope(), writing(Op.keysRevoke), false],
        ['without restriction permits no change of a password', scope(), writing(Op.changePassword), false],
        ['without restriction permits no change of the password of admin', scope(), writing(Op.changeAdminPassword), false],
        ['without restriction permits no export, which has password hashes', scope(), writing(Op.exportObjects), false],
        ['without restriction permits no import', scope(), writing(Op.importObjects), false],
        ['that names an operation permits it', scope({ operations: [Op.keysCreate] }), writing(Op.keysCreate), true],
        ['that names an operation permits no other', scope({ operations: [Op.create] }), writing(Op.update), false],
        ['that names an operation permits to check the key', scope({ operations: [Op.create] }), reading(Op.checkCredentials), true],
        ['that names an operation permits to list operations', scope({ operations: [Op.create] }), reading(Op.listOperations), true],
        ['that names an operation permits what that performs', scope({ operations: ['x/y'] }), { ...writing(Op.update), isNested: true }, true],
        ['that names an operation permits no keys by way of it', scope({ operations: ['x/y'] }), { ...writing(Op.keysCreate), isNested: true }, false],
        ['that is read-only permits reading', scope({ readOnly: true }), reading(Op.retrieve), true],
        ['that is read-only permits no writing', scope({ readOnly: true }), writing(Op.update), false],
        ['that is read-only permits no writing by its name', scope({ readOnly: true, operations: [Op.update] }), writing(Op.update), false],
        ['that is read-only permits no writing by another operation', scope({ readOnly: true }), { ...writing(Op.update), isNested: true }, false]
    ];
    for (const [title, of, operation, expected] of cases) {
        it(title, () => {

            expect(admitsOperation(of, operation)).to.equal(expected);
        });
    }

    it(`is within another one only if that permits all that it permits (SCOPE_SEED=${SEED})`, () => {

        const random = seeded(SEED);
        const ids = [Op.retrieve, Op.update, Op.keysCreate, Op.changePassword, 'x/other'];
        const types = ['A', 'B', 'other'];
        const times = [1, 2, 3];
        const some = (all: readonly string[]): readonly string[] | undefined => {

            const chosen = all.slice(0, -1).filter(() => random.chance(0.5));
            return chosen.length === 0 ? undefined : chosen;
        };

        const anyScope = (): ApiKeyScope => {

            const [operations, ofTypes] = [some(ids), some(types)];
            const [readOnly, expiresOn] = [random.chance(0.5), random.pick([null, 1, 2])];
            return scope({ ...operations ? { operations } : {}, ...ofTypes ? { types: ofTypes } : {}, readOnly, expiresOn });
        };

        // All that can be done with a key: an operation on a type at a time.
        const attempts = ids.flatMap((id) => types.flatMap((type) => times.flatMap((time) =>
            [true, false].map((isReading) => ({ id, type, time, isReading })))));
        const permitted = (of: ApiKeyScope): string[] => attempts.filter(({ id, type, time, isReading }) =>
            admitsOperation(of, { id, isReading }) && (of.types?.has(type) ?? true) && (of.expiresOn === null || time < of.expiresOn))
            .map((attempt) => JSON.stringify(attempt));

        for (let i = 0; i < 3000; ++i) {
            const [one, other] = [anyScope(), anyScope()];
            const all = new Set(permitted(other));
            const isSafe = permitted(one).every((each) => all.has(each));
            // Never too wide; stricter only where a scope permits nothing at present.
            expect(!isWithin(one, other) || isSafe, JSON.stringify([[...one.operations ?? ['*']], [...other.operations ?? ['*']]])).to.be.true();
        }

        const whole = anyScope();
        expect(isWithin(whole, whole)).to.be.true();
        expect(isWithin(scope({ operations: [Op.retrieve], types: ['A'], readOnly: true, expiresOn: 1 }), scope())).to.be.true();
        expect(isWithin(scope({ operations: [Op.keysCreate] }), scope())).to.be.false();
    });
});
