/**
 * Which tests prove which path and which operation of the interface specification: the source of a table in docs/testing.md. A test
 * holds it against the routes and operations that there are, and against the files it names.
 */

import { Op } from '../../lib/doip/operation-ids.js';

/** Something that can be asked of the service. */
export interface Covered {
    /** Methods and path as routes have them; absent for what only DOIP offers. */
    readonly rest?: readonly string[];
    /** Id of the operation behind it. */
    readonly operation: string;
    /** Files below `test` that prove it. */
    readonly tests: readonly string[];
}

/** In the order of the specification. */
export const COVERAGE: readonly Covered[] = [
    { operation: Op.hello, tests: ['translators/doip-http/gateway.ts', 'resilience/outage.ts'] },
    { operation: Op.listOperations, tests: ['examples/custom-operation.ts', 'interface/type-methods.ts'] },
    { rest: ['GET /objects/{name*}', 'GET /api/objects/{name*}'], operation: Op.retrieve, tests: ['interface/rest-objects-retrieve.ts', 'interface/rest-payloads.ts', 'interface/elements.ts', 'interface/parity.ts'] },
    { rest: ['POST /objects/{name*}'], operation: Op.create, tests: ['interface/rest-objects-create.ts', 'interface/elements.ts', 'lib/operations/concurrency.ts'] },
    { rest: ['PUT /objects/{name*}'], operation: Op.update, tests: ['interface/rest-objects-update.ts', 'lib/operations/concurrency.ts'] },
    { rest: ['DELETE /objects/{name*}'], operation: Op.delete, tests: ['interface/rest-objects-delete.ts', 'interface/elements.ts'] },
    { rest: ['GET /search', 'POST /search'], operation: Op.search, tests: ['lib/operations/search/search.ts', 'translators/rest/search.ts', 'lib/search/runtime/index-supervisor.ts'] },
    { rest: ['GET /acls/{name*}'], operation: Op.aclsGet, tests: ['interface/rest-acls.ts', 'interface/rights.ts'] },
    { rest: ['PUT /acls/{name*}', 'POST /acls/{name*}'], operation: Op.aclsUpdate, tests: ['interface/rest-acls.ts', 'interface/rights.ts'] },
    { rest: ['PUT /users/this/password'], operation: Op.changePassword, tests: ['lib/identity/authentication/password-changes.ts', 'interface/rest-auth.ts', 'examples/cordra-client-login.ts'] },
    { rest: ['GET /check-credentials', 'POST /check-credentials'], operation: Op.checkCredentials, tests: ['interface/rest-auth.ts', 'lib/identity/authentication.ts'] },
    { rest: ['GET /call', 'POST /call'], operation: Op.call, tests: ['interface/type-methods.ts', 'examples/type-code.ts'] },
    { rest: ['GET /listMethods'], operation: Op.listMethods, tests: ['interface/type-methods.ts'] },
    { rest: ['POST /batchUpload'], operation: Op.batchUpload, tests: [
        'interface/batch-upload.ts', 'interface/batch-results.ts', 'interface/batch-hooks.ts', 'interface/batch-item-memory.ts', 'resilience/batch-crash.ts', 'resilience/batch-memory.ts', 'lib/operations/bulk/batch-upload.ts'
    ] },
    { rest: ['POST /auth/token'], operation: Op.authToken, tests: ['interface/rest-auth.ts', 'lib/operations/auth/tokens.ts'] },
    { rest: ['POST /auth/introspect'], operation: Op.authIntrospect, tests: ['interface/rest-auth.ts', 'lib/operations/auth/tokens.ts'] },
    { rest: ['POST /auth/revoke'], operation: Op.authRevoke, tests: ['interface/rest-auth.ts', 'lib/operations/auth/nodes.ts'] },
    { rest: ['GET /auth/login/{name*}'], operation: Op.loginProviders, tests: ['interface/browser-logins.ts'] },
    { rest: ['GET /auth/login/{name*}'], operation: Op.loginBegin, tests: ['interface/browser-logins.ts'] },
    { rest: ['GET /auth/callback/{name*}'], operation: Op.loginComplete, tests: ['interface/browser-logins.ts'] },
    { rest: ['POST /auth/keys'], operation: Op.keysCreate, tests: ['interface/api-keys.ts', 'lib/operations/keys/keys.ts', 'lib/identity/keys/api-keys.ts'] },
    { rest: ['GET /auth/keys'], operation: Op.keysList, tests: ['interface/api-keys.ts', 'lib/operations/keys/keys.ts'] },
    { rest: ['DELETE /auth/keys/{name*}'], operation: Op.keysRevoke, tests: ['interface/api-keys.ts', 'lib/operations/keys/keys.ts'] },
    { rest: ['GET /schemas/{name*}'], operation: Op.schemasList, tests: ['interface/rest-schemas.ts'] },
    { rest: ['GET /schemas/{name*}'], operation: Op.schemasGet, tests: ['interface/rest-schemas.ts'] },
    { rest: ['PUT /schemas/{name*}'], operation: Op.schemasUpdate, tests: ['interface/rest-schemas.ts', 'interface/rights.ts'] },
    { rest: ['DELETE /schemas/{name*}'], operation: Op.schemasDelete, tests: ['interface/rest-schemas.ts', 'interface/rights.ts'] },
    { rest: ['GET /schemaTemplates'], operation: Op.schemaTemplates, tests: ['interface/rest-service.ts'] },
    { rest: ['GET /design'], operation: Op.getDesign, tests: ['interface/rest-service.ts', 'lib/identity/authentication.ts'] },
    { rest: ['GET /initData'], operation: Op.getInitData, tests: ['interface/rest-service.ts'] },
    { rest: ['GET /startupStatus'], operation: Op.startupStatus, tests: ['resilience/outage.ts', 'interface/rest-service.ts', 'lib/health/startup-state.ts'] },
    { rest: ['GET /rights/{name*}'], operation: Op.rightsExplain, tests: ['lib/operations/acls/explain.ts'] },
    { rest: ['GET /labels', 'POST /labels'], operation: Op.labels, tests: ['lib/operations/relationships/labels.ts'] },
    { rest: ['POST /schemaCheck'], operation: Op.schemasCheck, tests: ['lib/operations/schemas/check.ts'] },
    { rest: ['POST /rehearsal'], operation: Op.schemasRehearse, tests: ['lib/operations/schemas/rehearse.ts', 'ui/rehearsal.ts'] },
    { rest: ['GET /status'], operation: Op.status, tests: ['interface/status.ts', 'lib/health/service-status.ts', 'lib/operations/result-schemas.ts'] },
    { rest: ['GET /auth/tokens'], operation: Op.tokensList, tests: ['lib/operations/tokens/tokens.ts'] },
    { rest: ['DELETE /auth/tokens', 'DELETE /auth/tokens/{name*}'], operation: Op.tokensRevoke, tests: ['lib/operations/tokens/tokens.ts'] },
    { rest: ['GET /usage'], operation: Op.usage, tests: ['interface/quotas.ts'] },
    { operation: Op.auditList, tests: ['interface/audit.ts', 'lib/audit/audit-log.ts', 'lib/cli/audit.ts'] },
    { operation: Op.payloadsMove, tests: ['lib/operations/service/move-payloads.ts'] },
    { operation: Op.auditVerify, tests: ['interface/audit.ts', 'lib/audit/audit-log.ts', 'lib/cli/audit.ts'] },
    { operation: Op.describe, tests: ['translators/web/openapi.ts'] },
    { operation: Op.health, tests: ['interface/health.ts'] },
    { rest: ['PUT /adminPassword'], operation: Op.changeAdminPassword, tests: ['lib/identity/authentication/password-changes.ts', 'interface/rest-auth.ts'] },
    { rest: ['POST /uploadObjects', 'PUT /uploadObjects'], operation: Op.uploadObjects, tests: ['interface/upload-objects.ts'] },
    { rest: ['POST /reindexBatch'], operation: Op.reindexBatch, tests: ['interface/rest-reindex.ts', 'lib/operations/search/reindex-batch.ts'] },
    { operation: Op.highestSafeTxnId, tests: ['lib/operations/search/highest-safe-txn-id.ts'] },
    { rest: ['POST /updateHandles'], operation: Op.handlesUpdate, tests: ['interface/rest-update-handles.ts', 'lib/handles/handle-update-job.ts'] },
    { rest: ['GET /updateHandles'], operation: Op.handlesStatus, tests: ['interface/rest-update-handles.ts'] },
    { rest: ['GET /api/handles/{name*}'], operation: Op.handlesResolve, tests: ['interface/rest-handles.ts', 'lib/handles/handle-resolver.ts'] },
    { rest: ['GET /hdl/{name*}'], operation: Op.handlesLocate, tests: ['interface/rest-handles.ts'] },
    { rest: ['GET /versions'], operation: Op.versionsGet, tests: ['interface/rest-versions.ts', 'lib/operations/versions/versions.ts'] },
    { rest: ['POST /versions'], operation: Op.versionsPublish, tests: ['interface/rest-versions.ts', 'lib/operations/versions/versions.ts', 'lib/operations/versions/shared-bytes.ts'] },
    { rest: ['GET /relationships/{name*}'], operation: Op.relationshipsGet, tests: ['interface/rest-relationships.ts', 'lib/operations/objects/relationships.ts'] },
    { rest: ['POST /sessions'], operation: Op.sessionsCreate, tests: ['interface/sessions.ts', 'lib/operations/sessions/sessions.ts'] },
    { rest: ['GET /sessions/{name*}'], operation: Op.sessionsGet, tests: ['interface/sessions.ts'] },
    { rest: ['DELETE /sessions/{name*}'], operation: Op.sessionsDelete, tests: ['interface/sessions.ts'] },
    { operation: Op.exportObjects, tests: ['lib/cli/commands.ts'] },
    { operation: Op.importObjects, tests: ['lib/cli/commands.ts'] }
];

/** The table of docs/testing.md. */
export function coverageTable(): string {

    const rows = COVERAGE.map(({ rest, operation, tests }) => {

        const paths = rest?.map((path) => `\`${path.replace('{name*}', '…')}\``).join(', ') ?? '';
        return `| ${paths} | \`${operation}\` | ${tests.map((file) => `\`${file}\``).join(', ')} |`;
    });
    return ['| REST | Operation | Tests in `test` |', '|---|---|---|', ...rows].join('\n');
}
