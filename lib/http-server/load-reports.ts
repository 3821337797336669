/** Requests and connections for the metrics: served by the process that has them all, reported to it by its workers. */

import type { Server } from '@hapi/hapi';
import type { Logger } from 'pino';
import type { Gateway } from '../app/gateway.js';
import type { PrimaryChannel } from '../cluster/primary-channel.js';
import type { WorkerPool } from '../cluster/worker-pool.js';
import type { MetricsAddress } from '../metrics/metrics-server.js';
import { RequestTally } from '../metrics/request-tally.js';
import type { Connections } from './connections.js';

/** What metrics are read from. */
interface Measured {
    readonly gateway: Gateway;
    readonly connections: Connections;
    /** The workers, which have the connections of clients and perform requests. */
    readonly pool: WorkerPool | null;
    /** Native DOIP. */
    readonly native: { readonly connections: number };
    readonly log: Logger;
}

/** Collects metrics, and serves them from before the gateway starts until everything has stopped. */
export async function offerMetrics(server: Server, address: MetricsAddress, measured: Measured): Promise<void> {

    const { gateway, pool, log } = measured;
    // Not loaded where it is not used
    const [{ Metrics }, { MetricsServer }] = await Promise.all([import('../metrics/metrics.js'), import('../metrics/metrics-server.js')]);
    const metrics = new Metrics({ state: () => gateway.state, connections: () => countConnections(measured) });
    if (pool) {
        pool.onLoad = ({ requests, searches }) => {

            requests.forEach((each) => metrics.performedByWorker(each));
            if (searches) {
                gateway.state.load?.search.searches.addAll(searches);
            }
        };
    }

    const own = new MetricsServer(metrics, address, (error) => log.error({ event: 'metrics.failed', err: error }, 'metrics could not be collected'));
    gateway.observe(metrics);
    server.ext('onPreStart', async () => {

        log.info({ event: 'metrics.listening', host: address.host, port: await own.start() }, 'metrics listening');
    });
    server.ext('onPostStop', () => own.stop());
}

function countConnections({ pool, connections, native }: Measured): { readonly http: number; readonly doip: number } {

    return { http: pool?.connections ?? connections.count, doip: native.connections };
}

/** Time in milliseconds between two reports of a worker. */
const REPORT_MS = 1000;

/** Reports what the primary process counts for a worker. */
export function reportLoad(
    server: Server, { gateway, connections, channel }: Pick<Measured, 'gateway' | 'connections'> & { readonly channel: PrimaryChannel }
): void {

    const tally = new RequestTally();
    const report = (): void => {

        channel.reportLoad({ connections: connections.count, requests: tally.take(), searches: gateway.state.load?.search.searches.take() ?? null });
    };

    const timer = setInterval(report, REPORT_MS).unref();
    gateway.observe(tally);
    server.ext('onPostStop', () => {

        clearInterval(timer);
        report();
    });
}
