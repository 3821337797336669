/**
 * The REST-style interface as a hapi plugin: all paths of the interface specification, "REST-style interface", each of which translates to
 * one operation.
 */

import type { Plugin } from '@hapi/hapi';
import type { TranslatorOptions } from '../http/request/translator-options.js';
import type { Route } from '../http/route.js';
import { aclRoutes } from './acls.js';
import { adminPasswordRoutes } from './admin-password.js';
import { authRoutes } from './auth.js';
import { batchUploadRoutes } from './batch-upload.js';
import { callRoutes } from './call.js';
import { checkCredentialsRoutes } from './check-credentials.js';
import { designRoutes } from './design.js';
import { labelRoutes } from './gateway/labels.js';
import { rightsRoutes } from './gateway/rights.js';
import { schemaCheckRoutes } from './gateway/schema-check.js';
import { rehearsalRoutes } from './gateway/rehearsal.js';
import { statusRoutes } from './gateway/status.js';
import { handleRoutes } from './handles.js';
import { listMethodsRoutes } from './list-methods.js';
import { mount } from '../http/route-handler.js';
import { objectRoutes } from './objects.js';
import { reindexBatchRoutes } from './reindex-batch.js';
import { relationshipRoutes } from './relationships.js';
import { schemaRoutes } from './schemas.js';
import { searchRoutes } from './search.js';
import { startupStatusRoutes } from './startup-status.js';
import { updateHandlesRoutes } from './update-handles.js';
import { uploadObjectsRoutes } from './upload-objects.js';
import { userRoutes } from './users.js';
import { versionRoutes } from './versions.js';

/** All routes of the REST interface. */
export const restRoutes: readonly Route[] = [
    ...objectRoutes, ...aclRoutes, ...searchRoutes, ...schemaRoutes, ...versionRoutes, ...relationshipRoutes, ...callRoutes, ...listMethodsRoutes,
    ...authRoutes, ...checkCredentialsRoutes, ...userRoutes, ...adminPasswordRoutes, ...batchUploadRoutes, ...uploadObjectsRoutes, ...handleRoutes,
    ...updateHandlesRoutes, ...reindexBatchRoutes, ...startupStatusRoutes, ...designRoutes, ...rightsRoutes, ...labelRoutes, ...statusRoutes,
    ...schemaCheckRoutes, ...rehearsalRoutes
];

/**
 * Mounts all routes, below the additional bases too. hapi's own `routes.prefix` moves the whole interface.
 *
 * @example
 * await server.register({ plugin: rest, options: { gateway } });
 */
export const rest: Plugin<TranslatorOptions> = {
    name: 'doip-gateway-rest',

    register(server, options) {

        mount(server, restRoutes, options, { ownsBases: true });
    }
};
