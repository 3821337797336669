/**
 * Logins at a login provider (OpenID Connect): the browser leaves the page and comes back with a code, which only this page can exchange,
 * as it alone has the verifier. Where the page must stay, login-window.ts does it in another window.
 */

import { config } from '../config.js';
import { defineTexts } from '../i18n/index.js';
import { base64Url } from './key-login.js';
import { logInUnchosen } from './session.js';

const t = defineTexts({
    en: { cancelled: 'The login was cancelled.', failed: 'The login failed.' },
    de: { cancelled: 'Die Anmeldung wurde abgebrochen.', failed: 'Die Anmeldung ist fehlgeschlagen.' },
    fr: { cancelled: 'La connexion a été annulée.', failed: 'La connexion a échoué.' }
});

const STORED = 'doip-gateway-login';

const SECRET_BYTES = 48;

interface Pending {
    readonly verifier: string;
    /** Fragment to which the user returns. */
    readonly hash: string;
}

/** What a provider has led the browser back with: a code, or an error. */
export interface ProviderAnswer {
    readonly code: string | null;
    readonly error: string | null;
}

/** A text that nobody guesses. */
export function newSecret(): string {

    return base64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** Address at which the login of a page with a verifier begins, and which comes back to a path. */
export async function loginAddress(provider: string, verifier: string, returnTo: string): Promise<string> {

    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    const params = new URLSearchParams({ returnTo, codeChallenge: base64Url(new Uint8Array(digest)) });
    return `${config.base}/auth/login/${encodeURIComponent(provider)}?${params.toString()}`;
}

/** Leads the browser to a provider. */
export async function beginProviderLogin(provider: string): Promise<void> {

    const pending: Pending = { verifier: newSecret(), hash: location.hash };
    sessionStorage.setItem(STORED, JSON.stringify(pending));
    location.assign(await loginAddress(provider, pending.verifier, location.pathname));
}

/** What the address of the page says about a login; null where it says nothing. */
export function providerAnswer(params = new URLSearchParams(location.search)): ProviderAnswer | null {

    const [code, error] = [params.get('login_code'), params.get('login_error')];
    return code === null && error === null ? null : { code, error };
}

/**
 * Logs in by the answer to a login with a verifier. Resolves to false for somebody else, for whom the page does not go on.
 *
 * @throws Error for a login that failed
 */
export async function redeemAnswer({ code, error }: ProviderAnswer, verifier: string | null): Promise<boolean> {

    if (code === null || verifier === null) {
        throw new Error(t(error === 'access_denied' ? 'cancelled' : 'failed'));
    }

    return await logInUnchosen({ code, code_verifier: verifier });
}

/**
 * Completes a login, if the page was opened by the return from a provider. Resolves to whether it was.
 *
 * @throws Error for a login that failed; the address is cleaned up all the same
 */
export async function completeProviderLogin(): Promise<boolean> {

    const answer = providerAnswer();
    if (answer === null) {
        return false;
    }

    const text = sessionStorage.getItem(STORED);
    sessionStorage.removeItem(STORED);
    const pending = text === null ? null : JSON.parse(text) as Pending;
    history.replaceState(null, '', location.pathname + (pending?.hash ?? ''));
    await redeemAnswer(answer, pending?.verifier ?? null);
    return true;
}
