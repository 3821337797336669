/** A server of one's own with an operation of one's own. What stands below the first line is shown in docs/extending.md. */

import type { Server } from '@hapi/hapi';
import { configure, createServer, serverUrl } from '../../lib/index.js';
import { registerWordCount } from './word-count.js';

export async function startOwn(dataDir: string): Promise<{ server: Server; url: string }> {

    const config = configure({ PORT: 0, DATA_DIR: dataDir, ADMIN_PASSWORD: 'a long password', LOG_LEVEL: 'warn' });
    const server = await createServer(config);
    registerWordCount(server.plugins['doip-gateway'].gateway);
    await server.start();
    return { server, url: serverUrl(server, config) };
}
