/**
 * Requests that make something, and must not make it twice: after one whose response was lost, what it has made is looked for before another one
 * is sent.
 */

import { useRef } from 'preact/hooks';
import { RepositoryError } from '../api/client.js';
import { defineTexts } from '../i18n/index.js';

const t = defineTexts({
    en: {
        notMade: 'The connection was lost before the service answered. What it should make is not found; it is looked for once more before it is sent again.',
        unknown: 'The service does not respond. It is not known whether it has done this; that is looked for before it is sent again.'
    },
    de: {
        notMade: 'Die Verbindung riss ab, bevor der Dienst geantwortet hat. Zu finden ist nichts; vor dem nächsten Senden wird noch einmal nachgesehen.',
        unknown: 'Der Dienst antwortet nicht. Ob er es getan hat, ist nicht bekannt; vor dem nächsten Senden wird nachgesehen.'
    },
    fr: {
        notMade: 'La connexion a été coupée avant la réponse du service. Rien n’est trouvé ; on vérifiera encore une fois avant de l’envoyer de nouveau.',
        unknown: 'Le service ne répond pas. On ne sait pas s’il l’a fait ; on vérifiera avant de l’envoyer de nouveau.'
    }
});

/** A request that was sent; `began` in epoch milliseconds by the clock of the browser. */
export interface Sent<S> {
    readonly sent: S;
    readonly began: number;
}

/** Statuses of a service, or a proxy before it, that is unavailable. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** True for a request that the service may have carried out, although no response arrived. Another error of the service itself says what has happened. */
export function isLost(error: unknown): boolean {

    if (!(error instanceof RepositoryError)) {
        return error instanceof TypeError;
    }

    const { status, requestId, mayHaveChanged } = error;
    return mayHaveChanged && (status < 500 || AWAY.has(status) || requestId === null);
}

/** When a request began by the clock of the service, which has answered another one since. Never too late: the header has whole seconds. */
export function sinceOf({ headers }: Response, began: number): number {

    const ahead = Date.parse(headers.get('date') ?? '') - Date.now();
    return began + (Number.isFinite(ahead) ? ahead : 0);
}

/**
 * Returns a function that sends a request once: it resolves to its result, or to what an earlier one has made whose response was lost, with what
 * was sent for it.
 *
 * @param find looks for what a request has made; null if there is nothing
 */
export function useOnce<S, T>(find: (sent: Sent<S>) => Promise<T | null>): (sent: S, send: () => Promise<T>) => Promise<{ readonly made: T; readonly sent: S }> {

    const lost = useRef<Sent<S> | null>(null);
    const look = async (): Promise<{ readonly made: T; readonly sent: S } | null> => {

        const request = lost.current;
        const made = request && await find(request).catch((error: unknown) => {

            throw new Error(t('unknown'), { cause: error });
        });
        if (!made) {
            return null;
        }

        lost.current = null;
        return { made, sent: request.sent };
    };

    return async (sent, send) => {

        const earlier = await look();
        if (earlier) {
            return earlier;
        }

        const began = Date.now();
        try {
            const made = await send();
            lost.current = null;
            return { made, sent };
        }
        catch (error) {
            if (!isLost(error)) {
                throw error;
            }

            lost.current = { sent, began };
            const found = await look();
            if (found) {
                return found;
            }

            throw new Error(t('notMade'), { cause: error });
        }
    };
}
