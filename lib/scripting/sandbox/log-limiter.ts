/**
 * Rate limiter (token bucket) for log lines of scripts; reports how many lines were dropped.
 */

/** Lines at once, and per second in the long run. */
const BURST = 200;
const PER_SECOND = 50;

/** A bucket that fills again with time. */
export class LogRateLimiter {

    #tokens = BURST;
    #filledOn = performance.now();
    #leftOut = 0;

    /** The line as it is to be logged; null when it is left out. */
    pass(line: string): string | null {

        const now = performance.now();
        this.#tokens = Math.min(BURST, this.#tokens + (now - this.#filledOn) * PER_SECOND / 1000);
        this.#filledOn = now;
        if (this.#tokens < 1) {
            ++this.#leftOut;
            return null;
        }

        this.#tokens -= 1;
        const note = this.#leftOut === 0 ? '' : ` (${this.#leftOut} lines before this one were left out)`;
        this.#leftOut = 0;
        return line + note;
    }
}
