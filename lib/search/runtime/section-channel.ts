/**
 * How the searching thread gets bytes of stored segments in the middle of a search: it asks the thread that owns the database, and
 * sleeps until they are there.
 */

import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { unavailable } from '../../errors/errors.js';
import { DamagedSegment } from '../../stores/search/segment-errors.js';
import type { Fetch } from '../segment/paged-sections.js';

/** Given to the searching thread when it starts. */
export interface SectionPort {
    readonly port: MessagePort;
    /** Its first number is 1 when there is an answer. */
    readonly bell: SharedArrayBuffer;
}

interface Wanted {
    /** Tells answers apart. */
    readonly id: number;
    readonly segment: number;
    readonly section: string;
    readonly start: number;
    readonly end: number;
}

interface Answer {
    readonly id: number;
    /** Null when it could not be read. */
    readonly bytes: Uint8Array | null;
    /** True when it never can be: the index is built anew then, and the search that wanted it is repeated. */
    readonly isDamaged?: boolean;
}

/** Reads some bytes of a section of a stored segment, into memory that threads can share. */
export type SectionReader = (segment: number, section: string, start: number, end: number) => Promise<Uint8Array>;

/** Longest wait for an answer; the database has given up before. */
const TIMEOUT_MS = 60_000;

/** Seconds after which somebody whose search could not be answered may try again. */
const RETRY_AFTER = 5;

/**
 * Answers a searching thread.
 *
 * @param failed told why something could not be read, before the search that wanted it ends with an error
 */
export function serveSections(read: SectionReader, failed: (error: Error) => void): { readonly port: SectionPort; readonly close: () => void } {

    const { port1, port2 } = new MessageChannel();
    const bell = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const answer = (message: Answer): void => {

        port1.postMessage(message);
        Atomics.store(new Int32Array(bell), 0, 1);
        Atomics.notify(new Int32Array(bell), 0);
    };

    port1.on('message', ({ id, segment, section, start, end }: Wanted) => {

        read(segment, section, start, end).then((bytes) => answer({ id, bytes }), (error: unknown) => {

            failed(error instanceof Error ? error : new Error(String(error)));
            answer({ id, bytes: null, isDamaged: error instanceof DamagedSegment });
        });
    });
    port1.unref();
    return { port: { port: port2, bell }, close: () => port1.close() };
}

/** Gets bytes by such a port. */
export function fetchThrough({ port, bell }: SectionPort): Fetch {

    const rung = new Int32Array(bell);
    let last = 0;
    return (segment, section, start, end) => {

        const id = ++last;
        port.postMessage({ id, segment, section, start, end } satisfies Wanted);
        for (;;) {
            const answer = receiveMessageOnPort(port)?.message as Answer | undefined;
            if (answer?.id === id) {
                if (!answer.bytes) {
                    const message = `section ${section} of segment ${segment} cannot be read`;
                    throw answer.isDamaged ? new Error(message) : unavailable(message, RETRY_AFTER);
                }

                return answer.bytes;
            }

            // An answer may come between the look and the wait: then the bell has been rung, and the wait ends at once.
            if (!answer && Atomics.wait(rung, 0, 0, TIMEOUT_MS) === 'timed-out') {
                throw unavailable('the database does not answer', RETRY_AFTER);
            }

            Atomics.store(rung, 0, 0);
        }
    };
}
