/**
 * Logins at a login provider in a window of their own, for a page that must not be left: what was entered, chosen files and open dialogs stay.
 *
 * The page and its window do not hold each other: the `Cross-Origin-Opener-Policy` of this service, and that of many providers, separates them. What the
 * window brings back goes by a BroadcastChannel, which only pages of this origin have, under a name that this login alone has. The verifier stays in the
 * memory of the page, so that the window, or whoever opens its address, can do nothing with a code.
 */

import { loginAddress, newSecret, providerAnswer, redeemAnswer, type ProviderAnswer } from './provider-login.js';

const CHANNEL = 'doip-gateway-login';

/** Parameter of the address to which the window comes back: the login that waits for it. */
const PARAMETER = 'login_window';

const FEATURES = 'popup,width=520,height=680';

/** What the window says, and how the page answers that it has heard it. */
type Message = { readonly login: string } & (ProviderAnswer | { readonly isTaken: true });

/** A login that a page waits for. */
export interface WindowLogin {
    /**
     * Resolves once somebody is logged in; to false for somebody else, for whom the page does not go on.
     *
     * @throws Error for a login that failed or was cancelled at the provider
     */
    readonly done: Promise<boolean>;
    /** Gives it up: whatever the window brings is ignored then. */
    readonly cancel: () => void;
}

/** Begins a login in a new window; null where the browser does not open one. To be called within a click, as others are not allowed windows. */
export function logInByWindow(provider: string): WindowLogin | null {

    const opened = open('', '_blank', FEATURES);
    if (opened === null || opened.closed) {
        return null;
    }

    // Where the browser does not heed the policy, as without TLS, the provider does not get hold of this page.
    opened.opener = null;
    const [login, verifier] = [newSecret(), newSecret()];
    const { answer, cancel } = waitFor(login);
    const lead = async (): Promise<ProviderAnswer> => {

        try {
            opened.location.replace(await loginAddress(provider, verifier, `${location.pathname}?${PARAMETER}=${login}`));
        }
        catch (error) {
            cancel();
            opened.close();
            throw error;
        }

        return answer;
    };

    return { done: lead().then((given) => redeemAnswer(given, verifier)), cancel };
}

/** Waits for the answer to one login, and takes no other. */
function waitFor(login: string): { readonly answer: Promise<ProviderAnswer>; readonly cancel: () => void } {

    const channel = new BroadcastChannel(CHANNEL);
    const answer = new Promise<ProviderAnswer>((resolve) => {

        channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {

            if (data.login === login && !('isTaken' in data)) {
                channel.postMessage({ login, isTaken: true } satisfies Message);
                channel.close();
                resolve({ code: data.code, error: data.error });
            }
        });
    });
    return { answer, cancel: () => channel.close() };
}

/** A window that has come back from a provider. */
export interface ReturnedWindow {
    readonly login: string;
    readonly answer: ProviderAnswer;
}

/** What this window has brought back for another page; null for a page that is no such window. The address is cleaned up. */
export function returnedWindow(): ReturnedWindow | null {

    const params = new URLSearchParams(location.search);
    const login = params.get(PARAMETER);
    if (login === null) {
        return null;
    }

    history.replaceState(null, '', location.pathname);
    return { login, answer: providerAnswer(params) ?? { code: null, error: 'failed' } };
}

/** Hands over what the window has brought; resolves once the page that waits for it has taken it. Never, where there is none. */
export function handOver({ login, answer }: ReturnedWindow): Promise<void> {

    const channel = new BroadcastChannel(CHANNEL);
    return new Promise((resolve) => {

        channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {

            if (data.login === login && 'isTaken' in data) {
                channel.close();
                resolve();
            }
        });
        channel.postMessage({ login, ...answer } satisfies Message);
    });
}
