/**
 * The first script: it is small, and asks the service for what the first screen needs while the browser still loads the modules that show it.
 */

import { sendEarly } from './api/early.js';
import { objectPath } from './api/paths.js';
import { config } from './config.js';
import { overviewBody } from './home/overview-request.js';
import { parseRoute } from './routes.js';
import { pageBody } from './search/page-request.js';
import { readState } from './search/state.js';

function start(): void {

    if (/[?&]login_/.test(location.search)) {
        // Somebody is about to be logged in.
        return;
    }

    const service = location.origin + config.base;
    const { screen, name, params } = parseRoute(location.hash);
    if (screen === 'search' && params.size > 0) {
        sendEarly('POST', `${service}/search`, JSON.stringify(pageBody(readState(params))));
    }

    if (screen === 'home') {
        sendEarly('POST', `${service}/search`, JSON.stringify(overviewBody()));
    }

    if (screen === 'object' && !params.has('edit')) {
        sendEarly('GET', `${service}${objectPath(name)}?full=true`);
    }

    sendEarly('GET', `${service}/session`);
    sendEarly('GET', `${service}/design`);
}

start();
