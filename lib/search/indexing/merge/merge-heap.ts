/**
 * Binary heap for a k-way merge of sorted sources.
 */

export class MergeHeap<S extends { readonly isDone: boolean }> {

    readonly #heap: { readonly source: S; readonly order: number }[] = [];
    readonly #compare: (a: S, b: S) => number;
    readonly #orders: Map<S, number>;

    /**
     * @param sources in the order in which equal ones are returned
     */
    constructor(sources: readonly S[], compare: (a: S, b: S) => number) {

        this.#compare = compare;
        this.#orders = new Map(sources.map((source, order) => [source, order]));
        sources.filter((source) => !source.isDone).forEach((source) => this.add(source));
    }

    /** Puts a source back after it has advanced. */
    add(source: S): void {

        const item = { source, order: this.#orders.get(source) ?? 0 };
        const heap = this.#heap;
        let hole = heap.length;
        heap.push(item);
        while (hole > 0) {
            const parent = (hole - 1) >> 1;
            const above = heap[parent] as typeof item;
            if (this.#isBefore(above, item)) {
                break;
            }

            heap[hole] = above;
            hole = parent;
        }

        heap[hole] = item;
    }

    /** Removes and returns all sources at the least item; none when all sources are done. */
    takeEqual(): S[] {

        const first = this.#pop();
        if (!first) {
            return [];
        }

        const same = [first];
        while (this.#heap[0] && this.#compare(this.#heap[0].source, first) === 0) {
            same.push(this.#pop() as S);
        }

        return same;
    }

    #pop(): S | undefined {

        const heap = this.#heap;
        const top = heap[0];
        const last = heap.pop();
        if (!top || !last || heap.length === 0) {
            return top?.source;
        }

        let hole = 0;
        for (;;) {
            let child = hole * 2 + 1;
            if (child >= heap.length) {
                break;
            }

            const [left, right] = [heap[child] as typeof top, heap[child + 1]];
            if (right && this.#isBefore(right, left)) {
                ++child;
            }

            const least = heap[child] as typeof top;
            if (this.#isBefore(last, least)) {
                break;
            }

            heap[hole] = least;
            hole = child;
        }

        heap[hole] = last;
        return top.source;
    }

    #isBefore(a: { source: S; order: number }, b: { source: S; order: number }): boolean {

        const difference = this.#compare(a.source, b.source);
        return difference < 0 || difference === 0 && a.order < b.order;
    }
}
