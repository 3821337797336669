/**
 * `gateway/Op.Keys.Create`: creates an API key of the caller, or by the administrator of any user. The value is in the output, once only.
 */

import Joi from 'joi';
import { isReading } from '../../core/authorise.js';
import { defineOperation, result } from '../../core/operation.js';
import type { OperationSummary } from '../../core/operation-summary.js';
import type { Services } from '../../core/services.js';
import { Op } from '../../doip/operation-ids.js';
import { apiKey } from '../../doip/result-schemas.js';
import { badRequest } from '../../errors/errors.js';
import { keyRecord } from '../../identity/keys/key-record.js';

const DAY = 86_400_000;

const MAX_BYTES = 255;
const MAX_ENTRIES = 100;
const MAX_DAYS = 36_500;

const entries = Joi.array().items(Joi.string().max(MAX_BYTES)).min(1).max(MAX_ENTRIES);

/** The input. Unknown members are errors: a misspelt restriction must not make a key without it. */
interface KeyInput {
    readonly name: string;
    readonly userId?: string;
    readonly operations?: readonly string[];
    readonly types?: readonly string[];
    readonly readOnly: boolean;
    readonly expiresOn?: number;
    readonly expiresInDays?: number;
}

const inputSchema = Joi.object<KeyInput>({
    name: Joi.string().trim().max(MAX_BYTES, 'utf8').pattern(/^[^\p{Cc}\p{Cs}]{1,100}$/u, 'at most 100 characters, no control characters').required(),
    userId: Joi.string().max(MAX_BYTES),
    operations: entries,
    types: entries,
    readOnly: Joi.boolean().default(false),
    expiresOn: Joi.number().integer().min(0),
    expiresInDays: Joi.number().integer().min(1).max(MAX_DAYS)
}).oxor('expiresOn', 'expiresInDays').unknown(false).label('API key');

export const createKey = defineOperation({
    id: Op.keysCreate,
    summary: 'create an API key',
    target: 'service',
    authorise: 'caller',
    input: 'json',
    inputSchema,
    resultSchema: apiKey('with value'),

    async handler({ caller, inputJson, services }) {

        const { name, userId, operations, types, readOnly, expiresOn, expiresInDays } = inputJson as unknown as KeyInput;
        const { value, stored } = await services.identity.keys.create({
            name, userId, readOnly,
            operations: operations ? operationIds(operations, { readOnly, registry: services.registry }) : null,
            types: types ? knownTypes(types, services) : null,
            expiresOn: expiresInDays === undefined ? expiresOn ?? null : Date.now() + expiresInDays * DAY
        }, caller);
        return { ...result.json({ key: value, ...keyRecord(stored) }), audited: { key: stored.id, subject: stored.userId } };
    }
});

/** Returns the ids of operations that are named by id or alias. @throws DoipError 400 for an unknown one, or one that a read-only key cannot permit */
function operationIds(names: readonly string[], { registry, readOnly }: { readonly registry: Services['registry']; readonly readOnly: boolean }): string[] {

    const known = new Map(registry.all().flatMap((operation): [string, OperationSummary][] =>
        [operation.id, ...operation.aliases ?? []].map((name) => [name, operation])));
    return [...new Set(names.map((name) => {

        const operation = known.get(name);
        if (!operation) {
            throw badRequest(`operation ${name} is not known; methods of types are called by ${Op.call}`);
        }

        if (readOnly && !isReading(operation)) {
            throw badRequest(`operation ${name} may change things, which a read-only API key does not permit`);
        }

        return operation.id;
    }))].sort();
}

function knownTypes(names: readonly string[], { catalog }: Pick<Services, 'catalog'>): string[] {

    catalog.checkComplete();
    const unknown = names.find((name) => !catalog.current.get(name));
    if (unknown !== undefined) {
        throw badRequest(`Unknown type ${unknown}`);
    }

    return [...new Set(names)].sort();
}
