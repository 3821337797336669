/** Saves what the page has made, as if it were a download. */

/** Time after which the browser has surely read it, in milliseconds. */
const REVOKE_MS = 60_000;

/** Offers bytes as a file. */
export function download(blob: Blob, name: string): void {

    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
}
