/**
 * Synchronous channel by which the search thread reads stored segments in the middle of a search: it asks the thread that owns the
 * database, and blocks until the bytes are there.
 */

import { unavailable } from '../../errors/errors.js';
import { DamagedSegment } from '../../stores/search/segment-errors.js';
import type { ChannelEndpoint } from '../../util/workers/sync-channel.js';
import { SyncChannelClient, SyncChannelServer } from '../../util/workers/sync-channel.js';
import type { Fetch } from '../segment/paged-sections.js';

interface SectionRequest {
    readonly requestId: number;
    readonly segment: number;
    readonly section: string;
    readonly start: number;
    readonly end: number;
}

interface SectionReply {
    /** Null when reading failed. */
    readonly bytes: Uint8Array | null;
    /** True when it will always fail: the index is rebuilt then, and the search is repeated. */
    readonly isDamaged?: boolean;
}

/** Reads bytes of a section of a stored segment into shared memory. */
export type SectionReader = (segment: number, section: string, start: number, end: number) => Promise<Uint8Array>;

/** Maximum wait for a reply, in milliseconds; longer than the timeout of the database. */
const TIMEOUT_MS = 60_000;

/** Retry-After for a search that failed, in seconds. */
const RETRY_AFTER = 5;

/**
 * Serves a search thread.
 *
 * @param failed called with the error of a read, before the search that needs it fails
 */
export function serveSections(
    read: SectionReader, failed: (error: Error) => void
): { readonly port: ChannelEndpoint; readonly close: () => void } {

    const channel = new SyncChannelServer<SectionReply>();
    channel.serve((message) => {

        const { requestId, segment, section, start, end } = message as SectionRequest;
        read(segment, section, start, end).then((bytes) => channel.answer(requestId, { bytes }), (error: unknown) => {

            failed(error instanceof Error ? error : new Error(String(error)));
            channel.answer(requestId, { bytes: null, isDamaged: error instanceof DamagedSegment });
        });
    });
    return { port: channel.endpoint, close: () => channel.close() };
}

/** Returns a function that reads through the channel. */
export function fetchThrough(endpoint: ChannelEndpoint): Fetch {

    const channel = new SyncChannelClient<SectionReply>(endpoint);
    return (segment, section, start, end) => {

        const reply = channel.request((requestId, port) => {

            port.postMessage({ requestId, segment, section, start, end } satisfies SectionRequest);
        }, TIMEOUT_MS);
        if (!reply) {
            throw unavailable('the database does not answer', RETRY_AFTER);
        }

        if (!reply.bytes) {
            const message = `section ${section} of segment ${segment} cannot be read`;
            throw reply.isDamaged ? new Error(message) : unavailable(message, RETRY_AFTER);
        }

        return reply.bytes;
    };
}
