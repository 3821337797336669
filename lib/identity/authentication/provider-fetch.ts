/**
 * Requests to OpenID Connect providers: the whole response is received within the time of the request, and has a limit. The libraries that make the
 * requests read bodies without one, and leave those of errors unread, with their connections.
 */

/** Maximum length of a response, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** Statuses of responses that have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** Like `fetch`, for responses with a limit. @throws Error if the response is too long, or does not arrive as a whole */
export async function fetchProvider(url: string, init: RequestInit): Promise<Response> {

    const response = await fetch(url, init);
    const { status, statusText, headers } = response;
    const bytes = await readBody(response, url);
    return new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, statusText, headers });
}

async function readBody({ body }: Response, url: string): Promise<Uint8Array<ArrayBuffer>> {

    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
        length += chunk.byteLength;
        if (length > MAX_BYTES) {
            throw new Error(`the response of ${new URL(url).origin} has more than ${MAX_BYTES} bytes`);
        }

        chunks.push(chunk);
    }

    return Buffer.concat(chunks);
}
