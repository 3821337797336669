/**
 * Detects that there is no repository where one is expected: a server begins one, and so does a command that stores something; any other
 * command has been given a wrong folder or database.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Database } from '../../db/database.js';
import { hasTables } from '../../db/engines/open.js';
import { parseMysqlUrl } from '../../db/engines/mysql/url.js';
import { sqliteFiles } from '../../db/engines/sqlite/file.js';
import { isEmpty } from '../../db/engines/sqlite/lost-file.js';
import { DESIGN_ID } from '../doip/ids.js';
import type { ObjectStore } from '../stores/objects/object-store.js';
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

type Location = Pick<GatewayOptions, 'dataDir' | 'databaseUrl' | 'onlyExisting'>;

/**
 * To be called before the data folder is created or anything is written to it.
 *
 * @throws NoRepositoryError if only an existing repository is to be opened, and the folder has no file of one, not even one that was lost since
 */
export function demandFiles(options: Location): void {

    const { dataDir, databaseUrl, onlyExisting = false } = options;
    const isEmbedded = onlyExisting && !databaseUrl;
    if (isEmbedded && Object.values(sqliteFiles(dataDir)).every(isEmpty) && !existsSync(join(dataDir, RESTORE_DRAFTS))) {
        throw new NoRepositoryError(options);
    }
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
