/**
 * Work on many things at a time whose results are wanted in the order of the things.
 */

/**
 * The results of work on some items, in their order. At most `width` items are worked on at a time, and no more are read ahead. A failure
 * ends the sequence when its turn comes, after all work that was begun has ended.
 */
export async function *inOrder<T, R>(items: AsyncIterable<T>, width: number, work: (item: T) => Promise<R>): AsyncGenerator<R> {

    const running: Promise<R>[] = [];
    try {
        for await (const item of items) {
            const result = work(item);
            // Whether it failed is asked when its turn comes.
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
