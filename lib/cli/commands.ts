/** The commands other than `serve`: each connects to the repository or opens it, does its work and ends. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/index.js';
import { acceptLoss } from '../app/data-dir.js';
import { demandFiles, demandNoNode } from '../app/no-repository.js';
import { Op } from '../doip/operation-ids.js';
import type { JsonObject } from '../util/json-types.js';
import { nearestName } from '../util/text/nearest-name.js';
import { readNewPassword, setAdminPassword } from './admin-password.js';
import { CommandError, EXIT } from './command-error.js';
import { exportTo } from './export.js';
import { importFrom } from './import.js';
import { prepareGet, preparePut, prepareSearch } from './objects.js';
import { demandNew } from './output.js';
import { prepareAudit, prepareVerifyAudit } from './audit.js';
import { prepareCall, serviceAt } from './call.js';
import { prepareTypes } from './types.js';
import { prepareCreateKey, prepareListKeys, prepareRevokeKey } from './keys.js';
import { type Command, type CommandOptions, demandOptions, type OptionName, URL_OPTIONS, type Work } from './command.js';
import type { Service } from './service.js';
import { demandOk, performForRecord, shown } from './remote.js';

/** A command that works on files, without a service. */
interface FileCommand {
    readonly operands: readonly string[];
    readonly options?: readonly OptionName[];
    run(args: readonly string[], options: CommandOptions, loadConfig: () => Config): Promise<void> | void;
}

const FILE_COMMANDS: ReadonlyMap<string, FileCommand> = new Map<string, FileCommand>([
    ['accept-loss', { operands: [], run: (_args, _options, loadConfig) => acceptLost(loadConfig()) }],
    ['backup', {
        operands: ['DIR'],
        async run([folder = ''], _options, loadConfig) {

            const { backup } = await import('./backup.js');
            await backup(folder, loadConfig());
        }
    }],
    ['verify', {
        operands: ['DIR'],
        async run([folder = '']) {

            const { verify } = await import('./backup.js');
            await verify(folder);
        }
    }],
    ['restore', {
        operands: ['DIR'], options: ['to'],
        async run([folder = ''], { to }, loadConfig) {

            const { restore } = await import('./backup.js');
            await restore(folder, to, loadConfig);
        }
    }]
]);

/** Options of an import of rows. */
const ROW_OPTIONS = ['type', 'id', 'map', 'format', 'delimiter', 'encoding', 'from', 'rejected', 'dry-run', 'replace'] as const;

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
    ['call', {
        operands: ['OPERATION', 'TARGET'], prepare: prepareCall, serviceAt, mayBegin: true,
        options: [...URL_OPTIONS, 'attributes', 'input', 'json', 'element', 'output', 'force']
    }],
    ['put', { operands: ['[ID]'], prepare: preparePut, serviceAt, mayBegin: true, options: [...URL_OPTIONS, 'type', 'input', 'json', 'element', 'output', 'force'] }],
    ['get', { operands: ['ID'], prepare: prepareGet, serviceAt, options: [...URL_OPTIONS, 'element', 'output', 'force'] }],
    ['search', { operands: ['QUERY'], prepare: prepareSearch, serviceAt, options: [...URL_OPTIONS, 'ids', 'sort', 'limit', 'output', 'force'] }],
    ['types', { operands: [], prepare: prepareTypes, serviceAt, options: [...URL_OPTIONS, 'output', 'force'] }],
    ['export', { operands: ['FILE'], options: ['force'], prepare: prepareExport }],
    ['import', { operands: ['FILE'], prepare: prepareImport, serviceAt, mayBegin: true, options: [...URL_OPTIONS, ...ROW_OPTIONS] }],
    ['audit', {
        operands: [], prepare: prepareAudit, serviceAt, options: [...URL_OPTIONS, 'for', 'object', 'operation', 'outcome', 'from', 'to', 'limit', 'format']
    }],
    ['audit verify', { operands: [], prepare: prepareVerifyAudit, serviceAt, options: [...URL_OPTIONS, 'expect'] }],
    ['keys create', {
        operands: ['NAME'], prepare: prepareCreateKey, serviceAt, options: [...URL_OPTIONS, 'for', 'operation', 'type', 'read-only', 'days']
    }],
    ['keys list', { operands: [], prepare: prepareListKeys, serviceAt, options: [...URL_OPTIONS, 'for', 'all'] }],
    ['keys revoke', { operands: ['ID'], prepare: prepareRevokeKey, serviceAt, options: URL_OPTIONS }],
    ['reindex', { operands: [], prepare: () => reindex }],
    ['move-payloads', { operands: [], prepare: () => movePayloads }],
    ['set-admin-password', { operands: [], prepare: preparePassword }]
]);

async function prepareExport([file = '']: readonly string[], { force = false }: CommandOptions): Promise<Work> {

    await demandNew(file, force);
    return (service) => exportTo(service, file, force);
}

/** A file of rows, or an export. */
async function prepareImport([file = '']: readonly string[], options: CommandOptions): Promise<Work> {

    const { isFileOfRows, prepareRows } = await import('./import-rows.js');
    return await isFileOfRows(file, options) ? prepareRows(file, options) : (service) => importFrom(service, file, options.replace ?? false);
}

async function preparePassword(): Promise<Work> {

    const password = await readNewPassword();
    return (service) => setAdminPassword(service, password);
}

async function reindex(service: Service): Promise<void> {

    await demandOk(await service.perform({ targetId: 'service', operationId: Op.reindexBatch, attributes: { all: true } }));
    process.stderr.write(`all objects were indexed anew (${service.location})\n`);
}

/** Time in ms between two looks at a move. */
const PAUSE_MS = 500;

/** Begins a move, or follows one that was begun; the service goes on with it when the command is interrupted. */
async function movePayloads(service: Service): Promise<void> {

    const ask = (attributes: JsonObject): Promise<JsonObject> => performForRecord(service, { targetId: 'service', operationId: Op.payloadsMove, attributes });
    let report = await ask({});
    for (let said = ''; report['state'] === 'running'; report = await ask({ job: report['job'] ?? 0 })) {
        const { moved, error } = report;
        const line = `moved ${Number(moved)} payloads${error === undefined ? '' : `; trying again after: ${shown(error)}`}`;
        if (line !== said) {
            process.stderr.write(`${line}\n`);
            said = line;
        }

        await sleep(PAUSE_MS);
    }

    const { state, moved, bytes, damaged, error } = report;
    if (state !== 'done') {
        throw new CommandError(`not all payloads were moved: ${shown(error)} (${service.location})`, EXIT.failed);
    }

    process.stderr.write(`moved ${Number(moved)} payloads with ${Number(bytes)} bytes, each compared with its copy (${service.location})\n`);
    if (Number(damaged) > 0) {
        throw new CommandError(`${Number(damaged)} damaged payloads were not moved: see payloads.damaged in the log`, EXIT.lost);
    }
}

function acceptLost({ storage: { dataDir, databaseUrl } }: Config): void {

    if (databaseUrl !== null) {
        throw new CommandError('accept-loss is for the embedded database; DATABASE_URL names a server', EXIT.usage);
    }

    demandFiles({ dataDir, onlyExisting: true });
    demandNoNode({ dataDir });
    process.stderr.write(`${acceptLoss(dataDir)}\n`);
}

/** Returns the name of a command, which may have two words, and its arguments. */
export function splitCommand([first = '', ...rest]: readonly string[]): { readonly name: string; readonly args: readonly string[] } {

    const [second = '', ...others] = rest;
    const name = `${first} ${second}`;
    return COMMANDS.has(name) ? { name, args: others } : { name: first, args: rest };
}

/** True when a command has that name. */
export function isCommand(name: string): boolean {

    return COMMANDS.has(name) || FILE_COMMANDS.has(name);
}

/** Returns the options of each command. */
export function commandOptions(): ReadonlyMap<string, readonly OptionName[]> {

    return new Map([...COMMANDS, ...FILE_COMMANDS].map(([name, { options = [] }]) => [name, options]));
}

/** Returns the command that was probably meant by a word and the one after it; null where none is near. */
export function nearestCommand(word: string, [next = '']: readonly string[]): string | null {

    const names = [...COMMANDS.keys(), ...FILE_COMMANDS.keys(), 'serve', 'help', 'version'];
    return nearestName(`${word} ${next}`, names.filter((name) => name.includes(' '))) ?? nearestName(word, names.filter((name) => !name.includes(' ')));
}

/**
 * Runs a command.
 *
 * @throws CommandError for invalid arguments, and for errors that the user can fix
 */
export async function runCommand(name: string, args: readonly string[], options: CommandOptions, loadConfig: () => Config): Promise<void> {

    const [command, fileCommand] = [COMMANDS.get(name), FILE_COMMANDS.get(name)];
    const { operands, options: known = [] } = command ?? fileCommand ?? { operands: [] };
    demandOptions(name, options, known);
    const required = operands.filter((operand) => !operand.startsWith('['));
    if (args.length < required.length || args.length > operands.length) {
        throw new CommandError(`usage: doip-gateway ${[name, ...operands].join(' ')}; see doip-gateway --help`, EXIT.usage);
    }

    if (!command) {
        await fileCommand?.run(args, options, loadConfig);
        return;
    }

    // Errors of the configuration come before questions for a password.
    const open = serviceFor(command, options, loadConfig);
    const work = await command.prepare(args, options);
    const service = await open();
    try {
        await work(service);
    }
    finally {
        await service.close();
    }
}

/** How the service of a command is reached. */
function serviceFor({ serviceAt: connect, mayBegin = false }: Command, options: CommandOptions, loadConfig: () => Config): () => Promise<Service> {

    const { url } = options;
    if (connect && url !== undefined) {
        return () => connect(url, options);
    }

    const config = loadConfig();
    return async () => (await import('./service.js')).openService(config, { mayBegin });
}
