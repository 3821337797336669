/**
 * `gateway/Op.Rights.Explain`: who may read and write an object and call its methods, by which list, and whether a given person may. All of it comes from
 * the access policy that decides about requests.
 */

import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import type { JsonObject } from '../../util/json-types.js';
import { text } from '../../core/attributes.js';
import { defineOperation, result } from '../../core/operation.js';
import type { OperationContext } from '../../core/operation-context.js';
import { Op } from '../../doip/operation-ids.js';
import { RIGHTS } from '../../doip/result-schemas.js';
import { forbidden, missingObject } from '../../errors/errors.js';
import type { ObjectRights, Policy, RightsList } from '../../identity/access/access-policy.js';
import { isPrincipal } from '../../identity/access/access-policy.js';
import type { Caller, Decision } from '../../model/caller.js';
import { ADMIN_ID, ANONYMOUS, ANONYMOUS_AUTHOR, isUnrestrictedAdmin } from '../../model/caller.js';
import type { Label } from '../../relationships/label-reader.js';

interface ExplainAttributes {
    readonly user?: string;
}

type Context = OperationContext<ExplainAttributes>;

/** Whose rights are checked. */
interface Person {
    readonly caller: Caller;
    /** False for a blocked account, which cannot log in. */
    readonly isActive: boolean;
    /** True if the caller may know the groups of the person because they are their own, or because they are the administrator. */
    readonly isKnown: boolean;
}

/** Maximum number of ids with a label. */
const MAX_LABELS = 500;

const ADMINISTRATOR: Caller = {
    userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'as-user'
};

export const explainRights = defineOperation<ExplainAttributes>({
    id: Op.rightsExplain,
    summary: 'explain who may use an object, and by which rule',
    target: 'object',
    methods: ['GET', 'POST'],
    authorise: 'reader',
    attributes: Joi.object<ExplainAttributes>({ user: text().description('id of a user to check, or `anonymous`; for writers of the object') }),
    missing: 'No such object',
    resultSchema: RIGHTS,

    async handler(context) {

        const { caller, requestContext, services: { labels, policy }, signal, target } = context;
        const person = await personOf(context);
        const rights = policy.rightsOf(target);
        const isHidden = await hiddenSources(context);
        const shown = (list: RightsList): JsonObject => listOf(list, isHidden(list));
        const lists = [rights.read, rights.readPayloads ?? rights.read, rights.write, rights.otherMethods, ...rights.methods.values()];
        const named = lists.flatMap((list) => (isHidden(list) ? [] : list.entries)).filter(isPrincipal);
        const ids = new Set([...person.caller.groupIds, ...named, ...person.caller.userId === null ? [] : [person.caller.userId]]);
        const found = await labels.of([...ids].slice(0, MAX_LABELS), { caller, requestContext, signal });
        return result.json({
            id: target.id, type: target.type,
            rights: {
                read: shown(rights.read),
                readPayloads: rights.readPayloads ? shown(rights.readPayloads) : { ...shown(rights.read), sameAs: 'read' },
                write: shown(rights.write)
            },
            methods: Object.fromEntries([...rights.methods].map(([name, list]) => [name, shown(list)])),
            otherMethods: shown(rights.otherMethods),
            labels: Object.fromEntries(found) as never,
            check: checkOf(person, rights, { policy, target, labels: found })
        });
    }
});

/** Returns who is checked: the caller, or somebody else for writers of the object. @throws DoipError 403, 404 */
async function personOf({ attributes: { user }, caller, services, target }: Context): Promise<Person> {

    const { identity: { directory }, loader, policy } = services;
    if (user === undefined || user === caller.userId || user === ANONYMOUS_AUTHOR && caller.userId === null) {
        return { caller, isActive: true, isKnown: true };
    }

    if (!policy.canWrite(caller, target).allowed) {
        throw forbidden('only writers of the object may check the rights of others');
    }

    if (user === ANONYMOUS_AUTHOR || user === ADMIN_ID) {
        return { caller: user === ADMIN_ID ? ADMINISTRATOR : ANONYMOUS, isActive: true, isKnown: true };
    }

    // The same error for users who do not exist and for those whom the caller may not see.
    const isAdmin = isUnrestrictedAdmin(caller);
    const object = isAdmin ? null : await loader.find(user);
    if (!isAdmin && !(object && policy.canRead(caller, object).allowed)) {
        throw missingObject(user, 'No such user');
    }

    const { identity } = await directory.epochs();
    const principal = await directory.principal(user, identity);
    if (!principal && !isAdmin) {
        throw missingObject(user, 'No such user');
    }

    const checked = principal ? directory.callerOf(principal, 'as-user') :
        { ...ANONYMOUS, userId: user, groupIds: await directory.groupIdsOf([user]), method: 'as-user' as const };
    return { caller: checked, isActive: principal?.account.active ?? true, isKnown: isAdmin };
}

/**
 * Returns which lists may name users and groups that the caller must not learn: those of the object, if its access control list is hidden, and those in
 * the Schema object of the type, if the caller may not read that. The design is public.
 */
async function hiddenSources({ caller, services: { catalog, loader, policy }, target }: Context): Promise<(list: RightsList) => boolean> {

    const isAclHidden = !isDeepStrictEqual(policy.visibleTo(caller, target).acl, target.acl);
    const schemaId = catalog.current.get(target.type)?.schemaId ?? null;
    const schema = schemaId === null ? null : await loader.find(schemaId);
    const isTypeHidden = schemaId !== null && !(schema && policy.canRead(caller, schema).allowed);
    return ({ source }) => source === 'object' && isAclHidden || source === 'type' && isTypeHidden;
}

function listOf({ entries, source }: RightsList, isHidden: boolean): JsonObject {

    return isHidden ? { entries: entries.filter((entry) => !isPrincipal(entry)), source, isPartial: true } : { entries: [...entries], source };
}

function checkOf(
    person: Person, { methods }: ObjectRights,
    { policy, target, labels }: { readonly policy: Policy; readonly target: Context['target']; readonly labels: ReadonlyMap<string, Label> }
): JsonObject {

    const { caller, isActive, isKnown } = person;
    const isShown = (entry: string): boolean => isKnown || !caller.groupIds.includes(entry) || labels.has(entry);
    const answer = ({ allowed, by }: Decision): JsonObject => ({ allowed, ...allowed && by !== undefined && isShown(by) ? { by } : {} });
    return {
        userId: caller.userId, username: caller.username, groupIds: caller.groupIds.filter(isShown), isActive,
        read: answer(policy.canRead(caller, target)),
        readPayloads: answer(policy.canReadPayload(caller, target)),
        write: answer(policy.canWrite(caller, target)),
        methods: Object.fromEntries([...methods.keys()].map((method) =>
            [method, answer(policy.canCall(caller, { kind: 'instance', type: target.type, method, object: target }))]))
    };
}
