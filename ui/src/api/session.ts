/** Who is logged in, by the cookie of the session, which scripts cannot read. */

import { batch, computed, signal } from '@preact/signals';
import { browserStorage, dropAllDrafts } from '../state/drafts.js';
import { forgetLabels } from '../state/labels.js';
import { endEarly } from './early.js';
import { repository, screenClient, sendJson, setLoginPrompt } from './client.js';

/** The caller, as the service knows it. */
export interface Caller {
    readonly active: boolean;
    readonly userId?: string;
    readonly username?: string;
    readonly typesPermittedToCreate?: readonly string[];
    readonly groupIds?: readonly string[];
}

/** Credentials of a login. */
export type Credentials =
    | { readonly username: string; readonly password: string }
    | { readonly assertion: string }
    | { readonly code: string; readonly code_verifier: string };

const NOBODY: Caller = { active: false };

/** The caller; nobody until it is known. */
export const caller = signal<Caller>(NOBODY);

/** Counts the persons who have used the page: what one of them has entered or seen is not for the next. */
export const person = signal(0);

/** True once the service has said who is logged in. */
export const isCallerKnown = signal(false);

/** True for the administrator. */
export const isAdmin = computed(() => caller.value.userId === 'admin');

/** A login that is waited for: the dialog shows itself while there is one. */
export interface LoginRequest {
    /** True when a session has ended, false when somebody wants to log in. */
    readonly isRenewal: boolean;
    readonly finish: (isLoggedIn: boolean) => void;
}

export const loginRequest = signal<LoginRequest | null>(null);

let pending: Promise<boolean> | null = null;

/** Asks for a login; all who ask at the same time get the same answer. */
export function askForLogin(isRenewal = false): Promise<boolean> {

    pending ??= new Promise<boolean>((resolve) => {

        loginRequest.value = {
            isRenewal, finish: (isLoggedIn) => {

                pending = null;
                loginRequest.value = null;
                resolve(isLoggedIn);
            }
        };
    });
    return pending;
}

/** Logs in. @throws RepositoryError for wrong credentials */
export async function logIn(credentials: Credentials): Promise<void> {

    setLoginPrompt(null);
    endEarly();
    setCaller(await sendJson<Caller>('POST', '/session', credentials));
}

/** Logs out, and removes what the user has left in the browser. */
export async function logOut(): Promise<void> {

    setLoginPrompt(null);
    endEarly();
    await repository.request({ method: 'DELETE', path: '/session' });
    dropAllDrafts(browserStorage());
    setCaller(NOBODY);
}

/** Sets the caller, as a response of the service says. */
export function setCaller(next: Caller): void {

    batch(() => {

        const { userId } = caller.value;
        if (next.userId !== userId) {
            forgetLabels();
            person.value += userId === undefined ? 0 : 1;
        }

        caller.value = next;
        isCallerKnown.value = true;
    });
    // A request of one person is not repeated as another.
    setLoginPrompt(next.active ? async () => await askForLogin(true) && caller.value.userId === next.userId : null);
}

/** Asks the service who is logged in. @throws RepositoryError */
export async function readCaller(): Promise<void> {

    const response = await screenClient.request({ method: 'GET', path: '/session' });
    setCaller(await response.json() as Caller);
}
