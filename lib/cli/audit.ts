/**
 * `doip-gateway audit` and `audit verify`: the audit log of the service at a URL or of the data folder.
 */

import { AUDIT_OUTCOMES } from '../audit/audit-entry.js';
import { Op } from '../doip/operation-ids.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { defined } from '../client/web/json.js';
import { demandUrlFor } from './call.js';
import { CommandError, EXIT, incomplete } from './command-error.js';
import { type CommandOptions, numberOption, type Work } from './command.js';
import { printText, writeOutput } from './output.js';
import { performForRecord, shown } from './remote.js';
import type { Service } from './service.js';

const DEFAULT_LIMIT = 100;
const MAX_PAGE = 1000;
const COLUMNS = ['TIME', 'OUTCOME', 'USER', 'OPERATION', 'OBJECT', 'FROM', 'RULE'];

/** Prepares a list of entries, newest first: in columns, or one JSON object per line. */
export function prepareAudit(_args: readonly string[], options: CommandOptions): Work {

    demandUrlFor(options);
    const { for: userId, object: objectId, operation: operations = [], outcome, format = 'text' } = options;
    const [operation] = operations;
    if (operations.length > 1 || format !== 'text' && format !== 'ndjson') {
        throw new CommandError(operations.length > 1 ? '--operation must be given once' : `--format must be text or ndjson, not ${format}`, EXIT.usage);
    }

    if (outcome !== undefined && !AUDIT_OUTCOMES.some((known) => known === outcome)) {
        throw new CommandError(`--outcome must be one of ${AUDIT_OUTCOMES.join(', ')}, not ${outcome}`, EXIT.usage);
    }

    const limit = numberOption('limit', options.limit) ?? DEFAULT_LIMIT;
    const attributes = defined({ userId, objectId, operation, outcome, from: timeOption('from', options), to: timeOption('to', options) });
    return (service) => writeOutput('-', pagesOf(service, { attributes, limit, isText: format === 'text' })).catch(incomplete);
}

/** Which entries are listed, and how. */
interface ListOptions {
    readonly attributes: JsonObject;
    readonly limit: number;
    readonly isText: boolean;
}

/** The lines of a list, by pages. */
async function *pagesOf(service: Service, { attributes, limit, isText }: ListOptions): AsyncGenerator<Uint8Array, void, undefined> {

    if (isText) {
        yield Buffer.from(`${COLUMNS.join('\t')}\n`);
    }

    let [printed, before]: [number, JsonValue | undefined] = [0, undefined];
    do {
        const page = { ...attributes, ...defined({ before }), pageSize: Math.min(limit - printed, MAX_PAGE) };
        const { entries, next } = await performForRecord(service, { targetId: 'service', operationId: Op.auditList, attributes: page });
        const found = Array.isArray(entries) ? entries.filter(isJsonObject) : [];
        yield Buffer.from(found.map((entry) => `${isText ? lineOf(entry) : JSON.stringify(entry)}\n`).join(''));
        printed += found.length;
        before = next;
    }
    while (before !== undefined && printed < limit);
}

/** Prepares the verification of the whole log: prints the last seal, to be kept elsewhere. */
export function prepareVerifyAudit(_args: readonly string[], options: CommandOptions): Work {

    demandUrlFor(options);
    const { expect } = options;
    if (expect !== undefined && !/^\d{1,15}:\S+$/.test(expect)) {
        throw new CommandError(`--expect must be the number of a seal, a colon, and its hash, not ${expect}`, EXIT.usage);
    }

    return async (service) => {

        let [seals, entries]: [number, number] = [0, 0];
        let result: JsonObject = {};

        do {
            const attributes = defined({ expect, from: result['next'] });
            result = await performForRecord(service, { targetId: 'service', operationId: Op.auditVerify, attributes });
            seals += Number(result['seals'] ?? 0);
            entries += Number(result['entries'] ?? 0);
        }
        while (result['next'] !== undefined && result['problem'] === undefined);

        const { head, problem } = result;
        if (problem !== undefined) {
            throw new CommandError(`the audit log was changed: ${shown(problem)}; up to there ${entries} entries are intact (${service.location})`, EXIT.data);
        }

        if (isJsonObject(head)) {
            await printText(`${Number(head['seal'])}:${shown(head['hash'])}\n`);
        }

        process.stderr.write(`${entries} entries under ${seals} seals are intact (${service.location})\n`);
    };
}

function lineOf({ at, outcome, user, actor, operation, object, address, protocol, rule, count }: JsonObject): string {

    const time = typeof at === 'number' ? new Date(at).toISOString() : '';
    const times = typeof count === 'number' ? ` ×${count}` : '';
    const who = user === null ? '-' : shown(user);
    return [
        time, `${shown(outcome)}${times}`, actor === undefined ? who : `${shown(actor)} as ${who}`, shown(operation), shown(object),
        [address, protocol].map(shown).filter((text) => text !== '').join(' '), shown(rule)
    ].join('\t');
}

/** Reads a time, in epoch ms. @throws CommandError */
function timeOption(name: 'from' | 'to', { [name]: given }: CommandOptions): number | undefined {

    const time = given === undefined ? undefined : /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : NaN;
    if (time !== undefined && !(time >= 0)) {
        throw new CommandError(`--${name} must be a time such as 2026-03-01 or 2026-03-01T09:30Z, not ${given}`, EXIT.usage);
    }

    return time;
}
