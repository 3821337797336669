/**
 * Initial data of a new repository: the extension keyword, the design object, the default types. Each is created once; later changes
 * and deletions are kept. Resumes after an interruption. The administrator's password is set when all else has started.
 */

import type { Logger } from 'pino';
import type { Database } from '../../db/database.js';
import type { AdminAccount } from '../identity/passwords/admin-account.js';
import type { ObjectCreation } from '../objects/create-object.js';
import type { ObjectReader } from '../objects/read/object-reader.js';
import type { StoredObject } from '../model/stored-object.js';
import type { CatalogStore } from '../stores/catalog-store.js';
import type { ObjectStore } from '../stores/objects/object-store.js';
import type { SettingStore } from '../stores/setting-store.js';
import type { Catalog } from '../types/catalog.js';
import { DESIGN_ID } from '../doip/ids.js';
import { sharedSetting } from '../identity/secrets/shared-setting.js';
import { ADMIN_ID, SERVICE } from '../model/caller.js';
import { DESIGN_TYPE, SCHEMA_TYPE } from '../types/built-in-types.js';
import { ExtensionKeywordError } from '../types/schema/extension-keyword.js';
import { initialDesign, initialTypes } from '../types/seed-content.js';
import type { GatewayOptions } from './options.js';

/** Configuration for the first start. */
export type Seed = Pick<GatewayOptions, 'prefix' | 'extensionKeyword' | 'baseUri' | 'adminPassword' | 'design' | 'isForCommand'>;

interface Parts {
    readonly db: Database;
    readonly log: Logger;
    readonly seed: Seed;
    readonly objectStore: ObjectStore;
    readonly catalogStore: CatalogStore;
    readonly settings: SettingStore;
    readonly catalog: Catalog;
    readonly creation: ObjectCreation;
    readonly reader: ObjectReader;
    readonly admin: AdminAccount;
}

const TYPES_CREATED = 'bootstrap.types';
const KEYWORD = 'types.extension-keyword';

/**
 * Creates missing initial data.
 *
 * @throws FirstPasswordError for an invalid password of the administrator
 * @throws ExtensionKeywordError for another extension keyword than that of the repository
 */
export async function bootstrap(parts: Parts): Promise<void> {

    const { admin, seed: { adminPassword } } = parts;
    await admin.checkFirst(adminPassword);
    await demandKeyword(parts);
    await ensureDesign(parts);
    await ensureTypes(parts);
    warnAboutDifferences(parts);
}

/**
 * Types are read by the configured keyword alone: by another one, the next change of a user would remove the account, and store passwords as they are.
 * A repository of an earlier version gets the keyword of its service; a command, which may lack the settings of the service, stores none there.
 */
async function demandKeyword({ db, settings, objectStore, seed: { extensionKeyword, isForCommand = false } }: Parts): Promise<void> {

    const mayStore = !isForCommand || (await objectStore.view(DESIGN_ID)).object === null;
    const stored = mayStore ? await sharedSetting({ db, settings }, KEYWORD, () => Promise.resolve(extensionKeyword)) : await settings.get(KEYWORD);
    if (stored !== null && stored !== extensionKeyword) {
        throw new ExtensionKeywordError(extensionKeyword, stored);
    }
}

async function ensureDesign({ db, objectStore, catalogStore, catalog, seed }: Parts): Promise<void> {

    const { object } = await objectStore.view(DESIGN_ID);
    if (!object) {
        const now = Date.now();
        const design: StoredObject = {
            id: DESIGN_ID, type: DESIGN_TYPE, content: { ...initialDesign(seed), ...seed.design },
            acl: null, userMetadata: null, elements: [],
            metadata: { createdOn: now, createdBy: ADMIN_ID, modifiedOn: now, modifiedBy: ADMIN_ID, txnId: now * 1000 }
        };
        // If another node was faster, the commit fails and its design is used.
        await db.commit({ steps: [...objectStore.insertSteps(design, 'taken'), catalogStore.bumpStep()] });
    }

    const { epochs } = await objectStore.view(DESIGN_ID);
    await catalog.ensure(epochs.types);
}

async function ensureTypes({ db, settings, catalog, creation, reader, seed }: Parts): Promise<void> {

    if (await settings.get(TYPES_CREATED)) {
        return;
    }

    for (const content of initialTypes(seed.extensionKeyword)) {
        if (!catalog.current.get(content.name as string)) {
            const input = { type: SCHEMA_TYPE, content, elements: new Map(), elementsToDelete: [] };
            const failed = await creation.create(input, { caller: SERVICE }).then(() => null, (error: unknown) => ({ error }));
            await reader.epochs();
            // If another node was faster, its type is used.
            if (failed && !catalog.current.get(content.name as string)) {
                throw failed.error;
            }
        }
    }

    await db.commit({ steps: settings.setSteps(TYPES_CREATED, new Date().toISOString()) });
}

/** Warns when configuration and design differ: the configuration only provides the initial values. */
function warnAboutDifferences({ catalog, log, seed }: Parts): void {

    const { prefix, baseUri } = catalog.current.design;
    if (prefix !== seed.prefix) {
        log.warn({ event: 'design.prefix-differs', configured: seed.prefix, effective: prefix },
            'handle prefix of the design object differs from HANDLE_PREFIX and is used');
    }

    if (seed.baseUri && seed.baseUri !== baseUri) {
        log.warn({ event: 'design.base-uri-differs', configured: seed.baseUri, effective: baseUri ?? null },
            'base URI of the design object differs from BASE_URI and is used');
    }
}
