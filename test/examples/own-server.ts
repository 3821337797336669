/** The service with an operation of its own. What stands below the first line is shown in docs/extending.md. */

import { createServer } from '../../lib/index.js';
import { registerWordCount } from './word-count.js';

export async function startOwnServer(): Promise<string> {

    const server = await createServer();
    registerWordCount(server.plugins['doip-gateway'].gateway);
    await server.start();
    return server.info.uri;
}
