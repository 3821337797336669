/** Starts the web UI: who is logged in and what the service holds are read while the first screen is loaded. */

import { effect } from '@preact/signals';
import { render } from 'preact';
import { beginWithEarly } from './api/early.js';
import { returnedWindow } from './api/login-window.js';
import { completeProviderLogin } from './api/provider-login.js';
import { followOtherPages, readCaller } from './api/session.js';
import { delayAfter, isUnavailable, untilDue } from './api/unavailable.js';
import { App } from './shell/app.js';
import { t } from './shell/texts.js';
import { config } from './config.js';
import { go, route, startRouter, type Route } from './router.js';
import { readDesign, uiConfig } from './state/design.js';
import { firstContent } from './state/first-content.js';
import { followInput } from './state/input.js';
import { dismiss, say, sayError } from './state/messages.js';
import { applyTheme } from './state/theme.js';

async function start(): Promise<void> {

    beginWithEarly();
    applyTheme();
    const root = document.querySelector('#app');
    const returned = returnedWindow();
    if (root && returned) {
        const { showLoginWindow } = await import('./shell/login-window.js');
        showLoginWindow(root, returned);
        return;
    }

    startRouter();
    followInput();
    followOtherPages();
    const isFresh = location.hash === '';
    const login = completeProviderLogin().catch((error: unknown) => {

        sayError(error);
        return false;
    });
    if (root) {
        render(<App />, root);
    }

    const isLoggedIn = await login;
    await Promise.all([isLoggedIn ? Promise.resolve() : untilRead(readCaller), untilRead(() => readDesign(hasContent() ? firstContent : undefined))]);
    if (notice !== null) {
        dismiss(notice);
    }

    const { initialFragment = '' } = uiConfig.value;
    if (isFresh && location.hash === '' && /^#?(?:objects|create|schemas|admin)\b/.test(initialFragment)) {
        go(initialFragment.startsWith('#') ? initialFragment : `#${initialFragment}`, { replace: true });
    }
}

/** True for screens that can show their content before the types are known. */
function hasContent(): boolean {

    const { screen, params } = route.value;
    return screen === 'home' || screen === 'search' && params.size > 0 || screen === 'object' && !params.has('edit');
}

/** The message that the service is not ready, while it is not. */
let notice: number | null = null;

/** Reads what every screen needs, as soon as the service is available. */
async function untilRead(read: () => Promise<void>): Promise<void> {

    for (let failures = 1; ; ++failures) {
        try {
            await read();
            return;
        }
        catch (error) {
            if (!isUnavailable(error)) {
                sayError(error);
                return;
            }

            notice ??= say(t('away'), 'error');
            await untilDue(error, delayAfter(error, failures));
        }
    }
}

/** What screens are called in the title, besides the name of what they show. */
const SCREEN_NAMES: Readonly<Partial<Record<Route['screen'], () => string>>> = {
    search: () => t('searchButton'), create: () => t('create'), types: () => t('types'), admin: () => t('admin')
};

effect(() => {

    const { screen, name } = route.value;
    document.title = [name || null, SCREEN_NAMES[screen]?.() ?? null, uiConfig.value.title ?? config.name].filter((part) => part !== null).join(' · ');
});

void start();
