/** Messages to the user: shown for a while, and read aloud by screen readers. */

import { signal } from '@preact/signals';
import { RepositoryError } from '../api/client.js';
import { defineTexts } from '../i18n/index.js';
import { serverText } from '../server-texts/index.js';

const t = defineTexts({
    en: { unreachable: 'The service does not respond. What you entered is still here: try again in a moment.', stoppedLate: 'You have stopped it after everything was sent: the service may still store it.' },
    de: { unreachable: 'Der Dienst antwortet nicht. Was Sie eingegeben haben, ist noch da: Versuchen Sie es gleich noch einmal.', stoppedLate: 'Sie haben es angehalten, nachdem alles gesendet war: Der Dienst speichert es vielleicht noch.' },
    fr: { unreachable: 'Le service ne répond pas. Ce que vous avez saisi est toujours là : réessayez dans un instant.', stoppedLate: 'Vous l’avez arrêté après l’envoi de tout : le service peut encore l’enregistrer.' }
});

/** A message. */
export interface Message {
    readonly id: number;
    readonly kind: 'info' | 'success' | 'error';
    readonly text: string;
}

/** Time for which a message that is no error is shown, in milliseconds. */
const SHOWN_MS = 6000;

export const messages = signal<readonly Message[]>([]);

let next = 1;

/** Shows a message, and returns its id. Errors stay until they are dismissed. */
export function say(text: string, kind: Message['kind'] = 'success'): number {

    const message: Message = { id: next++, kind, text };
    messages.value = [...messages.value.slice(-3), message];
    if (kind !== 'error') {
        setTimeout(() => dismiss(message.id), SHOWN_MS);
    }

    return message.id;
}

export function dismiss(id: number): void {

    messages.value = messages.value.filter((message) => message.id !== id);
}

/** What an error says to the user. */
export function textOf(error: unknown): string {

    if (error instanceof RepositoryError && error.status === 0) {
        return t(error.details['isStopped'] === true ? 'stoppedLate' : 'unreachable');
    }

    return error instanceof RepositoryError ? serverText(error.message) : error instanceof Error ? error.message : String(error);
}

/** True for a request that was given up by the user interface itself. */
export function isAbort(error: unknown): boolean {

    return error instanceof DOMException && error.name === 'AbortError';
}

/** Shows an error, unless the request was given up. */
export function sayError(error: unknown): void {

    if (!isAbort(error)) {
        say(textOf(error), 'error');
    }
}
