/** Operations that change nothing: their requests may be repeated. A test compares them with those of the service. */

import { Op } from '../doip/operation-ids.js';

export const READING: ReadonlySet<string> = new Set([
    Op.hello, Op.listOperations, Op.retrieve, Op.search, Op.getDesign, Op.getInitData, Op.authIntrospect, Op.checkCredentials, Op.highestSafeTxnId,
    Op.relationshipsGet, Op.versionsGet, Op.loginProviders, Op.tokensList, Op.keysList, Op.auditList, Op.auditVerify, Op.labels, Op.rightsExplain, Op.aclsGet,
    Op.schemasList, Op.schemasGet, Op.schemaTemplates, Op.listMethods, Op.handlesStatus, Op.handlesResolve, Op.handlesLocate, Op.sessionsGet,
    Op.startupStatus, Op.status, Op.health, Op.describe, Op.usage
]);

/** Operations that change one version only, if their attribute `ifMatch` names it. */
export const CONDITIONAL: ReadonlySet<string> = new Set([Op.update, Op.delete, Op.aclsUpdate, Op.schemasUpdate, Op.schemasDelete]);
