/**
 * Composition root with hapi: a server that listens as configured, with the interfaces of a gateway, logging and protection. Contains no
 * operations.
 */

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Server } from '@hapi/hapi';
import Hapi from '@hapi/hapi';
import type { Logger } from 'pino';
import { bodyMemoryOf } from '../translators/http/request/body-memory.js';
import { connectionOf, factsOf, plugin, setConnection, shapeErrors } from '../translators/index.js';
import type { Config } from './config/index.js';
import { loadConfig } from './config/index.js';
import type { Gateway } from './app/gateway.js';
import type { ScryptCost } from './identity/passwords/password-hash.js';
import { createGateway } from './app/gateway.js';
import { openLog } from './logging/logger.js';
import { StartupRetry } from './app/startup-retry.js';
import { isPermanent, isPermanentLater } from './start-errors.js';
import { countBytes, logAccess } from './http-server/access-log.js';
import { clientErrorHandler, rejectExpectation } from './http-server/client-errors.js';
import { Connections } from './http-server/connections.js';
import { shareConnections, shareOfWorker, withoutClients } from './http-server/connection-limit.js';
import { Cors } from './http-server/cors.js';
import { gatewayOptions, type WorkerOptions } from './app/options.js';
import { DoipServer } from './doip-server/doip-server.js';
import { createForwarder, readForwarded, type ForwardTarget } from './http-server/forwarder.js';
import { createListener } from './http-server/listener.js';
import { offerMetrics, reportLoad } from './http-server/load-reports.js';
import { ServerFile } from './app/server-file.js';
import { assignRequestId, requestIdOf } from './http-server/request-id.js';
import { checkRequest } from './http-server/request-limits.js';
import type { PrimaryChannel } from './cluster/primary-channel.js';
import type { WorkerPool } from './cluster/worker-pool.js';
import { forbidden } from './errors/errors.js';
import type { Endpoint } from './core/services.js';

/** Options of a server besides its configuration. */
export interface ServerOptions {
    /** An existing gateway, which the server starts and stops. Without it one is created from the configuration. */
    readonly gateway?: Gateway;
    readonly log?: Logger;
    /** Called with the administrator's password if the first start generated one. Default: printed. */
    readonly onGeneratedPassword?: (password: string) => void;
    /** Called when the start cannot succeed for a reason that is found later, as after an outage; default: it is logged, and tried again. */
    readonly onStartFailed?: (error: unknown) => void;
    /** Cost of password hashing in a gateway created from the configuration. Default: OWASP's recommendation for scrypt. */
    readonly passwordCost?: ScryptCost;
}

/** A process among several that make up a service: the primary process with its workers, or a worker. */
export type ProcessRole =
    | { readonly kind: 'primary'; readonly pool: WorkerPool }
    | { readonly kind: 'worker'; readonly channel: PrimaryChannel; readonly target: ForwardTarget; readonly searchPath: string; readonly workers: number };

/**
 * Creates a server that is ready to start. Operations can be added to its gateway, `server.plugins['doip-gateway'].gateway`, until
 * `server.start()`, which opens the database and listens. It also listens while the gateway cannot be started, to serve `/startupStatus`,
 * and retries. `server.stop()` lets requests in progress finish.
 *
 * @example
 * const config = configure({ PORT: 0, DATA_DIR: './data' });
 * const server = await createServer(config);
 * server.plugins['doip-gateway'].gateway.registerOperation(wordCount);
 * await server.start();
 * console.log(serverUrl(server, config));
 *
 * @param config by default from the environment and the configuration file
 * @throws ConfigError for an invalid certificate or key
 */
export async function createServer(config: Config = loadConfig(), options: ServerOptions = {}): Promise<Server> {

    return await createServerOf(null, config, options);
}

/** Like {@link createServer}, for a process that is one of several; null for one that is alone. */
export async function createServerOf(role: ProcessRole | null, config: Config, options: ServerOptions = {}): Promise<Server> {

    const worker = role?.kind === 'worker' ? role : null;
    const primary = role?.kind === 'primary' ? role : null;
    const log = options.log ?? openLog(config.log).logger;
    const gateway: Gateway = options.gateway ?? createGateway({
        ...gatewayOptions(config, log), endpoint: (): Endpoint => endpointOf(server, config, native),
        ...options.passwordCost ? { passwordCost: options.passwordCost } : {},
        ...worker ? { worker: workerOptions(worker) } : {},
        ...primary ? { workers: { count: primary.pool.beginning.workers, searchPath: primary.pool.beginning.searchPath } } : {}
    });
    const http = worker ? shareOfWorker(config.http, worker.workers) : primary ? withoutClients(config.http) : config.http;
    const listener = createListener(
        primary ? { ...config.listen, tlsCert: null, tlsKey: null } : config.listen, worker ? { ...http, maxConnections: Infinity } : http
    );
    const connections = new Connections(listener, http);
    const server: Server = Hapi.server({
        listener: listener.front,
        tls: listener.isSecure,
        ...primary ? { port: primary.pool.beginning.socketPath } : { port: config.listen.port, address: config.listen.host },
        operations: { cleanStop: false },                   // See connections.ts, which handles HTTP/2 as well
        debug: false,
        state: { ignoreErrors: true },
        routes: { state: { parse: true, failAction: 'ignore' }, payload: { maxBytes: config.limits.jsonBytes } }
    });
    shareConnections(listener.front, http, config.listen);
    listener.front.removeAllListeners('clientError');       // hapi's own response is not JSON
    listener.front.on('clientError', clientErrorHandler(connections, log));
    listener.front.on('checkExpectation', rejectExpectation);

    const native: DoipServer = new DoipServer({ config, gateway, memory: bodyMemoryOf(server, config.limits.bodyMemoryBytes), log });
    if (config.metrics.port !== null && worker) {
        reportLoad(server, { gateway, connections, channel: worker.channel });
    }
    else if (config.metrics.port !== null) {
        await offerMetrics(server, { host: config.metrics.host, port: config.metrics.port }, {
            gateway, connections, pool: primary?.pool ?? null, native, log
        });
    }

    if (config.tracing.spans) {
        const { openTracer } = await import('./tracing/tracer.js');
        gateway.trace(await openTracer());
    }

    const forward = worker ? createForwarder(worker.target, {
        connectionOf, isLeaving: () => connections.isLeaving,
        onFailure: (request, error) => log.warn({ event: 'worker.forwarding-failed', requestId: requestIdOf(request), err: error }, 'the primary process did not answer')
    }) : null;
    addRequestSteps(server, config, { connections, gateway, forward, secret: primary?.pool.beginning.secret ?? null });
    logAccess(server, log, { factsOf, connectionOf });
    const graceMs = config.http.shutdownSeconds * 1000;
    if (worker) {
        runWorker(server, gateway, worker.channel, log);
    }
    else {
        const file = serverFileOf(server, gateway, config, log);
        runGateway(server, gateway, {
            native, graceMs, log, onGeneratedPassword: options.onGeneratedPassword ?? printPassword, onStartFailed: options.onStartFailed,
            onStarted() {

                primary?.pool.open({
                    store: (unit) => gateway.services.identity.storeUses(unit), surveyCode: (epoch) => gateway.services.scripts.searchCode.survey(epoch)
                });
                file.fulfil('started');
            }
        });
        server.ext('onPostStart', () => file.fulfil('listening'));
        server.ext('onPreStop', () => file.remove());
    }

    if (primary) {
        publicAddresses.set(server, { address: config.listen.host, port: config.listen.port, protocol: config.listen.tlsCert === null ? 'http' : 'https' });
    }

    server.events.on('closing', () => connections.drain(graceMs));
    drains.set(server, async () => {

        gateway.drain();
        if (primary) {
            await primary.pool.stop(config.http.drainSeconds * 1000 + SETTLE_MS + graceMs + CLOSING_MS);
            return;
        }

        connections.retire();
        const retired = performance.now();
        await sleep(config.http.drainSeconds * 1000);
        while (connections.hasBusy(BUSY_MS) && performance.now() - retired < SETTLE_MS) {
            await sleep(SETTLE_STEP_MS);
        }
    });
    await server.register({
        plugin, options: {
            gateway, limits: config.limits, trustedProxies: config.listen.trustedProxies, errorsAreShaped: true,
            translators: ['rest', 'doip-http', 'sessions', 'web', ...config.ui.isOn ? ['ui' as const] : []],
            uiPath: config.ui.path, extensionKeyword: config.service.extensionKeyword,
            ...forward ? { forward } : {}
        }
    }, config.listen.basePath === '' ? {} : { routes: { prefix: config.listen.basePath } });
    return server;
}

function workerOptions({ channel, workers, searchPath }: ProcessRole & { readonly kind: 'worker' }): WorkerOptions {

    return { uses: channel, workers, searchPath, codeOf: (state) => channel.codeOf(state) };
}

/** A connection without a request for this time is not busy, in milliseconds. */
const BUSY_MS = 500;
/** Maximum time for the clients of busy connections to learn that they have to close them, and the time between looks, in milliseconds. */
const SETTLE_MS = 1500;
const SETTLE_STEP_MS = 20;
/** Maximum time in milliseconds that a worker takes to end after its last request. */
const CLOSING_MS = 2000;

/** Where clients connect. */
interface PublicAddress {
    readonly address: string;
    readonly port: number;
    readonly protocol: string;
}

/** Addresses of the servers to which clients do not connect themselves. */
const publicAddresses = new WeakMap<Server, PublicAddress>();

function addressOf(server: Server, host: string): PublicAddress {

    const { address, port, protocol } = server.info;
    return publicAddresses.get(server) ?? { address: address ?? host, port: Number(port), protocol };
}

type Drain = () => Promise<void>;

/** How each server is drained. */
const drains = new WeakMap<Server, Drain>();

/**
 * Prepares a server for `server.stop()`, so that no connection is reset while its client sends a request: `/health/ready` answers 503 and
 * clients are asked to close their connections, but requests are served. Resolves after `DRAIN_SECONDS`; if they are 0, as soon as the
 * connections in use are closed, within 1.5 seconds.
 */
export async function drainServer(server: Server): Promise<void> {

    await drains.get(server)?.();
}

/** URL of a started server for clients on the same machine. */
export function serverUrl(server: Server, { listen: { host, basePath } }: Config): string {

    const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
    const { protocol, port } = addressOf(server, host);
    return `${protocol}://${name.includes(':') ? `[${name}]` : name}:${port}${basePath}`;
}

/** Address of the service, as in Hello. */
function endpointOf(server: Server, config: Config, native: DoipServer): Endpoint {

    const { address, port, protocol } = addressOf(server, server.info.host);
    return { address, port, protocol: protocol.toUpperCase(), url: `${serverUrl(server, config)}/`, native: native.endpoint(address) };
}

/** What the steps of a request depend on. */
interface RequestSteps {
    readonly connections: Connections;
    readonly gateway: Gateway;
    /** In a worker: forwards a request to the primary process. */
    readonly forward: ((request: Request) => void) | null;
    /** In the primary process: proves that a worker has forwarded a request. */
    readonly secret: string | null;
}

/** Steps for every request and response, including those without a route. One hapi extension each, since every extension costs time. */
function addRequestSteps(server: Server, config: Config, { connections, gateway, forward, secret }: RequestSteps): void {

    const cors = new Cors(config.listen);
    // hapi has no route for a prefix with a slash at its end.
    const frontWithSlash = config.listen.basePath === '' ? null : `${config.listen.basePath}/`;
    server.ext('onRequest', (request, h) => {

        assignRequestId(request);
        countBytes(request);
        if (secret === null) {
            checkRequest(request, config.http);
        }
        else {
            acceptForwarded(request, secret);
        }

        if (request.path === frontWithSlash) {
            // Not by setUrl, which parses the header Host as well, and fails if it is invalid
            (request as { path: string }).path = config.listen.basePath;
        }

        const preflight = cors.preflight(request);
        if (!preflight && forward && request.method !== 'get' && request.method !== 'head') {
            forward(request);
            return h.abandon;
        }

        if (!preflight) {
            return h.continue;
        }

        const response = h.response().code(204);
        Object.assign(response.headers, preflight);
        return response.takeover();
    });
    const shape = shapeErrors(gateway.statuses);
    server.ext('onPreResponse', function (request, h) {

        void shape.call(this, request, h);
        const { response } = request;
        const headers: Record<string, unknown> = 'isBoom' in response ? response.output.headers : response.headers;
        headers['request-id'] = requestIdOf(request);
        headers['x-content-type-options'] = 'nosniff';
        cors.addHeaders(request, headers);
        if (connections.isLeaving && request.raw.req.httpVersionMajor === 1) {
            headers['connection'] = 'close';
        }

        return h.continue;
    });
}

/** @throws DoipError 403 for a request that no worker has forwarded */
function acceptForwarded(request: Request, secret: string): void {

    const connection = readForwarded(request, secret);
    if (!connection) {
        throw forbidden('this is no address for clients');
    }

    setConnection(request, connection);
}

/** The file by which commands that can read the data folder find the server. */
function serverFileOf(server: Server, gateway: Gateway, config: Config, log: Logger): ServerFile {

    const { listen: { tlsCert }, storage: { dataDir } } = config;
    return new ServerFile({
        dataDir, log,
        entry: () => ({
            pid: process.pid, url: serverUrl(server, config), secret: gateway.services.localSecret,
            certificate: tlsCert === null ? null : readFileSync(tlsCert, 'utf8')
        })
    });
}

/** What runs together with a gateway. */
interface Companions {
    readonly native: DoipServer;
    /** Time in milliseconds for requests in progress when the server stops. */
    readonly graceMs: number;
    readonly log: Logger;
    readonly onGeneratedPassword: (password: string) => void;
    readonly onStartFailed: ((error: unknown) => void) | undefined;
    /** Called when the gateway has started. */
    readonly onStarted: () => void;
}

/** A worker reads the database when the primary process has opened it. */
function runWorker(server: Server, gateway: Gateway, channel: PrimaryChannel, log: Logger): void {

    const start = new StartupRetry(gateway, { onStarted: () => undefined, isFinal: () => false, log });
    server.ext('onPostStart', () => channel.onOpen(() => void start.start()));
    server.ext('onPostStop', async () => {

        await start.stop();
        await gateway.stop();
    });
}

function runGateway(server: Server, gateway: Gateway, { native, graceMs, log, onGeneratedPassword, onStartFailed, onStarted }: Companions): void {

    let listening: Promise<void> = Promise.resolve();
    const start = new StartupRetry(gateway, {
        onStarted: ({ generatedPassword }) => {

            if (generatedPassword !== null) {
                onGeneratedPassword(generatedPassword);
            }

            onStarted();
            listening = native.start();
            listening.catch((error: unknown) => log.error({ event: 'doip.start-failed', err: error }, 'native DOIP cannot be started'));
        },
        isFinal: isPermanent,
        isFinalLater: isPermanentLater,
        onFinal: onStartFailed,
        log
    });
    server.ext('onPreStart', () => start.start());
    server.ext('onPostStart', () => listening);
    let stopping: Promise<void> = Promise.resolve();
    server.ext('onPreStop', () => {

        // Both protocols finish their requests at the same time.
        stopping = native.stop(graceMs);
    });
    server.ext('onPostStop', async () => {

        await start.stop();
        await stopping;
        await gateway.stop();
    });
}

function printPassword(password: string): void {

    console.log(`password of admin, made at random and not stored: ${password}`);
}
