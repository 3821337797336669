/** Outputs that a custom operation has opened by performing other operations: searches, bytes of elements, files of a batch. */

import type { Logger } from 'pino';
import type { Segment } from '../doip/envelope.js';
import { RecordOutput } from '../doip/record-output.js';
import { onClose } from '../util/streams/on-close.js';

/** Closes what the handler does not read to its end, when its own output has ended or was not read. */
export class OpenedOutputs {

    readonly #open = new Set<() => Promise<unknown>>();
    readonly #log: () => Logger;

    constructor(log: () => Logger) {

        this.#log = log;
    }

    /** Returns an output that is closed by {@link close}, unless it has ended before. */
    output(output: AsyncIterable<Segment>): AsyncIterable<Segment> {

        if (!(output instanceof RecordOutput)) {
            return this.sequence(output);
        }

        const watched = output.whenClosed(() => void this.#open.delete(close));
        const close = (): Promise<unknown> => watched.close();
        this.#open.add(close);
        return watched;
    }

    /** The same for any sequence. */
    sequence<T>(sequence: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {

        const watched = onClose(sequence, () => void this.#open.delete(close));
        const close = (): Promise<unknown> => watched.return();
        this.#open.add(close);
        return watched;
    }

    /** Returns the output of the handler, at whose end all others are closed. */
    closedWith(output: AsyncIterable<Segment>): AsyncIterable<Segment> {

        const close = (): void => this.close();
        return output instanceof RecordOutput ? output.whenClosed(close) : onClose(output, close);
    }

    /** Closes all outputs, without waiting for it: the handler may be reading one. */
    close(): void {

        for (const close of [...this.#open]) {
            close().catch((error: unknown) => this.#log().warn({ event: 'operation.close-failed', err: error }, 'failed to close an output'));
        }

        this.#open.clear();
    }
}
