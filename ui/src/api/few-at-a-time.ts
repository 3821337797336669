/** Many requests of which only some are under way at a time, so that a long list does not exhaust the service or the browser. */

/** Requests at a time. */
const PARALLEL = 4;

/** Does some work for each item, a few at a time; returns the results in the order of the items. @throws what the work throws, after which no other item is begun */
export async function fewAtATime<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {

    const results: R[] = [];
    let next = 0;
    const run = async (): Promise<void> => {

        while (next < items.length) {
            const at = next++;
            try {
                results[at] = await work(items[at] as T);
            }
            catch (error) {
                next = items.length;
                throw error;
            }
        }
    };

    await Promise.all(Array.from({ length: PARALLEL }, run));
    return results;
}
