/**
 * The REST-style interface as a hapi plugin: every path of the interface specification's "REST-style interface", each a
 * translation into one operation and back.
 */

import type { Plugin } from '@hapi/hapi';
import type { TranslatorOptions } from '../http/request/translator-options.js';
import type { Route } from '../http/route.js';
import { aclRoutes } from './acls.js';
import { adminRoutes } from './admin.js';
import { authRoutes } from './auth.js';
import { batchUploadRoutes } from './batch-upload.js';
import { callRoutes } from './call.js';
import { handleRoutes } from './handles.js';
import { mount } from '../http/route-handler.js';
import { objectRoutes } from './objects.js';
import { schemaRoutes } from './schemas.js';
import { searchRoutes } from './search.js';
import { userRoutes } from './users.js';
import { versionRoutes } from './versions.js';

/** All routes of the REST interface. */
export const restRoutes: readonly Route[] = [
    ...objectRoutes, ...aclRoutes, ...searchRoutes, ...schemaRoutes, ...versionRoutes, ...callRoutes, ...authRoutes, ...userRoutes,
    ...batchUploadRoutes, ...handleRoutes, ...adminRoutes
];

/**
 * Mounts all routes, also behind the other bases. hapi's own `routes.prefix` moves the whole interface.
 *
 * @example
 * await server.register({ plugin: rest, options: { gateway } });
 */
export const rest: Plugin<TranslatorOptions> = {
    name: 'doip-gateway-rest',

    register(server, options) {

        mount(server, restRoutes, options);
    }
};
