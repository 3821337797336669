/**
 * Pins: blobs that this process is reading or has staged, and that must not be swept.
 */

/** Reference counts of blobs. */
export class BlobPins {

    readonly #readers = new Map<number, number>();
    /** Staged blobs, with the time of pinning in epoch ms. */
    readonly #staged = new Map<number, number>();

    /** Pins a blob for a reader; returns the function that unpins it. */
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

    /** Pins a blob that is being staged, until it was linked. */
    hold(blobId: number, now: number): void {

        this.#staged.set(blobId, now);
    }

    release(blobId: number): void {

        this.#staged.delete(blobId);
    }

    /** Returns the blobs pinned at `since` or later. Older pins are removed, because their upload was abandoned. */
    pinnedSince(since: number): number[] {

        for (const [blobId, pinnedSince] of this.#staged) {
            if (pinnedSince < since) {
                this.#staged.delete(blobId);
            }
        }

        return [...this.#staged.keys()];
    }

    isRead(blobId: number): boolean {

        return this.#readers.has(blobId);
    }

    /** True from staging until some time after the blob was linked. */
    isPinned(blobId: number): boolean {

        return this.#staged.has(blobId);
    }
}
