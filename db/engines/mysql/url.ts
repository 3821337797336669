/**
 * Parses `mysql://user:password@host:port/database?option=value`. Messages never contain the password.
 */

/** Address of a MySQL or MariaDB server, with credentials. */
export interface MysqlAddress {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
    /** Maximum number of connections; option `connections`. */
    readonly connections: number;
    /** Milliseconds without data after which a server counts as unavailable; option `timeout`, in seconds. */
    readonly timeout: number;
    /** Encrypt, and verify the certificate of the server; option `ssl=true`. */
    readonly ssl: boolean;
    /** Path of a socket instead of host and port; option `socket`. */
    readonly socket: string | null;
}

const FORM = 'mysql://user:password@host:port/database';
const OPTIONS = new Set(['connections', 'timeout', 'ssl', 'socket']);

/** Parses a URL; throws an Error that names the mistake. */
export function parseMysqlUrl(text: string): MysqlAddress {

    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url) {
        throw new Error(`the database URL cannot be read: it must look like ${FORM}, with special characters percent-encoded`);
    }

    if (url.protocol !== 'mysql:' && url.protocol !== 'mariadb:') {
        throw new Error(`the database URL must start with mysql://, got ${url.protocol}//; leave it out to use SQLite`);
    }

    const database = decode(url.pathname.slice(1));
    if (database === '' || database.includes('/')) {
        throw new Error(`the database URL must name one database, as in ${FORM}`);
    }

    if (url.username === '') {
        throw new Error(`the database URL must name a user, as in ${FORM}`);
    }

    return {
        host: url.hostname === '' ? 'localhost' : url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port === '' ? 3306 : Number(url.port),
        user: decode(url.username),
        password: decode(url.password),
        database,
        ...parseOptions(url.searchParams)
    };
}

function parseOptions(parameters: URLSearchParams): Pick<MysqlAddress, 'connections' | 'timeout' | 'ssl' | 'socket'> {

    for (const name of parameters.keys()) {
        if (!OPTIONS.has(name)) {
            throw new Error(`the database URL has an unknown option ${name}; known are ${[...OPTIONS].join(', ')}`);
        }
    }

    const connections = wholeNumber(parameters, 'connections', 10);
    const seconds = wholeNumber(parameters, 'timeout', 15);
    const ssl = parameters.get('ssl') ?? 'false';
    if (ssl !== 'true' && ssl !== 'false') {
        throw new Error('the option ssl of the database URL must be true or false');
    }

    return { connections, timeout: seconds * 1000, ssl: ssl === 'true', socket: parameters.get('socket') };
}

function wholeNumber(parameters: URLSearchParams, name: string, otherwise: number): number {

    const value = Number(parameters.get(name) ?? otherwise);
    if (!Number.isInteger(value) || value < 1 || value > 1000) {
        throw new Error(`the option ${name} of the database URL must be a whole number from 1 to 1000`);
    }

    return value;
}

function decode(part: string): string {

    try {
        return decodeURIComponent(part);
    }
    catch {
        throw new Error('the database URL has a broken percent-encoding: write % as %25');
    }
}
