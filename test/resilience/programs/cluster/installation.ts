/**
 * A whole installation on loopback: three processes of the service, each with its own server of the database where that is Galera, payloads in S3, and
 * searches in OpenSearch. Each link between them leads through a relay, or, where the kernel allows it, through a network of the node's own.
 */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Mysql from 'mysql2/promise';
import { startGalera, type Galera } from '../../../support/galera.js';
import { startMysqlProxy, type MysqlProxy } from '../../../support/mysql-proxy.js';
import { networkNamespace, type NetworkNamespace } from '../../../support/network-namespaces.js';
import { startOpenSearch, type TestOpenSearch } from '../../../support/opensearch.js';
import { startPrivateMariadb, type PrivateMariadb } from '../../../support/private-mariadb.js';
import { BUCKET, startS3, startS3Relay, type S3Relay, type TestS3 } from '../../../support/s3.js';
import { jumpingClock } from '../../../support/wrong-clock.js';
import type { Checker } from './checker.js';
import { GatewayNode } from './gateway-node.js';

export type DatabaseKind = 'galera' | 'mariadb' | 'tidb';

export interface InstallationOptions {
    readonly database: DatabaseKind;
    readonly hasS3: boolean;
    readonly hasSearch: boolean;
    /** Networks of their own for the nodes. */
    readonly hasNetworks: boolean;
}

/** What belongs to one node. */
export interface NodeParts {
    readonly node: GatewayNode;
    /** Between the node and its server of the database. */
    readonly link: MysqlProxy;
    readonly network: NetworkNamespace | null;
    /** File whose number of milliseconds the clock of the node is ahead. */
    readonly clockFile: string;
}

export interface Installation {
    readonly parts: readonly NodeParts[];
    readonly galera: Galera | null;
    /** The only server, where it is not Galera. */
    readonly server: PrivateMariadb | null;
    readonly s3: { readonly server: TestS3; readonly relays: readonly S3Relay[] } | null;
    readonly search: { readonly server: TestOpenSearch; readonly relays: readonly S3Relay[]; readonly prefix: string } | null;
    stop(): Promise<void>;
}

const NODES = 3;

/** Short, so that a fault is over soon after its end. */
const S3_TIMEOUT_SECONDS = 5;

/** The program is not compiled: it is for `test/tidb.mjs` as well. */
const TIDB = pathToFileURL(join(__dirname, '../../../../../test/support/tidb.mjs')).href;

export async function startInstallation(options: InstallationOptions, checker: Checker): Promise<Installation> {

    const folder = await mkdtemp(join(tmpdir(), 'doip-gateway-cluster-'));
    const ends: (() => Promise<unknown> | void)[] = [() => rm(folder, { recursive: true, force: true })];
    const stop = async (): Promise<void> => {

        for (const end of ends.reverse()) {
            await end();
        }
    };

    for (const signal of ['SIGINT', 'SIGTERM']) {
        process.once(signal, () => void stop().finally(() => process.exit(1)));
    }

    try {
        const database = await startDatabase(options.database);
        ends.push(database.stop);
        await execute(database.urls[0] ?? '', 'create database repository');
        const s3 = options.hasS3 ? await startS3() : null;
        ends.push(async () => s3?.stop());
        const search = options.hasSearch ? await startOpenSearch() : null;
        ends.push(async () => search?.stop());
        const prefix = search ? new URL(search.newUrl()).pathname : '';
        const [s3Relays, searchRelays]: [S3Relay[], S3Relay[]] = [[], []];
        const parts: NodeParts[] = [];
        for (let n = 0; n < NODES; ++n) {
            const network = options.hasNetworks ? networkNamespace(n) : null;
            const hosts = network?.host ?? ['127.0.0.1', '127.0.0.1'];
            const link = await startMysqlProxy(database.urls[n % database.urls.length] ?? '', hosts[1]);
            const s3Relay = s3 && await startS3Relay(s3.url, hosts[0]);
            const searchRelay = search && await startS3Relay(search.url, hosts[0]);
            ends.push(() => link.close(), () => s3Relay?.stop(), () => searchRelay?.stop(), () => network?.remove());
            s3Relays.push(...s3Relay ? [s3Relay] : []);
            searchRelays.push(...searchRelay ? [searchRelay] : []);
            const dataDir = join(folder, `node${n}`);
            await mkdir(dataDir);
            const clockFile = join(folder, `clock${n}`);
            const node = new GatewayNode({
                name: `gateway ${n + 1}`,
                database: {
                    dialect: 'mysql', options: { url: new URL('/repository', link.url).href, dataDir }, open: () => Promise.reject(new Error('not here')),
                    dispose: () => Promise.resolve()
                },
                env: {
                    ...jumpingClock(clockFile), WORKERS: '0', HOST: network ? '0.0.0.0' : '127.0.0.1', TRUSTED_PROXIES: network ? network.host[0] : 'loopback',
                    ...s3Relay ? { PAYLOAD_STORE: `s3://${BUCKET}/all`, PAYLOAD_STORE_ENDPOINT: s3Relay.url, PAYLOAD_STORE_TIMEOUT_SECONDS: String(S3_TIMEOUT_SECONDS) } : {},
                    ...searchRelay ? { SEARCH_URL: searchRelay.url + prefix, SEARCH_MAX_LAG_SECONDS: '30' } : {}
                },
                ...network ? { launcher: network.launcher, host: network.address } : {}
            }, checker);
            ends.push(() => node.kill());
            parts.push({ node, link, network, clockFile });
        }

        // All at once: one makes the tables.
        await Promise.all(parts.map(({ node }) => node.start()));
        return {
            parts, galera: database.galera, server: database.server, stop,
            s3: s3 && { server: s3, relays: s3Relays },
            search: search && { server: search, relays: searchRelays, prefix: prefix.slice(1) }
        };
    }
    catch (error) {
        await stop();
        throw error;
    }
}

interface Database {
    readonly urls: readonly string[];
    readonly galera: Galera | null;
    readonly server: PrivateMariadb | null;
    readonly stop: () => Promise<void>;
}

async function startDatabase(kind: DatabaseKind): Promise<Database> {

    if (kind === 'galera') {
        const galera = await startGalera(NODES);
        return { urls: galera.urls, galera, server: null, stop: () => galera.stop() };
    }

    const { startTidb } = kind === 'tidb' ? await import(TIDB) as { startTidb: () => Promise<PrivateMariadb> } : { startTidb: null };
    const server = startTidb ? await startTidb() : await startPrivateMariadb();
    return { urls: [server.url], galera: null, server, stop: () => server.stop() };
}

/** Executes a statement on a server. */
export async function execute(url: string, statement: string): Promise<void> {

    const connection = await Mysql.createConnection(url);
    try {
        await connection.query(statement);
    }
    finally {
        await connection.end();
    }
}
