/**
 * Synchronous channel by which the search thread reads stored segments in the middle of a search: it asks the thread that owns the
 * database, and blocks until the bytes are there.
 */

import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { unavailable } from '../../errors/errors.js';
import { DamagedSegment } from '../../stores/search/segment-errors.js';
import type { Fetch } from '../segment/paged-sections.js';

/** The end of the search thread. */
export interface SectionPort {
    readonly port: MessagePort;
    /** Signal: its first element is 1 when there is a response. */
    readonly bell: SharedArrayBuffer;
}

interface Wanted {
    /** Matches responses to requests. */
    readonly id: number;
    readonly segment: number;
    readonly section: string;
    readonly start: number;
    readonly end: number;
}

interface Answer {
    readonly id: number;
    /** Null when reading failed. */
    readonly bytes: Uint8Array | null;
    /** True when it will always fail: the index is rebuilt then, and the search is repeated. */
    readonly isDamaged?: boolean;
}

/** Reads bytes of a section of a stored segment into shared memory. */
export type SectionReader = (segment: number, section: string, start: number, end: number) => Promise<Uint8Array>;

/** Maximum wait for a response, in milliseconds; longer than the timeout of the database. */
const TIMEOUT_MS = 60_000;

/** Retry-After for a search that failed, in seconds. */
const RETRY_AFTER = 5;

/**
 * Serves a search thread.
 *
 * @param failed called with the error of a read, before the search that needs it fails
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

/** Returns a function that reads through the channel. */
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

            // A response may arrive between receiving and waiting: then the signal is set, and the wait returns at once.
            if (!answer && Atomics.wait(rung, 0, 0, TIMEOUT_MS) === 'timed-out') {
                throw unavailable('the database does not answer', RETRY_AFTER);
            }

            Atomics.store(rung, 0, 0);
        }
    };
}
