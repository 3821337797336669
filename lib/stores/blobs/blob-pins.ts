/**
 * Pins: blobs that this process is reading or has staged, and that must not be swept.
 */

/** Reference counts of blobs. */
export class BlobPins {

    readonly #readers = new Map<number, number>();
    readonly #staged = new Set<number>();

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

    /** Pins a blob that is being staged, until it was linked, discarded or abandoned. */
    hold(blobId: number): void {

        this.#staged.add(blobId);
    }

    release(blobId: number): void {

        this.#staged.delete(blobId);
    }

    /** The staged blobs that are pinned. */
    get staged(): readonly number[] {

        return [...this.#staged];
    }

    isRead(blobId: number): boolean {

        return this.#readers.has(blobId);
    }

    /** True from staging until some time after the blob was linked. */
    isPinned(blobId: number): boolean {

        return this.#staged.has(blobId);
    }
}
