/** A MariaDB server of one's own, beside the one of the run: to be ended, stopped and started again, or with options of its own. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A running server. */
export interface PrivateMariadb {
    /** With the right to do everything, without a database. */
    readonly url: string;
    pid(): number;
    /** False after its end, also one that nobody asked for. */
    isRunning(): boolean;
    /** Sends a signal; SIGSTOP makes it silent without closing a connection. */
    signal(name: NodeJS.Signals): void;
    /** Ends it as a crash does. */
    kill(): Promise<void>;
    /** Starts it again on its data. */
    restart(): Promise<void>;
    /** Ends it and removes its data. */
    stop(): Promise<void>;
}

export interface PrivateMariadbOptions {
    /** Options of the server, such as `--max-connections=20`. */
    readonly options?: readonly string[];
    /** Writes a data folder; by default a fresh one. */
    readonly fill?: (dataFolder: string) => Promise<void>;
    /** Folder in which it makes its own; by default that for temporary files. */
    readonly parent?: string | undefined;
}

/** The program is not compiled, as `test/run.mjs` needs it before the build. */
const PROGRAM = pathToFileURL(join(__dirname, '../../../test/support/mariadb.mjs')).href;

/** Starts a server. */
export async function startPrivateMariadb(options: PrivateMariadbOptions = {}): Promise<PrivateMariadb> {

    const { startMariadb } = await import(PROGRAM) as { startMariadb: (given: PrivateMariadbOptions) => Promise<PrivateMariadb> };
    return await startMariadb(options);
}
