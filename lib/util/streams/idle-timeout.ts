/** Idle timeout of a sequence that holds resources, for readers that forget it. */

export interface IdleTimeout {
    /** Maximum time between two reads, and before the first one. */
    readonly ms: number;
    /** Error of a read after the timeout. */
    readonly error: () => Error;
}

/** Closes a sequence that is not read for too long; a later read rejects. The time of the reads themselves does not count. */
export function closeWhenIdle<T>(sequence: AsyncGenerator<T, void, undefined>, { ms, error }: IdleTimeout): AsyncGenerator<T, void, undefined> {

    let isExpired = false;
    let readings = 0;
    let timer: NodeJS.Timeout | undefined;
    const expire = (): void => {

        isExpired = true;
        sequence.return().catch(() => {
            // The sequence was given up; a later read reports the timeout.
        });
    };

    const wait = (): void => {

        timer = setTimeout(expire, ms).unref();
    };

    const read = async (result: () => Promise<IteratorResult<T, void>>): Promise<IteratorResult<T, void>> => {

        if (isExpired) {
            throw error();
        }

        ++readings;
        clearTimeout(timer);
        let isOver = true;
        try {
            const next = await result();
            isOver = next.done === true;
            return next;
        }
        finally {
            --readings;
            if (!isOver && readings === 0) {
                wait();
            }
        }
    };

    wait();
    return {
        next: () => read(() => sequence.next()),
        return: () => {

            clearTimeout(timer);
            return sequence.return();
        },
        throw: (reason: unknown) => read(() => sequence.throw(reason)),
        [Symbol.asyncIterator]() {

            return this;
        }
    };
}
