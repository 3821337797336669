/** Opens the database and composes stores and services around it; used by `gateway.ts` to start. */

import type { CommitObserver, Database } from '../../db/database.js';
import type { GatewayLoad } from '../metrics/load.js';
import { AuditLog } from '../audit/audit-log.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { WriteBarrier } from '../bulk/upload/write-barrier.js';
import type { OperationRegistry } from '../core/registry.js';
import type { DoipError } from '../errors/errors.js';
import type { StatusTable } from '../errors/status.js';
import type { Endpoint, Services } from '../core/services.js';
import type { WriteParticipant } from '../model/write-participant.js';
import type { StartupState, StorageCondition } from '../health/startup-state.js';
import { type DatabaseOptions, openDatabase, openReadOnlyDatabase } from '../../db/engines/open.js';
import { composeBulk, composeTransfer } from './bulk-container.js';
import { bootstrap } from './bootstrap.js';
import { claimDataDir, nodeName, readRepoInit, removeRepoInit } from './data-dir.js';
import { demandDesign, demandFiles, demandNoNode, demandTables, warnOfTwoDatabases } from './no-repository.js';
import { withRepoInit } from './repo-init.js';
import { KeyedLocks } from '../util/concurrency/keyed-mutex.js';
import { ShutdownStack } from './shutdown-stack.js';
import { composeUsage, prepareUsage } from './usage-container.js';
import { serviceInfo } from '../core/services.js';
import { composeHandles } from '../handles/handles.js';
import { composeIdentity } from '../identity/identity.js';
import { PasswordChanges } from '../identity/authentication/password-changes.js';
import type { EdgeLimiter } from '../identity/throttling/edge-limiter.js';
import { Policy } from '../identity/access/access-policy.js';
import { IdentityParticipant, IdentitySecretRemover } from '../identity/sync/identity-participant.js';
import { ContentPipeline, type TypeCatalog } from '../objects/content-pipeline.js';
import { ChangeEvents, type ChangeListener } from '../objects/change-events.js';
import { EpochHistory } from '../stores/objects/epoch-history.js';
import { ElementService } from '../objects/elements/element-service.js';
import { ObjectLoader } from '../objects/read/object-loader.js';
import { ObjectResolution } from '../objects/read/object-resolution.js';
import { ObjectCreation } from '../objects/create-object.js';
import { ObjectReader } from '../objects/read/object-reader.js';
import { WRITE_TIMEOUT_MS } from '../objects/object-transaction.js';
import { ObjectService } from '../objects/object-service.js';
import { ObjectWriter } from '../objects/object-writer.js';
import { ReferenceChecker } from '../objects/reference-checker.js';
import { takeWorker } from '../util/workers/spare-workers.js';
import { ServiceStatus } from '../health/service-status.js';
import { SchemaCheck } from '../objects/schema-check.js';
import { TypeRehearsal } from '../objects/type-rehearsal.js';
import { LabelReader } from '../relationships/label-reader.js';
import { RelationshipService } from '../relationships/relationship-service.js';
import { TxnIdGenerator } from '../objects/txn-id-generator.js';
import { VersionService } from '../versions/version-service.js';
import { DEFAULT_LIMITS } from '../scripting/pool/script-pool.js';
import { composeScripting, type Scripting } from '../scripting/scripting.js';
import { valueLimitsFor } from '../scripting/protocol/value-limits.js';
import { closedRules } from '../scripting/hooks/auth-config-hooks.js';
import { ModuleParticipant } from '../scripting/hooks/module-participant.js';
import { ModuleRules } from '../scripting/hooks/module-permissions.js';
import { freeSpace, purgeJobs, sweepBlobs } from '../jobs/cleanup-jobs.js';
import { MoveJobs, moveRoute } from '../jobs/move-payloads-job.js';
import { JobRunner } from '../jobs/job-runner.js';
import { DEFAULT_TEXT_LIMITS } from '../payloads/text-extractor.js';
import { composeSearch } from '../search/create-search.js';
import { HighestSafeTxn } from '../search/highest-safe-txn.js';
import { withoutCode } from '../search/remote/types-with-code.js';
import { SearchService } from '../search/search-service.js';
import { REINDEX_JOB } from '../search/reindex-job.js';
import { AuditStore } from '../stores/audit-store.js';
import { BlobMover } from '../stores/blobs/blob-mover.js';
import { BlobStore } from '../stores/blobs/blob-store.js';
import { BlobSweeper } from '../stores/blobs/blob-sweeper.js';
import { CatalogStore } from '../stores/catalog-store.js';
import { DatabaseElementStore } from '../stores/blobs/database-element-store.js';
import { DEFAULT_STORE, ElementStores } from '../stores/blobs/element-store.js';
import type { OpenS3Store } from '../stores/s3/open-s3-store.js';
import { demandNoPayloadStore, hasPayloadsInBucket, S3_STORE } from '../stores/s3/s3-claim.js';
import { JobStore } from '../stores/jobs/job-store.js';
import { TxnWatermarkStore } from '../stores/txn-watermark-store.js';
import { ObjectScan } from '../stores/objects/object-scan.js';
import { ObjectStore } from '../stores/objects/object-store.js';
import { ReferenceStore } from '../stores/reference-store.js';
import { FreeSpace } from '../stores/free-space.js';
import { ScriptModuleStore } from '../stores/script-module-store.js';
import { SettingStore } from '../stores/setting-store.js';
import { VersionStore } from '../stores/version-store.js';
import { Catalog } from '../types/catalog.js';
import { CatalogParticipant } from '../types/catalog-participant.js';
import { TypeRegistry } from '../types/type-registry.js';
import type { GatewayOptions } from './options.js';
import { ObjectHasher } from '../objects/hashes/object-hashes.js';

/** The opened components. */
export interface Runtime {
    readonly services: Services;
    readonly database: Pick<Database, 'ping'> & { condition(): Promise<StorageCondition | null> };
    /** Returns what metrics read. */
    readonly load: () => GatewayLoad;
    /** To be called when the database answers again after an outage: it may have lost its last commits. */
    readonly renew: () => void;
    /** Stops background work and closes the database. */
    close(): Promise<void>;
}

/** Components that exist before the database is opened. */
export interface GatewayShell {
    readonly registry: OperationRegistry;
    readonly startup: StartupState;
    readonly statuses: StatusTable;
    readonly edge: EdgeLimiter;
    readonly onCommitted?: CommitObserver;
    /** Called with each change of an object by this process. */
    readonly listeners: readonly ChangeListener[];
    /** Maps an error of the storage to the error to report; null for any other error. */
    readonly explain: (error: unknown) => DoipError | null;
}

const TOKEN_TIMEOUT = 30 * 60_000;
const RELATED_OBJECTS = 1000;

interface Opened {
    readonly runtime: Runtime;
    /** The administrator's password if it was generated. */
    readonly generatedPassword: string | null;
}

/**
 * Locks the data folder, opens the database and composes the services. Leaves nothing open when it rejects.
 *
 * @throws DataDirError when the data folder cannot be used, or is locked by another process
 * @throws UnfinishedRestoreError when a restore to it was interrupted
 * @throws NoRepositoryError when only an existing repository is to be opened, and there is none
 * @throws NodeFolderError when an embedded database would be begun in the folder of a node of a database server
 * @throws ExtensionKeywordError when the types of the repository are written with another extension keyword
 */
export async function openRuntime(options: GatewayOptions, shell: GatewayShell): Promise<Opened> {

    const { dataDir } = options;
    demandFiles(options);
    const claim = claimDataDir(dataDir, { log: options.log });
    try {
        demandNoNode(options);
        warnOfTwoDatabases(options, options.log);
        const { runtime, generatedPassword } = await openClaimed(withRepoInit(options, readRepoInit(dataDir)), shell);
        removeRepoInit(dataDir, options.log);
        const close = async (): Promise<void> => {

            await runtime.close();
            claim.release();
        };

        return { runtime: { ...runtime, close }, generatedPassword };
    }
    catch (error) {
        claim.release();
        throw error;
    }
}

/**
 * Opens what a worker process has, beside the primary process that owns the data folder: the database to read from, and the services around
 * it, of which nothing runs but what counts uses of tokens. What it must not do is left out: type code, the audit log, counting, other stores.
 */
export async function openWorkerRuntime(options: GatewayOptions, shell: GatewayShell): Promise<Opened> {

    const shutdown = new ShutdownStack(options.log);
    try {
        const db = await shutdown.use(() => openReadOnlyDatabase({ ...databaseOptions(options), readers: options.worker?.workers }), (opened) => opened.close());
        const { quotas: _quotas, ...own } = options;
        const parts = await compose(db, { ...own, auditDays: 0, payloadStore: null }, { ...shell, payloadStore: null });
        const { blobs, identity, reader, scripting, services, status } = parts;
        await shutdown.use(() => blobs, () => blobs.close());
        await shutdown.use(() => status, () => status.close());
        await shutdown.use(() => scripting, () => scripting.close());
        await reader.epochs();
        await shutdown.use(() => identity.start(), () => identity.close());
        const database = { ping: (timeoutMs?: number) => db.ping(timeoutMs), condition: () => Promise.resolve(null) };
        const runtime = { services, database, load: () => loadOf(db, parts), renew: renewalOf(parts), close: () => shutdown.dispose() };
        return { runtime, generatedPassword: null };
    }
    catch (error) {
        await shutdown.dispose();
        throw error;
    }
}

async function openClaimed(options: GatewayOptions, shell: GatewayShell): Promise<Opened> {

    const { startup } = shell;
    const shutdown = new ShutdownStack(options.log);
    try {
        const db = await shutdown.use(() => openDatabase({
            ...databaseOptions(options), minFree: options.minFreeBytes, onCommitted: shell.onCommitted, startThread: takeWorker, readers: options.workers?.count
        }), (opened) => opened.close());
        await demandTables(db, options);
        await db.migrate();
        const payloadStore = await shutdown.use(() => openPayloadStore(db, options), (opened) => opened?.close());
        const parts = await compose(db, options, { ...shell, payloadStore });
        const { auditTrail, blobs, identity, jobs, scripting, search, services } = parts;
        await shutdown.use(() => blobs, () => blobs.close());
        await shutdown.use(() => parts.status, (status) => status.close());
        await shutdown.use(() => auditTrail, (trail) => trail?.close());
        await demandDesign(parts.objectStore, options);
        await parts.floor.renew();
        await bootstrap(parts);
        await prepareUsage(parts, options);
        startup.set('storage', 'UP');
        await shutdown.use(() => search.index.start(), () => search.stop());
        await shutdown.use(() => scripting, () => scripting.close());
        await identity.principals.reserve();
        await shutdown.use(() => identity.start(), () => identity.close());
        startup.set('identity', 'UP');
        await shutdown.use(() => services.handles, (handles) => handles.close());
        startup.set('handles', 'UP');
        await shutdown.use(() => services.uploader, (uploader) => uploader.close());
        await shutdown.use(() => jobs.start(), () => jobs.stop());
        const condition = async (): Promise<StorageCondition | null> => await db.condition?.() ?? await payloadStore?.condition() ??
            (await lacksBucket(db, parts.stores) ? 'payloads not set up' : null);
        const database = { ping: (timeoutMs?: number) => db.ping(timeoutMs), condition };
        const runtime = { services, database, load: () => loadOf(db, parts), renew: renewalOf(parts), close: () => shutdown.dispose() };
        // Last, as a generated password is shown by whoever gets the runtime, and by nobody when something else fails.
        const generatedPassword = await parts.admin.ensure(options.adminPassword);
        parts.admin.warnIfIgnored(options.adminPassword, options.log);
        // Only now, as the service is UP when all of these are.
        startup.set('jobs', 'UP');
        return { runtime, generatedPassword };
    }
    catch (error) {
        await shutdown.dispose();
        throw error;
    }
}

function databaseOptions({ databaseUrl, dataDir, log }: GatewayOptions): DatabaseOptions {

    return { url: databaseUrl ?? undefined, dataDir, log };
}

/** The embedded database has what it has acknowledged, or is not opened. */
function renewalOf({ db, history }: Pick<Awaited<ReturnType<typeof compose>>, 'db' | 'history'>): () => void {

    return () => (db.dialect === 'mysql' ? history.renew() : undefined);
}

/** Reads the counters of the components. */
function loadOf(db: Database, parts: Awaited<ReturnType<typeof compose>>): GatewayLoad {

    const { search: { index, texts }, scripting, jobs, jobStore, identity, objectStore, payloadStore, services: { handles } } = parts;
    return {
        database: db.usage(), search: index.load, scripts: scripting.pool.load, texts: texts.load, jobs: jobs.load, identity: identity.load(),
        objects: objectStore.cacheUsage, payloadStore: payloadStore?.load() ?? null,
        slow: {
            databaseBytes: () => db.size(), index: () => index.usage(), jobs: () => jobStore.counts(),
            outbox: () => handles.outbox?.counts() ?? Promise.resolve(null)
        }
    };
}

/** The bucket with the bytes of elements, whose client is loaded only where there is one. */
async function openPayloadStore(db: Database, { payloadStore, isForCommand = false, log }: GatewayOptions): Promise<OpenS3Store | null> {

    if (!payloadStore) {
        await demandNoPayloadStore(db);
        return null;
    }

    const { openS3Store } = await import('../stores/s3/open-s3-store.js');
    return await openS3Store({ ...payloadStore, isForCommand }, { db, log });
}

/** Returns whether this node needs a bucket that it does not have. Never rejects. */
async function lacksBucket(db: Database, stores: ElementStores): Promise<boolean> {

    if (stores.isMissing(S3_STORE) && !await hasPayloadsInBucket(db).catch(() => true)) {
        // They were moved back.
        stores.release(S3_STORE);
    }

    return stores.isMissing(S3_STORE);
}

async function compose(
    db: Database, options: GatewayOptions,
    { registry, startup, statuses, edge, explain, listeners, payloadStore }: GatewayShell & { readonly payloadStore: OpenS3Store | null }
) {

    const { limits, log } = options;
    const history = new EpochHistory(log);
    const objectStore = new ObjectStore(db, history);
    const catalogStore = new CatalogStore(db);
    const settings = new SettingStore(db);
    const modules = new ScriptModuleStore(db);
    const catalog = new Catalog({
        store: objectStore, rows: catalogStore, modules, settings,
        build: (design, schemas, previous) => TypeRegistry.build({
            design, schemas, previous, extensionKeyword: options.extensionKeyword, prefix: options.prefix
        }),
        // A worker leaves objects with such rules to the primary process.
        authConfigRules: async (planned, files, onRevised) => (options.worker ? closedRules(planned) : await scripting.authConfigRules.of(planned, files, onRevised))
    });
    const reader = new ObjectReader(objectStore, catalog);
    const clock = new TxnIdGenerator(await objectStore.highestTxnId());
    const referenceStore = new ReferenceStore(db);
    const references = new ReferenceChecker(objectStore, referenceStore, () => policy);
    const stores = new ElementStores(new DatabaseElementStore(db.blobs), options.storageChooser);
    for (const [name, store] of Object.entries(options.elementStores ?? {})) {
        stores.register(name, store);
    }

    if (payloadStore) {
        stores.register(S3_STORE, payloadStore.store);
        stores.use(options.payloadStore?.isForNew === false ? DEFAULT_STORE : S3_STORE);
    }

    const blobs = new BlobStore(db, stores, { log });
    const jobStore = new JobStore(db);
    const jobs = new JobRunner(jobStore, { log });
    const sweeper = new BlobSweeper(db, stores, blobs, log);
    const makeSpace = freeSpace(sweeper, () => db.now());
    db.useSpaceMaker?.(makeSpace);
    jobs.register(sweepBlobs(sweeper, () => db.now(), { isShort: () => db.hasSpaceFor?.() === false }));
    jobs.register(purgeJobs(jobStore));
    const moves = new MoveJobs({
        mover: new BlobMover(db, stores), jobs, jobStore, log, route: payloadStore ? moveRoute(stores.usual, S3_STORE) : null
    });
    const elements = new ElementService(blobs, stores, limits.elementBytes, (type) => catalog.current.get(type)?.hashesObjects ?? false);
    const policy = new Policy(() => catalog.current.accessRules, options.hide);
    const endpoint: () => Endpoint = options.endpoint ?? (() => ({ address: '127.0.0.1', port: 0, protocol: 'HTTP' }));
    const identity = composeIdentity({
        db, history, log, policy, edge,
        design: () => catalog.current.design.content,
        renewDesign: () => reader.epochs(),
        tokenTimeout: options.tokenTimeout ?? TOKEN_TIMEOUT,
        tokensPerUser: options.tokensPerUser,
        apiKeys: options.apiKeys,
        loginProviders: options.loginProviders,
        ownBase: () => endpoint().url,
        isShared: options.workers !== undefined || options.worker !== undefined,
        isReadOnly: options.worker !== undefined,
        uses: options.worker?.uses,
        ...options.passwordCost ? { passwords: { cost: options.passwordCost } } : {}
    });
    jobs.register(identity.housekeeping);
    const scan = new ObjectScan(db);
    const scripting: Scripting = composeScripting({
        catalog, elements, policy, log, limits: { values: valueLimitsFor(limits), ...options.scripts ?? DEFAULT_LIMITS }, objects: scan,
        services: () => services, explain, isInert: options.worker !== undefined
    });
    const secretRemover = new IdentitySecretRemover(identity.secureValues);
    const moduleRules = new ModuleRules({ catalog, policy });
    const pipelineOf = (types: TypeCatalog): ContentPipeline => new ContentPipeline({
        catalog: types, secrets: secretRemover, references, clock, limits, code: scripting.inspector,
        hasher: new ObjectHasher(types, elements), modules: moduleRules
    });
    const pipeline = pipelineOf(catalog);
    const node = db.dialect === 'mysql' ? nodeName(options.dataDir) : null;
    const codeFree = options.worker && withoutCode({ codeOf: options.worker.codeOf, catalog, objects: scan });
    const search = composeSearch({
        db, log, catalog, refresh: () => reader.epochs(), objects: scan, elements, jobs, jobStore,
        texts: options.texts ?? DEFAULT_TEXT_LIMITS, search: options.search,
        node,
        searchesOfWorkers: options.workers ? { side: 'primary', socketPath: options.workers.searchPath } : options.worker && codeFree ? {
            side: 'worker', socketPath: options.worker.searchPath, code: codeFree
        } : null,
        onState: (state) => startup.set('indexer', state), onWentBack: () => history.wentBack()
    });
    const handles = composeHandles({
        db, catalog, policy, jobs, jobStore, settings, log, objects: scan, options: options.handles ?? { uiBase: null },
        hook: (...record) => scripting.design.createHandleValues(...record),
        refresh: () => reader.epochs(),
        resolution: () => resolution,
        ownBase: () => endpoint().url,
        serviceInfo: () => serviceInfo(services)
    });
    const floor = new TxnWatermarkStore(db, node ?? 'local');
    const otherNodes = (since: number): Promise<readonly string[]> => floor.othersSince(since);
    const usage = await composeUsage(options, { db, settings, log, otherNodes, design: () => catalog.current.design.content });
    const auditStore = new AuditStore(db);
    const auditLog = new AuditLog({ store: auditStore, log, now: () => db.now(), ownNow: Date.now });
    const auditTrail = options.auditDays ? new AuditTrail({ store: auditStore, policy, log, now: Date.now }) : null;
    for (const job of options.auditDays ? auditLog.jobs(options.auditDays) : []) {
        jobs.register(job);
    }

    // Each sees every write before it is committed, in this order; it may reject it or add statements to its unit.
    const participants: readonly WriteParticipant[] = [
        new CatalogParticipant(catalogStore, (type) => catalog.current.computedRulesOf(type)),  // Name of the type, rules of one that goes, epoch of types
        new ModuleParticipant({ modules, catalogStore, rules: moduleRules }),           // Payloads that are script modules
        references,                                                                     // Objects that the object refers to
        new IdentityParticipant(identity),                                              // Usernames, hashes, groups, ended tokens
        search.participants.indexedForm,                                                // What objectForIndexing made of the object
        search.participants.payloadTexts,                                               // Payloads that are to be read in the background
        search.participants.changeLog,                                                  // Change log of the search index
        ...handles.participant ? [handles.participant] : [],                            // Outbox of the handle server
        ...listeners.length > 0 ? [new ChangeEvents(listeners, log)] : [],              // Events for extensions
        ...auditTrail ? [auditTrail] : [],                                              // Entry of the audit log
        ...usage ? [usage] : []                                                         // Totals of users and types; last, as they are locked
    ];
    const barrier = new WriteBarrier(catalog);
    const writer = new ObjectWriter({ db, store: objectStore, elements, participants, barrier, clock, floor, refresh: () => reader.epochs() });
    identity.useAuthenticateHook(() => (options.worker ? null : scripting.design.authenticateHook()));
    const resolution = new ObjectResolution({ lifecycle: scripting.lifecycle, limits, policy });
    const writing = {
        store: objectStore, reader, catalog, pipeline, writer, limits, locks: new KeyedLocks(), lifecycle: scripting.lifecycle, clock,
        timeoutMs: options.writeTimeoutMs ?? WRITE_TIMEOUT_MS
    };
    const objects = new ObjectService(writing);
    const creation = new ObjectCreation(writing);
    const loader = new ObjectLoader({ pages: (ids) => scan.pages(ids), refresh: () => reader.epochs() });
    const versions = new VersionService({ ...writing, versions: new VersionStore(db), references: referenceStore });
    const labels = new LabelReader({ objects: scan, policy, resolution, catalog });
    const relationships = new RelationshipService({
        references: referenceStore, objects: scan, policy, resolution, labels, catalog, limit: options.relatedObjects ?? RELATED_OBJECTS
    });
    const status = new ServiceStatus({
        db, jobStore, reindexKind: REINDEX_JOB, index: search.index, blobs, tokens: identity.accessTokens, outbox: handles.outbox
    });
    [elements, identity.principals, usage].forEach((cache) => history.onLoss(() => cache?.forget()));
    const bulk = await composeBulk({ dataDir: options.dataDir, isOwner: options.worker === undefined, limits, statuses, explain, index: search.index });
    const services: Services = {
        get serviceId() {

            return catalog.current.serviceId;
        },
        registry, reader, creation, objects, loader, resolution, elements, versions, relationships, labels,
        schemaCheck: new SchemaCheck({ objects: scan, catalog, policy }), catalog, limits, scripts: scripting, bulk,
        rehearsal: new TypeRehearsal({
            ...writing, pipelineOf,
            lifecycleOf: (types) => scripting.rehearse({
                catalog: { epoch: 0, current: types, moduleFiles: catalog.moduleFiles }, elements, host: (stored) => stored, isOfCaller: true
            }).lifecycle
        }),
        moves, reindexing: search.reindexing({ locks: writing.locks, makeForm: (object, caller) => objects.indexFormOf(object, { caller }) }),
        highestSafeTxn: new HighestSafeTxn({ index: search.index, objects: objectStore, clock, floor }),
        search: new SearchService({
            index: search.index, objects: scan, subjects: objectStore, policy, catalog, resolution, mayShow: codeFree?.mayShow,
            timeoutMs: options.search?.timeout
        }),
        ...composeTransfer({
            ...writing, loader, db, log, bulk, blobs, catalogStore, settings, jobs, jobStore, objects: scan, elements,
            directory: identity.directory, secretRemover, secrets: identity.secretTransfer, keys: identity.heldKeys, references,
            // An upload stores the epoch.
            rehearse: scripting.rehearse, barrier, floor, refresh: async () => ({ types: (await reader.epochs()).storedTypes })
        }),
        space: new FreeSpace(options.storageChooser || payloadStore ? {} : db, makeSpace), startup, status,
        log, policy, identity, usage, auditLog, auditTrail,
        passwordChanges: new PasswordChanges({ admin: identity.admin, catalog, logins: identity.logins, objects, reader }),
        handles, endpoint, localSecret: identity.local.secret
    };
    return {
        db, history, log, floor, otherNodes, status, usage, auditTrail, scripting, blobs, jobs, stores, payloadStore,
        jobStore, search, identity, objectStore, catalogStore, settings, catalog, creation, reader,
        admin: identity.admin, services, seed: options
    };
}
