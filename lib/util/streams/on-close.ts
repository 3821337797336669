/** Release of a resource that a sequence holds, such as a permit or a search. */

/**
 * Calls `release` once when the sequence ends for any reason. Unlike a `finally` inside a generator, it also runs when the sequence is
 * closed before the first read.
 */
export function onClose<T>(sequence: AsyncIterable<T>, release: () => void): AsyncGenerator<T, void, undefined> {

    const iterator: AsyncIterator<T, unknown, unknown> = sequence[Symbol.asyncIterator]();
    let isOver = false;
    const over = (): void => {

        if (!isOver) {
            isOver = true;
            release();
        }
    };

    const watched = async (result: Promise<IteratorResult<T, unknown>>): Promise<IteratorResult<T, void>> => {

        try {
            const next = await result;
            if (!next.done) {
                return next;
            }

            over();
            return END;
        }
        catch (error) {
            over();
            throw error;
        }
    };

    return {
        next: () => watched(iterator.next()),
        return: () => watched(iterator.return?.() ?? Promise.resolve(END)),
        throw: (error: unknown) => watched(iterator.throw?.(error) ?? rejected(error)),
        [Symbol.asyncIterator]() {

            return this;
        }
    };
}

async function rejected(error: unknown): Promise<never> {

    throw error;
}

const END: IteratorReturnResult<void> = { done: true, value: undefined };
