/** `npm run screenshots`: takes the pictures of the web UI that the documentation shows. */

import { join } from 'node:path';
import { startBrowser } from './browser.js';
import { ROOT } from './doc-pages.js';
import { SCREEN_SETTINGS, takeScreens } from './screens.js';
import { startServer } from './server.js';

async function main(): Promise<void> {

    const test = await startServer(SCREEN_SETTINGS);
    const browser = await startBrowser();
    try {
        const { files, complaints } = await takeScreens(browser, test, join(ROOT, 'docs/images'));
        console.log([...files, ...complaints].join('\n'));
    }
    finally {
        await browser.close();
        await test.stop();
    }
}

void main();
