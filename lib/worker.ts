/** A worker process of the service, as the primary process starts it: see lib/cluster. */

import type { Gateway } from './app/gateway.js';
import { PrimaryChannel } from './cluster/primary-channel.js';
import type { Config } from './config/index.js';
import { EXIT } from './errors/exit-codes.js';
import { openLog } from './logging/logger.js';
import { registerWith } from './registration.js';
import { createServerOf, drainServer } from './server.js';
import { collectWhenIdle } from './util/garbage.js';
import { implementation } from './util/version.js';

type RunningServer = Awaited<ReturnType<typeof createServerOf>>;

/**
 * Serves until the primary process stops this one. Signals are its business, which a terminal or a supervisor may send to all processes.
 *
 * @param register adds operations, statuses and resolvers
 */
export async function serveAsWorker(config: Config, register: (gateway: Gateway) => unknown): Promise<RunningServer> {

    process.on('SIGTERM', () => undefined).on('SIGINT', () => undefined);
    const log = openLog({ ...config.log, isShared: true });
    process.on('uncaughtException', (error, origin) => {

        log.logger.fatal({ event: 'service.uncaught-error', err: error, origin, version: implementation.version, node: process.version }, 'uncaught error');
        process.exit(EXIT.failed);
    });
    const channel = new PrimaryChannel();
    const { port, socketPath, searchPath, secret, workers } = await channel.begin();
    const role = { kind: 'worker', channel, target: { socketPath, secret }, searchPath, workers } as const;
    const server = await createServerOf(role, { ...config, listen: { ...config.listen, port } }, { log: log.logger });
    await registerWith(register, server.plugins['doip-gateway'].gateway, log.logger);
    channel.onStop(() => {

        void stop(server, config).catch(() => undefined).then(() => log.flush()).finally(() => process.exit(0));
    });
    await channel.canForward;
    try {
        await server.start();
    }
    catch (error) {
        await channel.reportFailure(error);
        process.exit(EXIT.failed);
    }

    channel.reportListening();
    collectWhenIdle();
    return server;
}

async function stop(server: RunningServer, { http: { shutdownSeconds } }: Config): Promise<void> {

    await drainServer(server);
    await server.stop({ timeout: shutdownSeconds * 1000 });
}
