/**
 * `doip-gateway keys create`, `keys list` and `keys revoke`: API keys, of the service at a URL or of the data folder. A new key is all that is
 * written to standard output, so that it can be stored in a file.
 */

import { Op } from '../doip/operation-ids.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { demandUrlFor } from './call.js';
import { CommandError, EXIT, incomplete } from './command-error.js';
import { type CommandOptions, numberOption, type Work } from './command.js';
import { printText, writeOutput } from './output.js';
import { performForRecord, shown } from './remote.js';
import type { Service } from './service.js';

/** Prepares the creation of a key. */
export function prepareCreateKey([name = '']: readonly string[], options: CommandOptions): Work {

    demandUrlFor(options);
    const { for: userId, operation, type, 'read-only': readOnly = false, days } = options;
    const expiresInDays = numberOption('days', days);
    const input: JsonObject = {
        name, readOnly,
        ...userId === undefined ? {} : { userId },
        ...operation === undefined ? {} : { operations: [...operation] },
        ...type === undefined ? {} : { types: [...type] },
        ...expiresInDays === undefined ? {} : { expiresInDays }
    };
    return async (service) => {

        const { key, id, userId: owner, expiresOn } = await performForRecord(service, { targetId: 'service', operationId: Op.keysCreate, input });
        await printText(`${shown(key)}\n`).catch((error: CommandError) => {

            throw new CommandError(`key ${shown(id)} was created, but is lost, so revoke it: ${error.message}`, error.code);
        });
        process.stderr.write(`key ${shown(id)} of ${shown(owner)}, ${typeof expiresOn === 'number' ? `until ${date(expiresOn)}` : 'without an expiry'}; ` +
            'it is shown this once only\n');
    };
}

/** Prepares the list of the keys of a user, by default of the caller. */
export function prepareListKeys(_args: readonly string[], options: CommandOptions): Work {

    demandUrlFor(options);
    const { all = false, for: userId } = options;
    if (all && userId !== undefined) {
        throw new CommandError('--all and --for exclude each other', EXIT.usage);
    }

    return (service) => writeOutput('-', pagesOf(service, { all, ...userId === undefined ? {} : { userId } })).catch(incomplete);
}

/** The lines of a list, by pages. */
async function *pagesOf(service: Service, attributes: JsonObject): AsyncGenerator<Uint8Array, void, undefined> {

    yield Buffer.from(`${HEADINGS.join('\t')}\n`);
    let after: JsonValue | undefined;
    do {
        const page = { ...attributes, ...after === undefined ? {} : { after } };
        const { keys, next } = await performForRecord(service, { targetId: 'service', operationId: Op.keysList, attributes: page });
        yield Buffer.from((Array.isArray(keys) ? keys.filter(isJsonObject) : []).map((key) => `${lineOf(key)}\n`).join(''));
        after = next;
    }
    while (after !== undefined);
}

/** Prepares the revocation of a key by its id. */
export function prepareRevokeKey([keyId = '']: readonly string[], options: CommandOptions): Work {

    demandUrlFor(options);
    return async (service) => {

        await performForRecord(service, { targetId: 'service', operationId: Op.keysRevoke, attributes: { keyId } });
        process.stderr.write(`key ${keyId} was revoked (${service.location})\n`);
    };
}

const HEADINGS = ['ID', 'USER', 'NAME', 'OPERATIONS', 'TYPES', 'READ-ONLY', 'EXPIRES', 'LAST USED'];

function lineOf({ id, userId, name, operations, types, readOnly, expiresOn, lastUsedOn }: JsonObject): string {

    return [shown(id), shown(userId), shown(name), list(operations), list(types), readOnly === true ? 'yes' : 'no', date(expiresOn), date(lastUsedOn)].join('\t');
}

function list(names: JsonValue | undefined): string {

    return Array.isArray(names) ? names.map(shown).join(',') : 'all';
}

function date(time: JsonValue | undefined): string {

    return typeof time === 'number' ? new Date(time).toISOString().slice(0, 10) : 'never';
}
