/**
 * The log: one line of JSON per event, with fields instead of sentences. It goes to standard error, so that standard output
 * stays readable for people and programs.
 */

import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { LogConfig } from '../config/index.js';
import { AsyncLogDestination } from './destination.js';

/** A log with the place it writes to. */
export interface Log {
    readonly logger: Logger;
    /** Until what is still in memory was written, for a second at most; before something else is printed, and before the process ends. */
    flush(): Promise<void>;
}

/** Fields that never show their value, at the top of an event or one level down. */
const SECRET_FIELDS = ['authentication', 'authorization', 'cookie', 'password', 'token', 'access_token', 'assertion', 'secret', 'databaseUrl'];
/** Causes are followed so far. */
const MAX_CAUSES = 5;

/**
 * Opens the log.
 *
 * @param stream where lines go; standard error when absent
 */
export function openLog({ level }: LogConfig, stream?: DestinationStream): Log {

    if (stream) {
        return { logger: makeLogger(level, stream), flush: () => Promise.resolve() };
    }

    const output = standardError();
    const logger = makeLogger(level, output);
    output.onDropped = (count) => logger.error({ count }, 'lines of the log were dropped: they were not read, or could not be written');
    return { logger, flush: () => output.drain() };
}

let errorOutput: AsyncLogDestination | null = null;

/** There is one for the process, whoever opens logs. */
function standardError(): AsyncLogDestination {

    if (!errorOutput) {
        // Node sees to it, when this stream is made, that a write to a pipe or socket that is full does not block.
        const { fd } = process.stderr;
        const output = new AsyncLogDestination(fd);
        process.on('exit', () => output.flushSync());
        errorOutput = output;
    }

    return errorOutput;
}

function makeLogger(level: string, stream: DestinationStream): Logger {

    return pino({
        level,
        base: null,
        timestamp: () => `,"time":"${new Date().toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
        redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[secret]' },
        serializers: { err: describeError, error: describeError }
    }, stream);
}

/**
 * An error as fields. Only members that are known to be harmless: errors of drivers and parsers carry statements, values and
 * whole requests with them.
 */
export function describeError(error: unknown, depth = 0): object {

    if (!(error instanceof Error)) {
        return { type: typeof error, message: typeof error === 'string' ? error : 'not an Error' };
    }

    const { name, message, stack, cause } = error;
    const { code, status } = error as { code?: unknown; status?: unknown };
    return {
        type: name,
        message,
        ...(isPlain(code) ? { code } : {}),
        ...(isPlain(status) ? { status } : {}),
        stack,
        ...(cause === undefined || depth === MAX_CAUSES ? {} : { cause: describeError(cause, depth + 1) })
    };
}

function isPlain(value: unknown): value is string | number {

    return typeof value === 'string' || typeof value === 'number';
}
