/**
 * The log: one line of JSON per event, with fields instead of sentences. It goes to standard error, so that standard output
 * stays readable for people and programs.
 */

import type { DestinationStream, Logger } from 'pino';
import { destination as openDestination, pino } from 'pino';
import type { LogConfig } from './config.js';

/** A log with the place it writes to. */
export interface Log {
    readonly logger: Logger;
    /** Writes at once what is still in memory; before something else is printed, and before the process ends. */
    flush(): void;
}

/** Fields that never show their value, at the top of an event or one level down. */
const SECRET_FIELDS = ['authentication', 'authorization', 'cookie', 'password', 'token', 'access_token', 'assertion', 'secret', 'databaseUrl'];
const STANDARD_ERROR = 2;
/** Causes are followed so far. */
const MAX_CAUSES = 5;

/**
 * Opens the log.
 *
 * @param stream where lines go; standard error when absent
 */
export function openLog({ level }: LogConfig, stream?: DestinationStream): Log {

    if (stream) {
        return { logger: makeLogger(level, stream), flush() {} };
    }

    // Asynchronous: a slow reader of the log must not hold up requests.
    const buffered = openDestination({ dest: STANDARD_ERROR, sync: false, minLength: 0 });
    return { logger: makeLogger(level, buffered), flush: () => buffered.flushSync() };
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
