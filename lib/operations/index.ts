/** The built-in operations, in the order of ListOperations. */

import type { Operation } from '../core/operation.js';
import { exportObjects } from './bulk/export.js';
import { importObjects } from './bulk/import.js';
import { uploadObjects } from './bulk/upload-objects.js';
import { getAcl } from './acls/get.js';
import { explainRights } from './acls/explain.js';
import { updateAcl } from './acls/update.js';
import { changeAdminPassword } from './auth/change-admin-password.js';
import { listAudit } from './audit/list.js';
import { verifyAudit } from './audit/verify.js';
import { changePassword } from './auth/change-password.js';
import { checkCredentials } from './auth/check-credentials.js';
import { beginLogin } from './auth/begin-login.js';
import { completeLogin } from './auth/complete-login.js';
import { loginProviders } from './auth/login-providers.js';
import { introspect } from './auth/introspect.js';
import { revoke } from './auth/revoke.js';
import { listTokens } from './tokens/list.js';
import { revokeTokens } from './tokens/revoke.js';
import { token } from './auth/token.js';
import { createKey } from './keys/create.js';
import { listKeys } from './keys/list.js';
import { revokeKey } from './keys/revoke.js';
import { locateHandle } from './handles/locate.js';
import { resolveHandle } from './handles/resolve.js';
import { handleUpdateStatus } from './handles/status.js';
import { updateHandles } from './handles/update.js';
import { batchUpload } from './bulk/batch-upload.js';
import { create } from './objects/create.js';
import { remove } from './objects/delete.js';
import { reindexBatch } from './search/reindex-batch.js';
import { getLabels } from './relationships/labels.js';
import { getRelationships } from './relationships/get.js';
import { retrieve } from './objects/retrieve.js';
import { search } from './search/search.js';
import { update } from './objects/update.js';
import { getDesign } from './service/get-design.js';
import { getInitData } from './service/get-init-data.js';
import { highestSafeTxnId } from './search/highest-safe-txn-id.js';
import { hello } from './service/hello.js';
import { listOperations } from './service/list-operations.js';
import { usage } from './service/usage.js';
import { startupStatus } from './service/startup-status.js';
import { status } from './service/status.js';
import { health } from './service/health.js';
import { describe } from './service/describe.js';
import { createSession } from './sessions/create.js';
import { deleteSession } from './sessions/delete.js';
import { getSession } from './sessions/get.js';
import { call } from './methods/call.js';
import { checkSchema } from './schemas/check.js';
import { rehearseSchema } from './schemas/rehearse.js';
import { deleteSchema } from './schemas/delete.js';
import { getSchema } from './schemas/get.js';
import { listSchemas } from './schemas/list.js';
import { listMethods } from './methods/list.js';
import { getSchemaTemplates } from './schemas/templates.js';
import { updateSchema } from './schemas/update.js';
import { movePayloads } from './service/move-payloads.js';
import { getVersions } from './versions/get.js';
import { publishVersion } from './versions/publish.js';

/** All operations of the specification that this service implements. */
export const builtInOperations = [
    hello, listOperations, create, search, retrieve, update, remove,
    token, introspect, revoke, changePassword, checkCredentials, getInitData, batchUpload, reindexBatch, highestSafeTxnId, getDesign,
    getRelationships, publishVersion, getVersions, createKey, listKeys, revokeKey, listTokens, revokeTokens,
    getAcl, updateAcl, explainRights, getLabels, listSchemas, getSchema, updateSchema, deleteSchema, checkSchema, getSchemaTemplates, call, listMethods,
    uploadObjects, exportObjects, importObjects, rehearseSchema,
    changeAdminPassword, updateHandles, handleUpdateStatus, resolveHandle, locateHandle, createSession, getSession, deleteSession,
    startupStatus, status, health, describe, usage, movePayloads, listAudit, verifyAudit, loginProviders, beginLogin, completeLogin
] as unknown as readonly Operation[];
