/**
 * Settings of every connection to a MySQL or MariaDB server, for the pool and for migrations, and requirements on the server.
 */

import type { Connection } from 'mysql2/promise';
import { UnusableDatabaseError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { MysqlAddress } from './url.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** Run first on every new connection. */
const SESSION_SETTINGS: readonly string[] = [
    'set session time_zone = \'+00:00\', innodb_lock_wait_timeout = 10, ' +
        'sql_mode = \'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION\'',
    'set session transaction isolation level read committed'
];

/**
 * Galera: a read waits until its server has applied what was committed on the others when it began, so that rights, types and
 * objects are as current on every node as on a single server.
 */
const CLUSTER_SETTING = 'set session wsrep_sync_wait = 1';

/** Returns the settings of a new connection, which {@link adaptToCluster} may extend. */
export function sessionSettings(): string[] {

    return [...SESSION_SETTINGS];
}

/** Returns whether the server belongs to a Galera cluster. */
async function isCluster(connection: Pick<Connection, 'query'>): Promise<boolean> {

    const [found] = await connection.query('show variables where variable_name = \'wsrep_on\' and value = \'ON\'');
    return (found as unknown[]).length > 0;
}

/** Adds the setting for clusters if the server belongs to one, and returns whether it does. To be called before any other query. */
export async function adaptToCluster(connection: Pick<Connection, 'query'>, settings: string[] = []): Promise<boolean> {

    if (!await isCluster(connection)) {
        return false;
    }

    settings.push(CLUSTER_SETTING);
    await connection.query(CLUSTER_SETTING);
    return true;
}

/** A chunk of bytes, or the JSON of an object, is sent in one packet. */
const MIN_PACKET_BYTES = 1024 * 1024;
const RECOMMENDED_PACKET = 16 * 1024 * 1024;

const MIN_VERSIONS = { mysql: [8, 0], mariadb: [10, 6] } as const;

/** Returns connection options of the driver, by whose default flags `affectedRows` counts matched rows. */
export function mysqlConnection(address: MysqlAddress): MysqlConnectionOptions {

    return {
        ...(address.socket === null ? { host: address.host, port: address.port } : { socketPath: address.socket }),
        user: address.user,
        password: address.password,
        database: address.database,
        charset: 'utf8mb4',
        timezone: 'Z',
        connectTimeout: Math.min(CONNECT_TIMEOUT_MS, address.timeout),
        // On MySQL sums are decimals; here they are below 2^53.
        decimalNumbers: true,
        enableKeepAlive: true,
        ...(address.ssl ? { ssl: {} } : {})
    };
}

/** Options of the driver that are used here; knex takes the same. */
export interface MysqlConnectionOptions {
    readonly host?: string;
    readonly port?: number;
    readonly socketPath?: string;
    readonly user: string;
    readonly password: string;
    readonly database: string;
    readonly charset: string;
    readonly timezone: string;
    readonly connectTimeout: number;
    readonly decimalNumbers: boolean;
    readonly enableKeepAlive: boolean;
    readonly ssl?: object;
}

interface ServerFacts {
    readonly version: string;
    readonly packet: number;
    readonly flush: number;
}

/** Rejects a server that does not meet the requirements, and warns of one that may lose data. */
export async function checkServer(connection: Pick<Connection, 'query'>, log: Log): Promise<void> {

    const [rows] = await connection.query('select @@version as version, @@max_allowed_packet as packet, ' +
        '@@innodb_flush_log_at_trx_commit as flush');
    const { version, packet, flush } = (rows as ServerFacts[])[0] ?? { version: '', packet: 0, flush: 0 };
    checkVersion(version);
    if (packet < MIN_PACKET_BYTES) {
        throw new UnusableDatabaseError('unsuitable', `the database server takes packets of at most ${packet} bytes; ` +
            `set max_allowed_packet to ${RECOMMENDED_PACKET} or more`);
    }

    if (packet < RECOMMENDED_PACKET) {
        log.warn(
            { event: 'database.packet-size', max_allowed_packet: packet, recommended: RECOMMENDED_PACKET }, 'max_allowed_packet too small for large objects'
        );
    }

    if (flush !== 1) {
        log.warn({ event: 'database.flush-setting', innodb_flush_log_at_trx_commit: flush, recommended: 1 },
            'database server may lose the last commits in a crash');
    }
}

function checkVersion(version: string): void {

    const product = /mariadb/i.test(version) ? 'mariadb' : 'mysql';
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [minMajor, minMinor] = MIN_VERSIONS[product];
    if (major < minMajor || major === minMajor && minor < minMinor) {
        throw new UnusableDatabaseError('unsuitable',
            `the database server is ${version}; MySQL ${MIN_VERSIONS.mysql.join('.')} or MariaDB ${MIN_VERSIONS.mariadb.join('.')} is needed`);
    }
}
