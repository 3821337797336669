/** The service with an operation of its own. What stands below the first line is shown in docs/extending.md. */

import { createServer, loadConfig, serverUrl } from '../../lib/index.js';
import { registerWordCount } from './word-count.js';

export async function main(): Promise<void> {

    const config = loadConfig();
    const server = await createServer(config);
    registerWordCount(server.plugins['doip-gateway'].gateway);
    await server.start();
    console.log(serverUrl(server, config));
}
