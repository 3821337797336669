/**
 * All migrations, oldest first. New ones are added at the end.
 */

import type { Migration } from '../migration.js';
import { objects } from './001-objects.js';
import { payloads } from './002-payloads.js';
import { jobs } from './003-jobs.js';
import { identity } from './004-identity.js';
import { search } from './005-search.js';
import { indexSources } from './006-index-sources.js';
import { scriptModules } from './008-script-modules.js';
import { versions } from './010-versions.js';
import { handles } from './011-handles.js';
import { numberFloor } from './014-number-floor.js';
import { principals } from './015-principals.js';
import { searchBatches } from './016-search-batches.js';
import { nodeFloors } from './017-node-floors.js';
import { apiKeys } from './018-api-keys.js';
import { usage } from './020-usage.js';
import { audit } from './021-audit.js';
import { blobChecksums } from './022-blob-checksums.js';
import { formerRules, typeChanges } from './023-type-changes.js';
import { guardedRows, missingColumns, writeFences } from './024-added-columns.js';

export const MIGRATIONS: readonly Migration[] = [
    objects,
    payloads,
    jobs,
    identity,
    search,
    indexSources,
    scriptModules,
    versions,
    handles,
    numberFloor,
    principals,
    searchBatches,
    nodeFloors,
    apiKeys,
    usage,
    audit,
    blobChecksums,
    typeChanges,
    guardedRows,
    writeFences,
    missingColumns,
    formerRules
];
