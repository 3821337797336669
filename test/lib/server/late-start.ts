/** A server whose gateway does not start at once: commands reach it as soon as it has started. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import { DatabaseError } from '../../../db/errors.js';
import { createGateway } from '../../../lib/app/gateway.js';
import { gatewayOptions } from '../../../lib/app/options.js';
import { readLocalEntry } from '../../../lib/app/server-file.js';
import { configure } from '../../../lib/config/index.js';
import { createServer, serverUrl } from '../../../lib/server.js';
import { runCommand } from '../../support/command.js';
import { createSqlite } from '../../support/database.js';
import { ADMIN_PASSWORD, QUICK } from '../../support/gateway.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a server whose first start fails', () => {

    it('is reached by commands after the second one, whatever a killed one of the same process id has left', async () => {

        const database = await createSqlite();
        const { dataDir } = database.options;
        const config = configure({ PORT: 0, DOIP_PORT: '', DATA_DIR: dataDir, ADMIN_PASSWORD });
        const log = pino({ level: 'silent' });
        const gateway = createGateway({ ...gatewayOptions(config, log), passwordCost: QUICK });
        const start = gateway.start.bind(gateway);
        let attempts = 0;
        gateway.start = () => {

            attempts += 1;
            return attempts === 1 ? Promise.reject(new DatabaseError('unavailable', 'the database server is starting')) : start();
        };

        await writeFile(join(dataDir, 'server.json'), JSON.stringify({ pid: process.pid, url: 'http://127.0.0.1:1', secret: 'local_of_before', certificate: null }));
        const server = await createServer(config, { gateway, log });
        await server.start();
        const url = serverUrl(server, config);
        const isUpAtOnce = gateway.isUp;
        await until(() => gateway.isUp);
        await until(() => readLocalEntry(dataDir)?.url === url);
        const command = await runCommand(database, ['reindex']);
        await server.stop();
        const left = readLocalEntry(dataDir);
        await database.dispose();

        expect([isUpAtOnce, attempts]).to.equal([false, 2]);
        expect([command.code, command.error]).to.equal([0, `all objects were indexed anew (through the server at ${url})\n`]);
        expect(left).to.be.null();
    });
});
