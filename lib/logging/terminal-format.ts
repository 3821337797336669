/**
 * Lines of the log for people, on a terminal: time, level, message and fields in one line, the stack of an error below it. Text of clients
 * cannot control the terminal. A library for this would bring a dozen packages into every installation.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Select Graphic Rendition codes by level. */
const COLOURS: Readonly<Record<string, string>> = { trace: '90', debug: '90', info: '32', warn: '33', error: '31', fatal: '31;1' };
const DIM = '2';

/** Control and format characters, line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Values that need no quotes. */
const PLAIN = /^[^\s"=\p{Cc}]+$/u;

const LEVEL_WIDTH = 5;

/** Shown elsewhere in the line. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'event', 'msg', 'err', 'error']);

/** Fields that are the message of a request. */
const REQUEST_FIELDS = ['method', 'url', 'status'] as const;

/**
 * Formats a line of the log.
 *
 * @param line JSON, with or without a line feed at its end
 * @param isColoured true for a terminal with colours
 */
export function formatForTerminal(line: string, isColoured: boolean): string {

    const paint = (code: string | undefined, text: string): string => (isColoured && code !== undefined ? `\x1b[${code}m${text}\x1b[0m` : text);
    const fields = JSON.parse(line) as Fields;
    const { level, time, event, msg, err, error } = fields;
    const isRequest = REQUEST_FIELDS.every((name) => fields[name] !== undefined);
    const shown: readonly string[] = isRequest ? REQUEST_FIELDS : [];
    const message = isRequest ? shown.map((name) => textOf(fields[name])).join(' ') : textOf(msg);
    const more = Object.entries(fields).filter(([name]) => !OWN_FIELDS.has(name) && !shown.includes(name))
        .map(([name, value]) => `${printable(name)}=${valueText(value)}`);
    const head = `${localTime(time)} ${paint(COLOURS[String(level)], String(level).toUpperCase().padEnd(LEVEL_WIDTH))} ${printable(message)}`;
    return `${head}  ${paint(DIM, [printable(textOf(event)), ...more].join(' '))}${errorLines(err ?? error).join('')}\n`;
}

/** Message and stack of an error and its causes, each line with the line feed before it. */
function errorLines(error: unknown): string[] {

    if (typeof error !== 'object' || error === null) {
        return [];
    }

    const { type, message, stack, cause } = error as Fields;
    const lines = textOf(stack ?? `${textOf(type)}: ${textOf(message)}`).split('\n').map((each) => `\n    ${printable(each)}`);
    return [...lines, ...errorLines(cause).map((each, index) => (index === 0 ? `\n    caused by ${each.trim()}` : each))];
}

function textOf(value: unknown): string {

    return typeof value === 'string' ? value : JSON.stringify(value) ?? '';
}

function valueText(value: unknown): string {

    return typeof value === 'string' && PLAIN.test(value) ? printable(value) : printable(JSON.stringify(value));
}

function printable(text: string): string {

    return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Time of day of an RFC 3339 time, in the zone of the terminal. */
function localTime(time: unknown): string {

    return new Date(textOf(time)).toTimeString().slice(0, 8);
}
