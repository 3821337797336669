/** What the user waits for when the page is opened. Work that can wait is done after it is painted: the types of a service may be megabytes. */

/** Longest time that other work waits, in milliseconds. */
const MAX_MS = 500;

let resolve = (): void => undefined;

const painted = new Promise<void>((done) => {

    resolve = done;
});

/** Says that the first screen has what it shows, and renders it now. */
export function contentArrived(): void {

    requestAnimationFrame(() => setTimeout(resolve));
}

/** Waits until the content of the first screen is painted, but not long. */
export async function firstContent(): Promise<void> {

    await Promise.race([painted, new Promise((done) => setTimeout(done, MAX_MS))]);
}
