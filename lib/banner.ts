/** What the service shows of itself on a terminal, once it listens. */

import { resolve } from 'node:path';
import { parseMysqlUrl } from '../db/engines/mysql/url.js';
import type { Config } from './config/index.js';
import { implementation } from './util/version.js';

/** State of the service. */
export interface BannerFacts {
    readonly config: Config;
    readonly url: string;
    /** False while its database is not available. */
    readonly isUp: boolean;
    /** The generated password of admin, if this is the first start. */
    readonly password: string | null;
}

/** Text of several lines, without a line feed at its end. It never has a password of the configuration. */
export function bannerText({ config, url, isUp, password }: BannerFacts): string {

    const { storage: { dataDir, databaseUrl } } = config;
    const rows: [name: string, value: string][] = [
        ['Page', `${url}/`],
        ['API', `${url}/docs`],
        ['REST', `${url}/objects`],
        ['DOIP', `${url}/doip`],
        ['Data folder', resolve(dataDir)],
        ['Database', databaseUrl === null ? 'SQLite, in the data folder' : serverText(databaseUrl)]
    ];
    if (password !== null) {
        rows.push(['Login', `admin, password ${password}`], ['', SHOWN_ONCE]);
    }

    if (!isUp) {
        rows.push(['State', 'not ready yet: see the log']);
    }

    const width = Math.max(...rows.map(([name]) => name.length)) + 2;
    const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}${value}`);
    return ['', `  ${implementation.name} ${implementation.version}`, '', ...lines, '', '  Ctrl-C stops the service.', ''].join('\n');
}

/** What to know of a generated password. */
export const SHOWN_ONCE = 'shown only this once; doip-gateway set-admin-password sets another';

function serverText(databaseUrl: string): string {

    const { host, port, socket, database, user } = parseMysqlUrl(databaseUrl);
    return `${database} at ${socket ?? `${host}:${port}`}, as user ${user}`;
}
