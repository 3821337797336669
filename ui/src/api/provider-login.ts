/**
 * Logins at a login provider (OpenID Connect): the browser leaves the page and comes back with a code, which only this page can exchange,
 * as it alone has the verifier.
 */

import { config } from '../config.js';
import { defineTexts } from '../i18n/index.js';
import { base64Url } from './key-login.js';
import { logIn } from './session.js';

const t = defineTexts({
    en: { cancelled: 'The login was cancelled.', failed: 'The login failed.' },
    de: { cancelled: 'Die Anmeldung wurde abgebrochen.', failed: 'Die Anmeldung ist fehlgeschlagen.' },
    fr: { cancelled: 'La connexion a été annulée.', failed: 'La connexion a échoué.' }
});

const STORED = 'doip-gateway-login';

const VERIFIER_BYTES = 48;

interface Pending {
    readonly verifier: string;
    /** Fragment to which the user returns. */
    readonly hash: string;
}

/** Leads the browser to a provider. */
export async function beginProviderLogin(provider: string): Promise<void> {

    const verifier = base64Url(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES)));
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    const pending: Pending = { verifier, hash: location.hash };
    sessionStorage.setItem(STORED, JSON.stringify(pending));
    const params = new URLSearchParams({ returnTo: location.pathname, codeChallenge: base64Url(new Uint8Array(digest)) });
    location.assign(`${config.base}/auth/login/${encodeURIComponent(provider)}?${params.toString()}`);
}

/**
 * Completes a login, if the page was opened by the return from a provider. Resolves to whether it was.
 *
 * @throws Error for a login that failed; the address is cleaned up all the same
 */
export async function completeProviderLogin(): Promise<boolean> {

    const params = new URLSearchParams(location.search);
    const [code, error] = [params.get('login_code'), params.get('login_error')];
    if (code === null && error === null) {
        return false;
    }

    const text = sessionStorage.getItem(STORED);
    sessionStorage.removeItem(STORED);
    const pending = text === null ? null : JSON.parse(text) as Pending;
    history.replaceState(null, '', location.pathname + (pending?.hash ?? ''));
    if (code === null || pending === null) {
        throw new Error(t(error === 'access_denied' ? 'cancelled' : 'failed'));
    }

    await logIn({ code, code_verifier: pending.verifier });
    return true;
}
