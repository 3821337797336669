/**
 * Native DOIP of a server: starts the listener when the gateway is up, logs requests, and tells under which address clients reach it.
 */

import type { Logger } from 'pino';
import type { Gateway } from '../app/gateway.js';
import type { Config } from '../config/index.js';
import { DEFAULT_DOIP_PORT } from '../config/index.js';
import type { NativeEndpoint } from '../core/services.js';
import { logRejections } from '../http-server/access-log.js';
import type { BodyMemory } from '../../translators/http/request/body-memory.js';
import type { AnsweredRequest, DoipTcpOptions } from '../../translators/doip-tcp/index.js';
import { withoutBrackets } from '../util/net/ip-address.js';
import type { JsonObject } from '../util/json-types.js';
import { DoipListener } from './doip-listener.js';

/** Dependencies of {@link DoipServer}. */
export interface DoipServerOptions {
    readonly config: Config;
    readonly gateway: Gateway;
    /** Budget for JSON in memory. */
    readonly memory: BodyMemory;
    readonly log: Logger;
}

/** Native DOIP. */
export class DoipServer {

    readonly #options: DoipServerOptions;
    #listener: DoipListener | null = null;
    #publicKey: JsonObject | undefined;
    /** The start in progress or the last one. */
    #starting: Promise<void> = Promise.resolve();
    #isStopped = false;
    #rejections: ReturnType<typeof logRejections> | null = null;

    constructor(options: DoipServerOptions) {

        this.#options = options;
    }

    /**
     * Begins to listen, unless configured otherwise. The gateway must be up. If another program has the default port, only logs that.
     *
     * @throws ConfigError for an invalid certificate or key
     * @throws Error of the system if the address cannot be used
     */
    start(): Promise<void> {

        this.#isStopped = false;
        this.#starting = this.#start();
        return this.#starting;
    }

    async #start(): Promise<void> {

        const { config, gateway: { services }, log } = this.#options;
        const { doip } = config;
        if (doip.port === null || this.#listener) {
            return;
        }

        const identity = await services.identity.certificate.of(services.serviceId);
        if (this.#isStopped) {
            return;
        }

        try {
            this.#listener = await DoipListener.start({ config, port: doip.port, identity, translator: this.#translator(), log });
        }
        catch (error) {
            if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE' && doip.port === DEFAULT_DOIP_PORT) {
                log.warn({ event: 'doip.port-in-use', port: doip.port }, 'port in use: no native DOIP, set DOIP_PORT');
                return;
            }

            throw error;
        }

        this.#publicKey = doip.plain || doip.tlsCert !== null ? undefined : identity.publicKey;
        log.info({ event: 'doip.listening', port: this.#listener.port, tls: !doip.plain }, 'DOIP listening');
    }

    /** Stops listening, and lets requests in progress finish for `graceMs`. */
    async stop(graceMs: number): Promise<void> {

        this.#isStopped = true;
        await this.#starting.catch(() => undefined);
        const listener = this.#listener;
        this.#listener = null;
        await listener?.stop(graceMs);
        this.#rejections?.flush();
    }

    /** Number of open connections. */
    get connections(): number {

        return this.#listener?.connections ?? 0;
    }

    /** The address for clients; undefined while it does not listen. `host` is that of the server. */
    endpoint(host: string): NativeEndpoint | undefined {

        const { doip } = this.#options.config;
        if (!this.#listener) {
            return undefined;
        }

        const { address, port } = readPublicAddress(doip.publicAddress);
        return {
            address: address ?? doip.host ?? host, port: port ?? this.#listener.port, ...this.#publicKey ? { publicKey: this.#publicKey } : {}
        };
    }

    #translator(): DoipTcpOptions {

        const { config: { doip, http, limits }, gateway, log, memory } = this.#options;
        // Generic redaction is costly, and the fields of these lines are known.
        const access = log.child({}, { redact: [] });
        const rejections = logRejections((remote, count) => {

            access.info({ event: 'doip.rate-limited', remote, count }, 'requests rejected (rate limit)');
        });
        this.#rejections = rejections;
        return {
            gateway, memory,
            limits: {
                ...limits, segments: 2 * limits.parts, headMs: http.headersSeconds * 1000, stallMs: http.stallSeconds * 1000,
                idleMs: doip.idleSeconds * 1000
            },
            onAnswered: (answered) => {

                if (answered.isRejectedEarly) {
                    rejections.record(answered.remoteAddress);
                }
                else if (access.isLevelEnabled('info')) {
                    access.info({ event: 'doip.request', ...fieldsOf(answered) }, 'request');
                }
            },
            onError: (error) => log.error({ event: 'doip.error', err: error }, 'DOIP request failed')
        };
    }
}

/** Maximum length of an id in the log, in characters. */
const MAX_LOGGED = 200;

function fieldsOf(answered: AnsweredRequest): Record<string, unknown> {

    const { logId, request, status, callerId, createdId, remoteAddress, ms, isBroken, requestBytes, responseBytes } = answered;
    return {
        requestId: logId, remote: remoteAddress, status, ms, requestBytes, responseBytes,
        ...request ? { operation: request.operationId.slice(0, MAX_LOGGED), target: request.targetId.slice(0, MAX_LOGGED) } : {},
        ...callerId === undefined ? {} : { user: callerId },
        ...createdId === undefined ? {} : { created: createdId },
        ...isBroken ? { broken: true } : {}
    };
}

/** Splits `host`, `host:port` and `[address]:port`. */
function readPublicAddress(text: string | null): { address?: string; port?: number } {

    const [, address, , port] = /^(\[[^\]]+\]|[^:]+)(:(\d+))?$/.exec(text ?? '') ?? [];
    return { ...address === undefined ? {} : { address: withoutBrackets(address) }, ...port === undefined ? {} : { port: Number(port) } };
}
