/**
 * Which blobs this process is reading or has staged, so that nobody sweeps them away from under it.
 */

/** Counts the uses of blobs. */
export class BlobPins {

    readonly #readers = new Map<number, number>();
    /** Staged blobs, with the time (epoch ms) since when they are held. */
    readonly #staged = new Map<number, number>();

    /** Notes a reader; returns the function that ends it. */
    read(blobId: number): () => void {

        this.#readers.set(blobId, (this.#readers.get(blobId) ?? 0) + 1);
        return () => {

            const left = (this.#readers.get(blobId) ?? 1) - 1;
            if (left === 0) {
                this.#readers.delete(blobId);
            }
            else {
                this.#readers.set(blobId, left);
            }
        };
    }

    /** Notes a blob that is being staged or waits to be linked. */
    hold(blobId: number, now: number): void {

        this.#staged.set(blobId, now);
    }

    release(blobId: number): void {

        this.#staged.delete(blobId);
    }

    /** Blobs held since `since` or later; older ones are forgotten, whoever staged them has not come back. */
    heldSince(since: number): number[] {

        for (const [blobId, heldSince] of this.#staged) {
            if (heldSince < since) {
                this.#staged.delete(blobId);
            }
        }

        return [...this.#staged.keys()];
    }

    isRead(blobId: number): boolean {

        return this.#readers.has(blobId);
    }

    /** True from staging on, until some time after it was linked. */
    isHeld(blobId: number): boolean {

        return this.#staged.has(blobId);
    }
}
