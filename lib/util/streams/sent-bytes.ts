/** Counts the bytes of bodies that were written to responses without a pipe, for the access log. */

const sent = new WeakMap<object, number>();

/** Counts bytes that a response has been given. */
export function countSent(response: object, bytes: number): void {

    sent.set(response, (sent.get(response) ?? 0) + bytes);
}

/** The bytes that a response has been given; undefined if none were counted. */
export function sentBytes(response: object): number | undefined {

    return sent.get(response);
}
