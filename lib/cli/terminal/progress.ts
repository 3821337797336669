/** Progress of a long command on standard error: updated in place on a terminal, otherwise one line every few seconds. */

const TERMINAL_MS = 200;
const LINE_MS = 5000;
const MIB = 1024 * 1024;

/** Counts bytes, such as those of a stream, and prints them at intervals. */
export class Progress {

    readonly #label: string;
    readonly #total: number | null;
    readonly #isTerminal = process.stderr.isTTY;
    readonly #started = performance.now();
    #printedOn = performance.now();
    #bytes = 0;
    #isShown = false;

    /** @param total bytes; null when unknown */
    constructor(label: string, total: number | null) {

        this.#label = label;
        this.#total = total;
    }

    /** Passes the bytes through and counts them. */
    async *of(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

        for await (const chunk of body) {
            this.add(chunk.byteLength);
            yield chunk;
        }
    }

    /** Counts bytes that were processed. */
    add(bytes: number): void {

        this.#bytes += bytes;
        this.#report();
    }

    /** Prints the final line; that of several phases has another label, and begins with the first of them (ms). */
    end(text: string, label = this.#label, started = this.#started): void {

        const seconds = (performance.now() - started) / 1000;
        this.#write(`${label}: ${text}, ${mib(this.#bytes)} in ${seconds.toFixed(1)} s\n`);
    }

    /** Prints the final line where progress was printed before, as of what took long. */
    endIfShown(text: string): void {

        if (this.#isShown) {
            this.end(text);
        }
    }

    #report(): void {

        const now = performance.now();
        if (now - this.#printedOn < (this.#isTerminal ? TERMINAL_MS : LINE_MS)) {
            return;
        }

        this.#printedOn = now;
        this.#isShown = true;
        const share = this.#total ? ` of ${mib(this.#total)}, ${Math.floor(this.#bytes / this.#total * 100)} %` : '';
        this.#write(`${this.#label}: ${mib(this.#bytes)}${share}${this.#isTerminal ? '' : '\n'}`);
    }

    #write(text: string): void {

        process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}` : text);
    }
}

function mib(bytes: number): string {

    return `${(bytes / MIB).toFixed(1)} MiB`;
}
