/** Saves bytes as a file of the user. */

/** Time for which the browser may read the bytes, in milliseconds. */
const KEPT_MS = 60_000;

export function saveBlob(blob: Blob, name: string): void {

    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
