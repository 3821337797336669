/** The commands other than `serve`: each connects to the repository or opens it, does its work and ends. */

import type { Config } from '../config/index.js';
import { acceptLoss } from '../app/data-dir.js';
import { Op } from '../doip/operation-ids.js';
import { readNewPassword, setAdminPassword } from './admin-password.js';
import { CommandError, EXIT } from './command-error.js';
import { exportTo } from './export.js';
import { importFrom } from './import.js';
import type { Service } from './service.js';
import { openService } from './service.js';
import { demandOk } from './remote.js';

/** Options of the command line. */
export interface CommandOptions {
    readonly force: boolean;
}

type Work = (service: Service) => Promise<void>;

/** A command: reads and checks its arguments in `prepare`, which returns the work to do. */
interface Command {
    /** Names of the required positional arguments. */
    readonly operands: readonly string[];
    prepare(args: readonly string[], options: CommandOptions): Promise<Work> | Work;
}

/** Commands that modify the data folder directly, because the repository in it cannot be opened. */
const REPAIRS: ReadonlyMap<string, (config: Config) => void> = new Map([['accept-loss', acceptLost]]);

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
    ['export', { operands: ['FILE'], prepare: prepareExport }],
    ['import', { operands: ['FILE'], prepare: prepareImport }],
    ['reindex', { operands: [], prepare: () => reindex }],
    ['set-admin-password', { operands: [], prepare: preparePassword }]
]);

function prepareExport([file = '']: readonly string[], { force }: CommandOptions): Work {

    return (service) => exportTo(service, file, force);
}

function prepareImport([file = '']: readonly string[]): Work {

    return (service) => importFrom(service, file);
}

async function preparePassword(): Promise<Work> {

    const password = await readNewPassword();
    return (service) => setAdminPassword(service, password);
}

async function reindex(service: Service): Promise<void> {

    await demandOk(await service.perform({ operationId: Op.reindexBatch, attributes: { all: true } }));
    process.stderr.write(`all objects were indexed anew (${service.location})\n`);
}

function acceptLost({ storage: { dataDir, databaseUrl } }: Config): void {

    if (databaseUrl !== null) {
        throw new CommandError('accept-loss is for the embedded database; DATABASE_URL names a server', EXIT.usage);
    }

    process.stderr.write(`${acceptLoss(dataDir)}\n`);
}

/** True when a command has that name. */
export function isCommand(name: string): boolean {

    return COMMANDS.has(name) || REPAIRS.has(name);
}

/**
 * Runs a command.
 *
 * @throws CommandError for invalid arguments, and for errors that the user can fix
 */
export async function runCommand(name: string, args: readonly string[], options: CommandOptions & { readonly config: () => Config }): Promise<void> {

    const repair = args.length === 0 ? REPAIRS.get(name) : undefined;
    if (repair) {
        repair(options.config());
        return;
    }

    const command = COMMANDS.get(name);
    if (command?.operands.length !== args.length) {
        throw new CommandError(`usage: doip-gateway ${[name, ...command?.operands ?? []].join(' ')}; see doip-gateway --help`, EXIT.usage);
    }

    const config = options.config();
    const work = await command.prepare(args, options);
    const service = await openService(config);
    try {
        await work(service);
    }
    finally {
        await service.close();
    }
}
