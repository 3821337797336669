/**
 * Rate limiter (token bucket) for log lines of scripts; reports how many lines were dropped.
 */

/** Burst size in lines, and sustained rate in lines per second. */
const BURST = 200;
const PER_SECOND = 50;

/** A token bucket for log lines. */
export class LogRateLimiter {

    #tokens = BURST;
    #filledOn = performance.now();
    #leftOut = 0;

    /** Returns the line to log, with a note about dropped lines before it; null to drop the line. */
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
