/**
 * Detects that there is no repository where one is expected: a server begins one, and so does a command that stores something; any other
 * command has been given a wrong folder or database. No process begins an embedded database in the folder of a node of a database server.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.js';
import { hasTables } from '../../db/engines/open.js';
import { parseMysqlUrl } from '../../db/engines/mysql/url.js';
import { sqliteFiles } from '../../db/engines/sqlite/file.js';
import { isEmpty } from '../../db/engines/sqlite/lost-file.js';
import { DESIGN_ID } from '../doip/ids.js';
import type { ObjectStore } from '../stores/objects/object-store.js';
import { isOfNode } from './data-dir.js';
import type { GatewayOptions } from './options.js';
import { RESTORE_DRAFTS } from './unfinished-restore.js';

/** There is no repository in the folder or the database of the configuration. */
export class NoRepositoryError extends Error {

    constructor({ dataDir, databaseUrl }: Location) {

        super(databaseUrl ? `there is no repository in the database ${parseMysqlUrl(databaseUrl).database}: check DATABASE_URL` :
            `there is no repository in ${resolve(dataDir)}: check DATA_DIR`);
        this.name = 'NoRepositoryError';
    }
}

/** The data folder is that of a node of a database server, which the configuration does not name. */
export class NodeFolderError extends Error {

    constructor(dataDir: string) {

        super(`${resolve(dataDir)} is the folder of a node of a database server: set DATABASE_URL, or remove node-name there to begin an embedded database`);
        this.name = 'NodeFolderError';
    }
}

type Location = Pick<GatewayOptions, 'dataDir' | 'databaseUrl' | 'onlyExisting'>;

/**
 * To be called before the data folder is created or anything is written to it. The folder of a node is left to {@link demandNoNode}.
 *
 * @throws NoRepositoryError if only an existing repository is to be opened, and the folder has no file of one, not even one that was lost since
 */
export function demandFiles(options: Location): void {

    const { dataDir, databaseUrl, onlyExisting = false } = options;
    if (onlyExisting && !databaseUrl && !hasFiles(dataDir) && !isOfNode(dataDir)) {
        throw new NoRepositoryError(options);
    }
}

/**
 * To be called when the data folder is locked, as its server may be running, and before anything is stored.
 *
 * @throws NodeFolderError if an embedded database would be begun in the folder of a node of a database server
 */
export function demandNoNode({ dataDir, databaseUrl }: Location): void {

    if (!databaseUrl && !hasFiles(dataDir) && isOfNode(dataDir)) {
        throw new NodeFolderError(dataDir);
    }
}

/** Logs a warning if the data folder has been used with and without a database server. */
export function warnOfTwoDatabases({ dataDir, databaseUrl }: Location, log: Pick<Logger, 'warn'>): void {

    if (hasFiles(dataDir) && (databaseUrl || isOfNode(dataDir))) {
        log.warn({ event: 'data-dir.two-databases', folder: resolve(dataDir), used: databaseUrl ? 'server' : 'embedded' },
            'the data folder was used with an embedded database and with a database server, and only one of them is used now');
    }
}

/** Returns whether a folder has files of an embedded database, or of one that is being restored. */
function hasFiles(dataDir: string): boolean {

    return !Object.values(sqliteFiles(dataDir)).every(isEmpty) || existsSync(join(dataDir, RESTORE_DRAFTS));
}

/** To be called before tables are made. @throws NoRepositoryError if only an existing repository is to be opened, and the database has no tables */
export async function demandTables(db: Database, options: Location): Promise<void> {

    if (options.onlyExisting === true && !await hasTables(db)) {
        throw new NoRepositoryError(options);
    }
}

/** To be called before objects are made. @throws NoRepositoryError if only an existing repository is to be opened, and the first start has made none */
export async function demandDesign(objects: Pick<ObjectStore, 'view'>, options: Location): Promise<void> {

    if (options.onlyExisting === true && (await objects.view(DESIGN_ID)).object === null) {
        throw new NoRepositoryError(options);
    }
}
