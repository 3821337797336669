/**
 * What extensions throw, which may be anything: values that are no errors, and objects whose members throw when they are read.
 */

/** Maximum length of a value in a message, in characters. */
const MAX_SHOWN = 200;

/** Maximum number of causes that are read. */
const MAX_CAUSES = 10;

/** Returns an error that can be read, logged and compared, whatever was thrown. */
export function readableError(thrown: unknown): Error {

    try {
        if (thrown instanceof Error) {
            // The logger marks errors while it reads them.
            const error = Object.isExtensible(thrown) ? thrown : Object.create(thrown) as Error;
            return isReadable(error) ? error : new Error('what was thrown cannot be logged');
        }

        const shown = typeof thrown === 'object' && thrown !== null ? 'an object' : String(thrown).slice(0, MAX_SHOWN);
        return new Error(`what was thrown is no error: ${shown}`);
    }
    catch {
        return new Error('what was thrown cannot be read');
    }
}

/** Reads what a logger reads. False for a chain of causes that is long, a circle, or frozen. @throws what reading throws */
function isReadable(thrown: Error): boolean {

    let error: unknown = thrown;
    for (let n = 0; n < MAX_CAUSES && error instanceof Error; ++n) {
        const { name, message, stack, cause, constructor } = error;
        if (!Object.isExtensible(error) || [name, message, stack ?? '', constructor.name].some((member) => typeof member !== 'string')) {
            return false;
        }

        // Enumerable members are logged as well.
        Object.values(error);
        error = cause;
    }

    return !(error instanceof Error);
}
