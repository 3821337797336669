/**
 * Requests that are sent before the modules of the web UI are there, by the script `first.ts`, and responses to them for the client, which
 * sends the same requests. Each response is taken once, and only for the first screen and its caller: later it would be out of date, or of another caller.
 */

declare global {

    interface Window {
        /** Null once it is too late for them. */
        doipGatewayEarly?: Map<string, Promise<Response>> | null;
    }
}

/** By this header the service knows that a request is of its own origin: pages of others cannot send it without permission. */
export const OWN_ORIGIN = { 'X-Requested-With': 'doip-gateway' };

/** Sends a request whose response the client will want; none where the client has begun before, and asks itself. */
export function sendEarly(method: 'GET' | 'POST', url: string, body?: string): void {

    if (window.doipGatewayEarly === null) {
        return;
    }

    const headers = { ...OWN_ORIGIN, ...body === undefined ? {} : { 'Content-Type': 'application/json' } };
    const response = fetch(url, { method, headers, credentials: 'same-origin', ...body === undefined ? {} : { body } });
    // Nobody may ask for it.
    response.catch(() => undefined);
    (window.doipGatewayEarly ??= new Map()).set(keyOf(url, method, body), response);
}

/** The response to a request that was sent early; null where it was not. */
export function takeEarly(url: string, { method = 'GET', body }: RequestInit): Promise<Response> | null {

    const key = keyOf(url, method, body);
    const response = window.doipGatewayEarly?.get(key) ?? null;
    window.doipGatewayEarly?.delete(key);
    return response;
}

/** The client begins: what was not sent before comes too late. */
export function beginWithEarly(): void {

    window.doipGatewayEarly ??= null;
}

/** Forgets what nobody has taken: the user goes to another screen, or another user comes. */
export function endEarly(): void {

    window.doipGatewayEarly = null;
}

function keyOf(url: string, method: string, body: unknown): string {

    return `${method} ${url} ${typeof body === 'string' ? body : ''}`;
}
