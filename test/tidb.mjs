/**
 * Tests on TiDB: the interface, as on MariaDB, and what several gateways or connections do to one database at the same time.
 *
 *     npm run test:tidb                             takes or builds a tidb-server (see support/tidb.mjs), starts it, and runs these tests on it
 *     npm run test:tidb -- test/interface/x.ts      only these files
 *     npm run test:tidb -- test/db -- -g lock       hands options after -- to lab
 *
 * TEST_TIDB_URL names a server to use instead, such as that of a real cluster (`mysql://root@127.0.0.1:4000`, with the right to create
 * databases). The last line is what lab counted: `N passed, M failed`.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTidb } from './support/tidb.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const FOLDERS = ['test/interface', 'test/resilience'];

/** Files of these folders that use a database server have one of these words. */
const ON_SERVERS = /\b(?:forEachDatabase|onEveryDatabase|forEachWay|startNodes|DIALECTS)\b/;

/** Races of several gateways or connections, and the database layer itself. */
const RACES = [
    'test/db', 'test/lib/core/nodes.ts', 'test/lib/operations/auth/nodes.ts', 'test/lib/operations/concurrency.ts',
    'test/lib/operations/search/highest-safe-txn-id.ts', 'test/lib/search/shared-log.ts', 'test/lib/search/runtime/change-log-tailer.ts',
    'test/lib/stores/txn-watermark-store.ts', 'test/lib/stores/jobs/job-store.ts', 'test/lib/stores/blobs', 'test/lib/jobs/job-runner.ts',
    'test/lib/audit/audit-log.ts', 'test/lib/bulk/random-uploads.ts', 'test/lib/identity/tokens/access-tokens.ts',
    'test/lib/identity/accounts/group-memberships.ts', 'test/lib/identity/throttling/login-throttle.ts'
];

async function interfaceFiles() {

    const names = await Promise.all(FOLDERS.map(async (folder) => (await readdir(join(ROOT, folder))).map((name) => `${folder}/${name}`)));
    const files = names.flat().filter((name) => name.endsWith('.ts'));
    const found = await Promise.all(files.map(async (file) => ON_SERVERS.test(await readFile(join(ROOT, file), 'utf8'))));
    return files.filter((_, i) => found[i]);
}

async function main() {

    const args = process.argv.slice(2);
    const given = args.some((arg, i) => !arg.startsWith('--') && !args.slice(0, i).includes('--'));
    const url = process.env.TEST_TIDB_URL;
    const server = url ? { url, stop() {} } : await startTidb();
    try {
        const paths = given ? [] : [...await interfaceFiles(), ...RACES];
        const env = { ...process.env, TEST_MYSQL_URL: server.url, NO_SQLITE: 'true' };
        const child = spawn(process.execPath, [join(ROOT, 'test/run.mjs'), ...paths, ...args], { cwd: ROOT, env, stdio: 'inherit' });
        const stop = (signal) => child.kill(signal);
        ['SIGINT', 'SIGTERM'].forEach((signal) => process.on(signal, stop));
        const [code] = await once(child, 'close');
        return code ?? 1;
    }
    finally {
        await server.stop();
    }
}

process.exitCode = await main();
