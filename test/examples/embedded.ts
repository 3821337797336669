/** The service in a hapi server of one's own. What stands below the first line is shown in docs/extending.md. */

import Hapi from '@hapi/hapi';
import { configure, createGateway, gatewayOptions, plugin } from '../../lib/index.js';

export async function serveBelow(prefix: string, dataDir: string): Promise<Hapi.Server> {

    const gateway = createGateway(gatewayOptions(configure({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' })));
    const server = Hapi.server();
    server.ext('onPreStart', async () => {

        await gateway.start();
    });
    server.ext('onPostStop', () => gateway.stop());
    await server.register({ plugin, options: { gateway, translators: ['rest', 'doip-http'] }, routes: { prefix } });
    return server;
}
