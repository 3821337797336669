/**
 * The built-in operations, in the order in which ListOperations shows them.
 */

import type { Operation } from '../core/operation.js';
import { getAcl } from './acls/get.js';
import { updateAcl } from './acls/update.js';
import { create } from './objects/create.js';
import { remove } from './objects/delete.js';
import { retrieve } from './objects/retrieve.js';
import { update } from './objects/update.js';
import { getDesign } from './service/get-design.js';
import { getInitData } from './service/get-init-data.js';
import { hello } from './service/hello.js';
import { listOperations } from './service/list-operations.js';
import { startupStatus } from './service/startup-status.js';
import { deleteSchema } from './types/delete.js';
import { getSchema } from './types/get.js';
import { listSchemas } from './types/list.js';
import { updateSchema } from './types/update.js';

/** Every operation of the specification that this service implements. */
export const builtInOperations = [
    hello, listOperations, create, retrieve, update, remove, getDesign, getInitData,
    getAcl, updateAcl, listSchemas, getSchema, updateSchema, deleteSchema, startupStatus
] as unknown as readonly Operation[];
