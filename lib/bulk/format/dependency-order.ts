/** Concurrent map over a sequence that keeps its order. */

/**
 * Yields the results of `work` in the order of the items. At most `width` items are in progress, and no more are read ahead. A failure is
 * thrown in its turn, after all work in progress has ended.
 */
export async function *inOrder<T, R>(items: AsyncIterable<T>, width: number, work: (item: T) => Promise<R>): AsyncGenerator<R> {

    const running: Promise<R>[] = [];
    try {
        for await (const item of items) {
            const result = work(item);
            // A failure is thrown when its turn comes.
            result.catch(() => {});
            running.push(result);
            if (running.length === width) {
                yield await (running.shift() as Promise<R>);
            }
        }

        while (running.length > 0) {
            yield await (running.shift() as Promise<R>);
        }
    }
    finally {
        await Promise.allSettled(running);
    }
}
