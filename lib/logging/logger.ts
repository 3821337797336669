/**
 * The log: one line of JSON per event, with fields instead of sentences; on a terminal, lines for people. It is written to standard error,
 * which leaves standard output for results.
 */

import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { Config } from '../config/index.js';
import { AsyncLogDestination } from './destination.js';
import { formatForTerminal } from './terminal-format.js';

/** A logger with its destination. */
export interface Log {
    readonly logger: Logger;
    /** Writes buffered lines, for at most a second; to be called before other output, and before the process ends. */
    flush(): Promise<void>;
}

/** Redacted fields, at the top level of an event and one level down. */
const SECRET_FIELDS = ['authentication', 'authorization', 'cookie', 'password', 'token', 'access_token', 'assertion', 'secret', 'databaseUrl'];
/** Maximum depth of the chain of causes. */
const MAX_CAUSES = 5;

/** Settings of the log. */
export interface LogOptions extends Pick<Config['log'], 'level'> {
    /** True if several processes write to the same standard error. */
    readonly isShared?: boolean;
}

/**
 * Opens the log.
 *
 * @param stream destination of lines; standard error by default
 */
export function openLog({ level, isShared = false }: LogOptions, stream?: DestinationStream): Log {

    if (stream) {
        return { logger: makeLogger(level, stream), flush: () => Promise.resolve() };
    }

    const output = standardError();
    output.isShared = isShared;
    const logger = makeLogger(level, process.stderr.isTTY ? linesForPeople(output) : output);
    output.onDropped = (count) => logger.error({ event: 'log.dropped', count }, 'log lines dropped');
    return { logger, flush: () => output.drain() };
}

let errorOutput: AsyncLogDestination | null = null;

/** The one destination of the process for standard error. */
function standardError(): AsyncLogDestination {

    if (!errorOutput) {
        // On access, node makes this stream non-blocking for pipes and sockets.
        const { fd } = process.stderr;
        const output = new AsyncLogDestination(fd);
        process.on('exit', () => output.flushSync());
        errorOutput = output;
    }

    return errorOutput;
}

/** Destination of JSON for a terminal. */
function linesForPeople(output: DestinationStream): DestinationStream {

    const isColoured = process.stderr.hasColors();
    return { write: (line) => output.write(formatForTerminal(line, isColoured)) };
}

function makeLogger(level: string, stream: DestinationStream): Logger {

    return pino({
        level,
        base: null,
        timestamp: timestamps(),
        formatters: { level: (label) => ({ level: label }) },
        redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[secret]' },
        serializers: { err: describeError, error: describeError }
    }, stream);
}

/** Returns the member with the time of a line; its text is made once for all lines of a millisecond. */
function timestamps(): () => string {

    let last = 0;
    let text = '';
    return () => {

        const now = Date.now();
        if (now !== last) {
            last = now;
            text = `,"time":"${new Date(now).toISOString()}"`;
        }

        return text;
    };
}

/** Serializes an error. Only harmless members are logged, since errors of drivers and parsers contain statements, values and whole requests. */
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
