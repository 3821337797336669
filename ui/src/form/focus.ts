/** Moves the focus to elements that are about to be rendered. */

/** Frames in which an element must appear. */
const MAX_FRAMES = 30;

/** Focuses an element as soon as there is one. */
export function focusSoon(find: () => HTMLElement | null | undefined, frames = MAX_FRAMES): void {

    requestAnimationFrame(() => {

        const element = find();
        if (element) {
            element.focus();
        }
        else if (frames > 0) {
            focusSoon(find, frames - 1);
        }
    });
}
