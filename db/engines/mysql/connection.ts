/**
 * How every connection to a MySQL or MariaDB server is set up, for the pool and for migrations alike, and what the server
 * must be like.
 */

import type { Connection } from 'mysql2/promise';
import { DatabaseError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { MysqlAddress } from './url.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** Said once on every new connection, before anything else. */
const SESSION_SETTINGS: readonly string[] = [
    'set session time_zone = \'+00:00\', innodb_lock_wait_timeout = 10, ' +
        'sql_mode = \'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION\'',
    'set session transaction isolation level read committed'
];

/**
 * On a cluster a reading waits until its server has what the others had committed when it began: rights, types and objects are then as
 * current on every node as on one server.
 */
const CLUSTER_SETTING = 'set session wsrep_sync_wait = 1';

/** What is said on every new connection, to be completed by {@link adaptToCluster}. */
export function sessionSettings(): string[] {

    return [...SESSION_SETTINGS];
}

/** True on a Galera cluster. */
async function isCluster(connection: Pick<Connection, 'query'>): Promise<boolean> {

    const [found] = await connection.query('show variables where variable_name = \'wsrep_on\' and value = \'ON\'');
    return (found as unknown[]).length > 0;
}

/** Looks whether the server belongs to a cluster, and says what is to be said there. Before anything else is asked of the pool. */
export async function adaptToCluster(connection: Pick<Connection, 'query'>, settings: string[] = []): Promise<boolean> {

    if (!await isCluster(connection)) {
        return false;
    }

    settings.push(CLUSTER_SETTING);
    await connection.query(CLUSTER_SETTING);
    return true;
}

/** A chunk of bytes or the JSON of an object travels in one packet. */
const MIN_PACKET_BYTES = 1024 * 1024;
const GOOD_PACKET = 16 * 1024 * 1024;

const OLDEST = { mysql: [8, 0], mariadb: [10, 6] } as const;

/** Connection options of the driver. `affectedRows` counts matched rows by the driver's default flags. */
export function mysqlConnection(address: MysqlAddress): MysqlConnectionOptions {

    return {
        ...(address.socket === null ? { host: address.host, port: address.port } : { socketPath: address.socket }),
        user: address.user,
        password: address.password,
        database: address.database,
        charset: 'utf8mb4',
        timezone: 'Z',
        connectTimeout: Math.min(CONNECT_TIMEOUT_MS, address.timeout),
        // Sums are decimals on MySQL; ours stay below 2^53.
        decimalNumbers: true,
        enableKeepAlive: true,
        ...(address.ssl ? { ssl: {} } : {})
    };
}

/** The driver's options as far as we use them; also what knex takes. */
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

/** Refuses a server that cannot work and warns of one that may lose data. */
export async function checkServer(connection: Pick<Connection, 'query'>, log: Log): Promise<void> {

    const [rows] = await connection.query('select @@version as version, @@max_allowed_packet as packet, ' +
        '@@innodb_flush_log_at_trx_commit as flush');
    const { version, packet, flush } = (rows as ServerFacts[])[0] ?? { version: '', packet: 0, flush: 0 };
    checkVersion(version);
    if (packet < MIN_PACKET_BYTES) {
        throw new DatabaseError('failed', `the database server takes packets of at most ${packet} bytes; ` +
            `set max_allowed_packet to ${GOOD_PACKET} or more`);
    }

    if (packet < GOOD_PACKET) {
        log.warn({ max_allowed_packet: packet, recommended: GOOD_PACKET }, 'large objects will not fit into the packets of the database server');
    }

    if (flush !== 1) {
        log.warn({ innodb_flush_log_at_trx_commit: flush, recommended: 1 }, 'the database server may lose the last writes when it crashes');
    }
}

function checkVersion(version: string): void {

    const product = /mariadb/i.test(version) ? 'mariadb' : 'mysql';
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [leastMajor, leastMinor] = OLDEST[product];
    if (major < leastMajor || major === leastMajor && minor < leastMinor) {
        throw new DatabaseError('failed',
            `the database server is ${version}; MySQL ${OLDEST.mysql.join('.')} or MariaDB ${OLDEST.mariadb.join('.')} is needed`);
    }
}
