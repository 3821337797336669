/** Release of a resource that a sequence holds, such as a permit or a search. */

/**
 * Calls `release` once when the sequence ends for any reason. Unlike a `finally` inside a generator, it also runs when the sequence is
 * closed before the first read.
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
