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
import { elasticDisk, type ElasticDisk } from '../../../support/small-disk.js';
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
    /** Disks of their own for all parts. */
    readonly hasDisks: boolean;
}

/** What belongs to one node. */
export interface NodeParts {
    readonly node: GatewayNode;
    /** Between the node and its server of the database. */
    readonly link: MysqlProxy;
    readonly network: NetworkNamespace | null;
    /** With its data folder. */
    readonly disk: ElasticDisk | null;
    /** File whose number of milliseconds the clock of the node is ahead. */
    readonly clockFile: string;
}

export interface Installation {
    readonly parts: readonly NodeParts[];
    readonly galera: Galera | null;
    /** The only server, where it is not Galera. */
    readonly server: PrivateMariadb | null;
    /** Of each server of the database, of the payloads and of the search engine; empty or null where they have none of their own. */
    readonly disks: { readonly database: readonly ElasticDisk[]; readonly s3: ElasticDisk | null; readonly search: ElasticDisk | null };
    readonly s3: { readonly server: TestS3; readonly relays: readonly S3Relay[] } | null;
    readonly search: { readonly server: TestOpenSearch; readonly relays: readonly S3Relay[]; readonly prefix: string } | null;
    stop(): Promise<void>;
}

const NODES = 3;

/** More than any part stores in a run of hours; it is taken from memory as it is needed. */
const DISK_BYTES = 8 * 1024 ** 3;

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
        const newDisk = (): ElasticDisk | null => {

            const disk = options.hasDisks ? elasticDisk(DISK_BYTES) : null;
            ends.push(() => disk?.remove());
            return disk;
        };

        const [s3Disk, searchDisk] = [options.hasS3 ? newDisk() : null, options.hasSearch ? newDisk() : null];
        const databaseDisks = options.database === 'tidb' ? [] : Array.from({ length: options.database === 'galera' ? NODES : 1 }, newDisk).filter((disk) => disk !== null);
        const database = await startDatabase(options.database, databaseDisks.map(({ path }) => path));
        ends.push(database.stop);
        await execute(database.urls[0] ?? '', 'create database repository');
        const s3 = options.hasS3 ? await startS3(s3Disk?.path) : null;
        ends.push(async () => s3?.stop());
        const search = options.hasSearch ? await startOpenSearch(searchDisk?.path) : null;
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
            const disk = newDisk();
            const dataDir = join(disk?.path ?? folder, `node${n}`);
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
            parts.push({ node, link, network, disk, clockFile });
        }

        // All at once: one makes the tables.
        await Promise.all(parts.map(({ node }) => node.start()));
        return {
            parts, galera: database.galera, server: database.server, stop,
            disks: { database: databaseDisks, s3: s3Disk, search: searchDisk },
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

async function startDatabase(kind: DatabaseKind, folders: readonly string[]): Promise<Database> {

    if (kind === 'galera') {
        const galera = await startGalera(NODES, folders);
        return { urls: galera.urls, galera, server: null, stop: () => galera.stop() };
    }

    const { startTidb } = kind === 'tidb' ? await import(TIDB) as { startTidb: () => Promise<PrivateMariadb> } : { startTidb: null };
    const server = startTidb ? await startTidb() : await startPrivateMariadb({ parent: folders[0] });
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
