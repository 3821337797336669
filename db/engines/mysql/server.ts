/**
 * Kinds of servers that speak the protocol of MySQL: what each must be for the service to run on it, and what its sessions need.
 */

import type { Connection } from 'mysql2/promise';
import { UnusableDatabaseError } from '../../errors.js';
import type { Log } from '../../log.js';

/** `galera` is MariaDB, MySQL or Percona XtraDB Cluster as a server of a cluster that all accept writes. */
export type Engine = 'mariadb' | 'mysql' | 'galera' | 'tidb' | 'vitess';

/** What is known of a server. */
export interface ServerFacts {
    readonly engine: Engine;
    /** As the server says it: `8.0.11-TiDB-v8.5.0`. */
    readonly version: string;
    readonly variables: ReadonlyMap<string, string>;
}

type Querying = Pick<Connection, 'query'>;

const VARIABLES = [
    'version', 'max_allowed_packet', 'innodb_flush_log_at_trx_commit', 'wsrep_on', 'aurora_version', 'group_replication_group_name', 'max_prepared_stmt_count'
];

/**
 * Galera: a read waits until its server has applied what was committed on the others when it began, so that rights, types and
 * objects are as current on every node as on a single server.
 */
const GALERA_SETTINGS = ['set session wsrep_sync_wait = 1'];

/** TiDB: locks are taken and duplicates found by the statement, and reads are current, whatever the global settings are. */
const TIDB_SETTINGS = [
    'set session tidb_txn_mode = \'pessimistic\', tidb_constraint_check_in_place_pessimistic = on, tidb_guarantee_linearizability = on, ' +
        'tidb_low_resolution_tso = off'
];

/** As long as a lease of a job: who takes it over finds the rows free. */
const IDLE_TRANSACTION_SECONDS = 10;

/** A chunk of bytes, or the JSON of an object, is sent in one packet. */
const MIN_PACKET_BYTES = 1024 * 1024;
const RECOMMENDED_PACKET = 16 * 1024 * 1024;

/** More than the service has of those that are run often. */
export const MAX_STATEMENTS = 500;

/** Processes that share the prepared statements of a server, as the default of servers is enough for: three nodes with ten connections each. */
const SHARING = 3;

type Version = readonly [major: number, minor: number];

/** Of the products; Galera is a part of MariaDB, or of MySQL as Percona XtraDB Cluster. */
const MIN_VERSIONS: Readonly<Record<'mysql' | 'mariadb' | 'tidb', { readonly name: string; readonly version: Version }>> = {
    mysql: { name: 'MySQL', version: [8, 0] },
    mariadb: { name: 'MariaDB', version: [10, 6] },
    tidb: { name: 'TiDB', version: [8, 1] }
};

/** Reads what kind of server it is. */
export async function readServer(connection: Querying): Promise<ServerFacts> {

    // Galera executes this even while it accepts no queries; on TiDB values of variables are text.
    const [rows] = await connection.query(`show variables where variable_name in (${VARIABLES.map((name) => `'${name}'`).join(', ')})`);
    const variables = new Map((rows as { Variable_name: string; Value: string }[]).map(({ Variable_name: name, Value: value }) => [name, `${value}`]));
    const version = variables.get('version') ?? '';
    return { engine: engineOf(version, variables), version, variables };
}

function engineOf(version: string, variables: ReadonlyMap<string, string>): Engine {

    if (/tidb/i.test(version)) {
        return 'tidb';
    }

    if (/vitess/i.test(version)) {
        return 'vitess';
    }

    if (variables.get('wsrep_on') === 'ON') {
        return 'galera';
    }

    return productOf(version);
}

function productOf(version: string): 'mariadb' | 'mysql' {

    return /mariadb/i.test(version) ? 'mariadb' : 'mysql';
}

/** Returns the settings that sessions on a server need besides those of all. */
export function engineSettings({ engine }: ServerFacts): readonly string[] {

    return engine === 'galera' ? GALERA_SETTINGS : engine === 'tidb' ? TIDB_SETTINGS : [];
}

/**
 * Returns the settings of sessions that write units: a transaction whose node says nothing, because it was stopped or its network was lost, ends
 * after some seconds, so that others need not wait for its rows. MySQL has no such limit, nor has Percona XtraDB Cluster.
 */
export function unitSettings({ engine, version }: ServerFacts): readonly string[] {

    const product = engine === 'galera' ? productOf(version) : engine;
    const setting = product === 'mariadb' ? 'idle_transaction_timeout' : product === 'tidb' ? 'tidb_idle_transaction_timeout' : null;
    return setting === null ? [] : [`set session ${setting} = ${IDLE_TRANSACTION_SECONDS}`];
}

/** Runs settings of {@link engineSettings} on a connection. */
export async function applySettings(connection: Querying, settings: readonly string[]): Promise<void> {

    for (const setting of settings) {
        await connection.query(setting);
    }
}

/**
 * Rejects a server that does not meet the requirements, and warns of one that may lose data or was not tested.
 *
 * @throws UnusableDatabaseError
 */
export function checkServer({ engine, version, variables }: ServerFacts, log: Log): void {

    checkVersion(engine, version);
    const packet = Number(variables.get('max_allowed_packet'));
    if (packet < MIN_PACKET_BYTES) {
        throw new UnusableDatabaseError('unsuitable', `the database server takes packets of at most ${packet} bytes; ` +
            `set max_allowed_packet to ${RECOMMENDED_PACKET} or more`);
    }

    if (packet < RECOMMENDED_PACKET) {
        log.warn(
            { event: 'database.packet-size', max_allowed_packet: packet, recommended: RECOMMENDED_PACKET }, 'max_allowed_packet too small for large objects'
        );
    }

    const flush = Number(variables.get('innodb_flush_log_at_trx_commit'));
    if (flush !== 1 && engine !== 'tidb') {
        log.warn({ event: 'database.flush-setting', innodb_flush_log_at_trx_commit: flush, recommended: 1 },
            'database server may lose the last commits in a crash');
    }

    const untested = variables.has('aurora_version') ? 'Aurora' : variables.get('group_replication_group_name') ? 'group replication' : null;
    if (untested !== null) {
        log.warn({ event: 'database.untested', product: untested, version }, 'the service is not tested with this database server');
    }
}

/** Returns how many statements each connection may keep prepared, and warns where they are few. */
export function preparedStatements({ variables }: ServerFacts, connections: number, log: Log): number {

    const limit = Number(variables.get('max_prepared_stmt_count') ?? -1);
    const perConnection = limit < 0 ? MAX_STATEMENTS : Math.min(MAX_STATEMENTS, Math.max(1, Math.floor(limit / SHARING / connections)));
    if (perConnection < MAX_STATEMENTS) {
        log.warn({
            event: 'database.prepared-statements', max_prepared_stmt_count: limit, perConnection, recommended: MAX_STATEMENTS * SHARING * connections
        }, 'max_prepared_stmt_count too small to keep all statements prepared');
    }

    return perConnection;
}

function checkVersion(engine: Engine, version: string): void {

    if (engine === 'vitess') {
        throw new UnusableDatabaseError('unsuitable', `the database server is ${version}, which is not supported: ` +
            'reads of Vitess may see a part of a transaction; use MySQL, MariaDB, Galera or TiDB');
    }

    // TiDB says which MySQL it resembles, then which version it is.
    const own = /tidb-v?(.*)/i.exec(version)?.[1] ?? version;
    const [major = 0, minor = 0] = own.split('.').map(Number);
    const [minMajor, minMinor] = MIN_VERSIONS[engine === 'galera' ? productOf(version) : engine].version;
    // NaN, where TiDB was compiled without its version, counts as new.
    if (major < minMajor || major === minMajor && minor < minMinor) {
        const needed = Object.values(MIN_VERSIONS).map(({ name, version: least }) => `${name} ${least.join('.')}`);
        throw new UnusableDatabaseError('unsuitable', `the database server is ${version}; ${needed.slice(0, -1).join(', ')} or ${needed.at(-1)} is needed`);
    }
}
