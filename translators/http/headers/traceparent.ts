/** The header `traceparent` (W3C Trace Context), by which systems in front of the service name the trace to which a request belongs. */

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-|$)/;
const ZEROS = /^0+$/;

/** Longest value that is read. Later versions of the header may be longer than the 55 characters of the first. */
const MAX_LENGTH = 512;

/** Returns the id of the trace; undefined without a valid header, which is ignored as the standard demands. */
export function traceIdOf(value: unknown): string | undefined {

    if (typeof value !== 'string' || value.length > MAX_LENGTH) {
        return undefined;
    }

    const [, traceId = '', parentId = '', rest] = TRACEPARENT.exec(value) ?? [];
    const isValid = traceId !== '' && !ZEROS.test(traceId) && !ZEROS.test(parentId) && !(rest === '-' && value.startsWith('00'));
    return isValid ? traceId : undefined;
}
