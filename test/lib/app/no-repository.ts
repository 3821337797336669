/** The folder of a node of a database server never gets an embedded database by itself, and folders with both are logged. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { claimDataDir, DataDirError, nodeName } from '../../../lib/app/data-dir.js';
import { createGateway } from '../../../lib/app/gateway.js';
import { NodeFolderError, NoRepositoryError, warnOfTwoDatabases } from '../../../lib/app/no-repository.js';
import { explainStartError, isPermanent } from '../../../lib/start-errors.js';
import type { TestDatabase } from '../../support/database.js';
import { createSqlite, DIALECTS } from '../../support/database.js';
import { gatewayOptions, startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const KINDS: readonly (readonly [title: string, options: { readonly isForCommand?: boolean; readonly onlyExisting?: boolean }])[] = [
    ['a service', {}],
    ['a command that may begin a repository', { isForCommand: true, onlyExisting: false }],
    ['a command that reads', { isForCommand: true, onlyExisting: true }]
];

describe('the folder of a node of a database server', () => {

    let database: TestDatabase;
    let folder: string;

    beforeEach(async () => {

        database = await createSqlite();
        folder = database.options.dataDir;
        nodeName(folder);
    });

    afterEach(() => database.dispose());

    const begun = (): boolean => existsSync(join(folder, 'repository.sqlite'));

    for (const [title, options] of KINDS) {
        it(`gets no embedded database of ${title} without DATABASE_URL`, async () => {

            const error: unknown = await startGateway(database, options).then(() => null, (reason: unknown) => reason);

            expect(error).to.be.instanceof(NodeFolderError);
            expect(explainStartError(error)).to.equal([
                `${folder} is the folder of a node of a database server: set DATABASE_URL, or remove node-name there to begin an embedded database`, 78
            ]);
            expect([isPermanent(error), begun()]).to.equal([true, false]);
        });

        it(`that is in use leads ${title} to the process that uses it`, async () => {

            const claim = claimDataDir(folder);
            const error: unknown = await createGateway(gatewayOptions(database, options)).start().catch((reason: unknown) => reason);
            claim.release();

            expect(error).to.be.instanceof(DataDirError);
            expect((error as DataDirError).holder).to.equal(process.pid);
        });
    }

    it('gets one when the name is removed', async () => {

        rmSync(join(folder, 'node-name'));
        await expect(startGateway(database, { onlyExisting: true })).to.reject(NoRepositoryError);
        await (await startGateway(database)).stop();

        expect(begun()).to.be.true();
    });
});

for (const { name, create } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    it(`a node on ${name} that is started without its database ends`, async () => {

        const database = await create();
        await (await startGateway(database)).stop();
        const rejected = startGateway(database, { databaseUrl: null });

        await expect(rejected).to.reject(NodeFolderError);
        await database.dispose();
    });
}

const URL_OF_SERVER = 'mysql://u:p@h/d';
const FOLDERS: readonly (readonly [title: string, files: readonly string[], databaseUrl: string | null, used: string | null])[] = [
    ['a new folder', [], null, null],
    ['a new folder of a node', [], URL_OF_SERVER, null],
    ['the folder of a node', ['node-name'], URL_OF_SERVER, null],
    ['an embedded database', ['repository.sqlite'], null, null],
    ['an embedded database beside a server', ['repository.sqlite'], URL_OF_SERVER, 'server'],
    ['an embedded database in the folder of a node', ['node-name', 'repository.sqlite'], null, 'embedded'],
    ['both, with a server', ['node-name', 'repository.sqlite'], URL_OF_SERVER, 'server']
];

describe('the warning of two databases', () => {

    for (const [title, files, databaseUrl, used] of FOLDERS) {
        it(`is ${used ? `logged, with what is used (${used})` : 'not logged'}, for ${title}`, () => {

            const folder = mkdtempSync(join(tmpdir(), 'gateway-data-'));
            files.forEach((file) => writeFileSync(join(folder, file), 'x'));
            const logged: unknown[] = [];
            warnOfTwoDatabases({ dataDir: folder, databaseUrl }, { warn: (fields: unknown) => void logged.push(fields) });
            rmSync(folder, { recursive: true });

            expect(logged).to.equal(used ? [{ event: 'data-dir.two-databases', folder, used }] : []);
        });
    }
});
