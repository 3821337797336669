/** A sequence whose first step was taken already. */

/** Yields the result of the first step, and what follows. Ending it early ends the rest. */
export async function *startingWith<T>(first: IteratorResult<T, unknown>, rest: AsyncIterator<T, unknown>): AsyncGenerator<T, void, undefined> {

    try {
        for (let next = first; next.done !== true; next = await rest.next()) {
            yield next.value;
        }
    }
    finally {
        await rest.return?.();
    }
}
