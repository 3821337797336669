/** Requests whose body comes slowly. */

import { once } from 'node:events';
import Http from 'node:http';
import { text } from 'node:stream/consumers';

/** The body in two parts, and headers besides its length. */
export interface SlowBody {
    readonly headers: Readonly<Record<string, string>>;
    readonly first: string;
    readonly rest: string;
}

/** Milliseconds after which credentials are verified again, and some more. */
export const LONG_MS = 1500;

/** Sends a request, given as `METHOD /path`, does work between the two parts of its body, and returns the response. */
export async function sendSlowly(
    url: string, line: string, { headers, first, rest }: SlowBody, between: () => Promise<unknown>
): Promise<{ readonly status: number; readonly body: string }> {

    const [method = '', path = ''] = line.split(' ');
    const request = Http.request(url + path, { method, headers: { ...headers, 'content-length': String(Buffer.byteLength(first + rest)) } });
    const responded = once(request, 'response') as Promise<[Http.IncomingMessage]>;
    request.write(first);
    // The response may come before the rest, or never; its failure is that of the test.
    responded.catch(() => null);
    await between();
    request.end(rest);
    const [response] = await responded;
    return { status: response.statusCode ?? 0, body: await text(response) };
}
