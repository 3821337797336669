/**
 * Who is logged in, by the cookie of the session, which scripts cannot read. All pages of a browser share it, and tell each other when it changes: none
 * goes on in the name of one person with the session of another.
 */

import { batch, computed, signal } from '@preact/signals';
import { config } from '../config.js';
import { browserStorage, dropAllDrafts } from '../state/drafts.js';
import { forgetLabels } from '../state/labels.js';
import { hasInput } from '../state/input.js';
import { Newest } from '../state/newest.js';
import { endEarly } from './early.js';
import { requestJson, screenClient, sendJson, sessions, setLoginPrompt, setOwnSession, textIn } from './client.js';

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

/** Of whom the cookie is, after another page has changed that, while what somebody has entered keeps this page with its caller; else null. */
export const other = signal<Caller | null>(null);

let pending: Promise<boolean> | null = null;

/** Asks for a login; all who ask at the same time get the same answer. */
export function askForLogin(isRenewal = false): Promise<boolean> {

    pending ??= new Promise<boolean>((resolve) => {

        const request: LoginRequest = {
            isRenewal, finish: (isLoggedIn) => {

                if (loginRequest.value === request) {
                    pending = null;
                    loginRequest.value = null;
                    resolve(isLoggedIn);
                }
                else if (isLoggedIn) {
                    // The dialog was closed before the service answered; whoever asks for a login now has it.
                    loginRequest.value?.finish(true);
                }
            }
        };
        loginRequest.value = request;
    });
    return pending;
}

/** Logs in. @throws RepositoryError for wrong credentials */
export async function logIn(credentials: Credentials): Promise<void> {

    endEarly();
    setCaller(await sendJson<Caller>('POST', '/session', credentials, { client: sessions }));
    tellOthers();
}

/**
 * Logs in where the browser chooses who it is, as a login provider does: whoever may be somebody else does not take what the caller has entered.
 *
 * @returns false if the page stays with its caller, and asks for another login
 * @throws RepositoryError for wrong credentials
 */
export async function logInUnchosen(credentials: Credentials): Promise<boolean> {

    endEarly();
    const next = await sendJson<Caller>('POST', '/session', credentials, { client: sessions });
    const isKept = !wouldLose(next);
    if (isKept) {
        setCaller(next);
    }
    else {
        answers.ask()();
        other.value = next;
        setOwnSession(Promise.resolve(false));
        void askForLogin(true);
    }

    tellOthers();
    return isKept;
}

/** Logs out, and removes what the user has left in the browser. */
export async function logOut(): Promise<void> {

    endEarly();
    await sessions.request({ method: 'DELETE', path: '/session' });
    dropAllDrafts(browserStorage(), config.base);
    setCaller(NOBODY);
    tellOthers();
}

const answers = new Newest();

/** Sets the caller, as the response to a login or logout says. What was asked before is out of date then. */
export function setCaller(next: Caller): void {

    answers.ask()();
    show(next);
}

function show(next: Caller): void {

    batch(() => {

        const { userId } = caller.value;
        if (next.userId !== userId) {
            forgetLabels();
            person.value += userId === undefined ? 0 : 1;
        }

        caller.value = next;
        isCallerKnown.value = true;
        other.value = null;
    });
    setOwnSession(Promise.resolve(true));
    // A request of one person is not repeated as another.
    setLoginPrompt(next.active ? async () => await askForLogin(true) && caller.value.userId === next.userId : null);
}

/** Asks the service who is logged in. @throws RepositoryError */
export async function readCaller(): Promise<void> {

    const isNewest = answers.ask();
    const response = await screenClient.request({ method: 'GET', path: '/session' });
    const next = JSON.parse(await textIn(response)) as Caller;
    if (isNewest()) {
        show(next);
    }
}

let channel: BroadcastChannel | null = null;

function tellOthers(): void {

    channel?.postMessage('');
}

/** Follows logins on other pages of this browser, and when they log out. */
export function followOtherPages(): void {

    channel = new BroadcastChannel('doip-gateway-session');
    channel.addEventListener('message', () => setOwnSession(isStillOwn()));
}

/** Becomes the caller of the cookie, unless something that was entered here would be lost. Resolves to whether the cookie is that of the caller now. */
async function isStillOwn(): Promise<boolean> {

    const isNewest = answers.ask();
    const next = await requestJson<Caller>({ method: 'GET', path: '/session' }, sessions).catch(() => null);
    if (!isNewest()) {
        // Another login or logout since: its own answer decides.
        return other.value === null;
    }

    if (next === null || wouldLose(next)) {
        other.value = next ?? NOBODY;
        void askForLogin(true);
        return false;
    }

    show(next);
    if (next.active) {
        loginRequest.value?.finish(true);
    }

    return true;
}

/** True if what somebody has entered would be lost to another caller. */
function wouldLose(next: Caller): boolean {

    const { userId } = caller.value;
    return next.userId !== userId && userId !== undefined && hasInput();
}

/** Becomes the caller of the cookie, and gives up what was entered. */
export function becomeOther(): void {

    setCaller(other.value ?? NOBODY);
    loginRequest.value?.finish(false);
}
