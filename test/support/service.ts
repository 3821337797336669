/**
 * A gateway with all translators on a hapi server, for tests that compare interfaces. `inject` works at once; `start` listens.
 */

import type { Server } from '@hapi/hapi';
import * as Hapi from '@hapi/hapi';
import type { Gateway } from '../../lib/app/gateway.js';
import { doipHttp } from '../../translators/doip-http/index.js';
import { rest } from '../../translators/rest/index.js';
import type { TestDatabase } from './database.js';
import type { TestGateway } from './gateway.js';
import { startGateway } from './gateway.js';
import type { GatewayOptions } from '../../lib/app/options.js';

/** A service under test. */
export interface TestService extends TestGateway {
    readonly server: Server;
}

/** Starts a gateway and mounts the translators. */
export async function startService(
    database: TestDatabase, options: Partial<GatewayOptions> = {}, prepare: (gateway: Gateway) => void = () => {}
): Promise<TestService> {

    const test = await startGateway(database, options, prepare);
    const server = Hapi.server({ host: '127.0.0.1', port: 0 });
    for (const plugin of [rest, doipHttp]) {
        await server.register({ plugin, options: { gateway: test.gateway } });
    }

    return {
        ...test, server,
        async stop() {

            await server.stop({ timeout: 0 });
            await test.stop();
        }
    };
}
