/**
 * All built-in operation ids; no other file spells one out.
 *
 * `0.DOIP/` ids are DOIP's own, `20.DOIP/` ids belong to the specification of this service. `gateway/` ids are of this program: most
 * give an operation to paths that exist in REST only, and ListOperations does not list those.
 */
export const Op = {
    hello: '0.DOIP/Op.Hello',
    listOperations: '0.DOIP/Op.ListOperations',
    create: '0.DOIP/Op.Create',
    retrieve: '0.DOIP/Op.Retrieve',
    update: '0.DOIP/Op.Update',
    delete: '0.DOIP/Op.Delete',
    search: '0.DOIP/Op.Search',
    getDesign: '20.DOIP/Op.GetDesign',
    getInitData: '20.DOIP/Op.GetInitData',
    authToken: '20.DOIP/Op.Auth.Token',
    authIntrospect: '20.DOIP/Op.Auth.Introspect',
    authRevoke: '20.DOIP/Op.Auth.Revoke',
    checkCredentials: '20.DOIP/Op.CheckCredentials',
    changePassword: '20.DOIP/Op.ChangePassword',
    batchUpload: '20.DOIP/Op.BatchUpload',
    reindexBatch: '20.DOIP/Op.ReindexBatch',
    highestSafeTxnId: '20.DOIP/Op.HighestSafeTxnIdForSearch',
    relationshipsGet: '20.DOIP/Op.Relationships.Get',
    versionsGet: '20.DOIP/Op.Versions.Get',
    versionsPublish: '20.DOIP/Op.Versions.Publish',
    loginProviders: 'gateway/Op.Login.Providers',
    loginBegin: 'gateway/Op.Login.Begin',
    loginComplete: 'gateway/Op.Login.Complete',
    tokensList: 'gateway/Op.Tokens.List',
    tokensRevoke: 'gateway/Op.Tokens.Revoke',
    keysCreate: 'gateway/Op.Keys.Create',
    keysList: 'gateway/Op.Keys.List',
    keysRevoke: 'gateway/Op.Keys.Revoke',
    payloadsMove: 'gateway/Op.Payloads.Move',
    auditList: 'gateway/Op.Audit.List',
    auditVerify: 'gateway/Op.Audit.Verify',
    labels: 'gateway/Op.Labels',
    rightsExplain: 'gateway/Op.Rights.Explain',
    aclsGet: 'gateway/Op.Acls.Get',
    aclsUpdate: 'gateway/Op.Acls.Update',
    schemasList: 'gateway/Op.Schemas.List',
    schemasGet: 'gateway/Op.Schemas.Get',
    schemasUpdate: 'gateway/Op.Schemas.Update',
    schemasDelete: 'gateway/Op.Schemas.Delete',
    schemasCheck: 'gateway/Op.Schemas.Check',
    schemasRehearse: 'gateway/Op.Schemas.Rehearse',
    schemaTemplates: 'gateway/Op.Schemas.Templates',
    changeAdminPassword: 'gateway/Op.ChangeAdminPassword',
    call: 'gateway/Op.Call',
    listMethods: 'gateway/Op.ListMethods',
    uploadObjects: 'gateway/Op.UploadObjects',
    exportObjects: 'gateway/Op.Export',
    importObjects: 'gateway/Op.Import',
    handlesUpdate: 'gateway/Op.Handles.Update',
    handlesStatus: 'gateway/Op.Handles.Status',
    handlesResolve: 'gateway/Op.Handles.Resolve',
    handlesLocate: 'gateway/Op.Handles.Locate',
    sessionsCreate: 'gateway/Op.Sessions.Create',
    sessionsGet: 'gateway/Op.Sessions.Get',
    sessionsDelete: 'gateway/Op.Sessions.Delete',
    startupStatus: 'gateway/Op.StartupStatus',
    status: 'gateway/Op.Status',
    health: 'gateway/Op.Health',
    describe: 'gateway/Op.Describe',
    usage: 'gateway/Op.Usage'
} as const;

/** Short name of `Op.retrieve`. */
export const RETRIEVE_ALIAS = 'Retrieve';

/** Operations that ignore credentials, even wrong ones: they carry theirs in the input, or need none. */
export const WITHOUT_CREDENTIALS: ReadonlySet<string> = new Set([
    Op.authToken, Op.authIntrospect, Op.authRevoke, Op.startupStatus, Op.loginProviders, Op.loginBegin, Op.loginComplete
]);

/** Operations whose input is credentials, which are short. */
export const LOGINS: ReadonlySet<string> = new Set([
    Op.authToken, Op.authIntrospect, Op.authRevoke, Op.changePassword, Op.changeAdminPassword, Op.keysCreate
]);
