/**
 * Sequences that hold something: a place in a queue, a search that is not read to its end.
 */

/**
 * The same sequence; when it has ended, however it ends, `release` is called once. Other than a `finally` within it, also when it
 * is ended before anybody began to read it.
 */
export function onClose<T>(sequence: AsyncGenerator<T, void, undefined>, release: () => void): AsyncGenerator<T, void, undefined> {

    let isOver = false;
    const over = (): void => {

        if (!isOver) {
            isOver = true;
            release();
        }
    };

    const watched = async (result: Promise<IteratorResult<T, void>>): Promise<IteratorResult<T, void>> => {

        try {
            const next = await result;
            if (next.done) {
                over();
            }

            return next;
        }
        catch (error) {
            over();
            throw error;
        }
    };

    return {
        next: () => watched(sequence.next()),
        return: () => watched(sequence.return()),
        throw: (error: unknown) => watched(sequence.throw(error)),
        [Symbol.asyncIterator]() {

            return this;
        }
    };
}
