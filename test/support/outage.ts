/**
 * Asking a service in a process of its own whose database comes and goes.
 */

import type { ServiceProcess } from './process.js';
import { ADMIN_PASSWORD } from './gateway.js';
import { until } from './until.js';

/** Headers of the administrator. */
export const ADMIN = { authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`, 'content-type': 'application/json' };

/** Milliseconds that a service may take to recover on a busy machine. */
export const PATIENCE_MS = 60_000;

/** An answer, read to its end. */
export interface Answered {
    readonly status: number;
    readonly body: Readonly<Record<string, unknown>>;
    readonly retryAfter: string | null;
}

/** Asks as the administrator. */
export async function ask(service: ServiceProcess, path: string, more: RequestInit = {}): Promise<Answered> {

    const response = await fetch(service.url + path, { headers: ADMIN, ...more });
    return { status: response.status, body: await response.json() as Record<string, unknown>, retryAfter: response.headers.get('retry-after') };
}

/** What the service tells about its state. */
export const status = (service: ServiceProcess): Promise<Answered> => ask(service, '/startupStatus');

/** Asks until the service says that it is in a state. */
export const stateBecomes = (service: ServiceProcess, state: string): Promise<void> => {

    return until(async () => {

        const { body } = await status(service);
        // UP is said before the last part of the service, such as an index that is being built, has started.
        return body['state'] === state && (state !== 'UP' || Object.values(body['subsystems'] as object).every((each) => each === 'UP'));
    }, PATIENCE_MS);
};

/** Makes an object. */
export const create = (service: ServiceProcess, id: string): Promise<Answered> => {

    return ask(service, `/objects?type=Document&handle=${id}`, { method: 'POST', body: JSON.stringify({ name: `name of ${id}` }) });
};
