/**
 * Settings of every connection to a MySQL or MariaDB server, for the pool and for migrations.
 */

import type { MysqlAddress } from './url.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** Run first on every new connection. */
const SESSION_SETTINGS: readonly string[] = [
    'set session time_zone = \'+00:00\', innodb_lock_wait_timeout = 10, ' +
        'sql_mode = \'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION\'',
    'set session transaction isolation level read committed'
];

/** Returns the settings of a new connection; some servers need more, see `server.ts`. */
export function sessionSettings(): string[] {

    return [...SESSION_SETTINGS];
}

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
        // The server is told when a connection ends, and need not log that it was aborted
        gracefulEnd: true,
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
    readonly gracefulEnd: boolean;
    readonly ssl?: object;
}
