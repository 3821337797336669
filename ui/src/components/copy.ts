/** Copies texts to the clipboard. */

/** Copies a text; false where the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {

    try {
        await navigator.clipboard.writeText(text);
        return true;
    }
    catch {
        return copySelection(text);
    }
}

/** Without HTTPS there is no clipboard, but a selection can be copied. */
function copySelection(text: string): boolean {

    const area = document.createElement('textarea');
    area.value = text;
    area.readOnly = true;
    area.className = 'visually-hidden';
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    try {
        return document.execCommand('copy');
    }
    catch {
        return false;
    }
    finally {
        area.remove();
    }
}
