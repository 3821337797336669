/** What a command is: operands and options, and the work to do on a service. */

import { parseArgs } from 'node:util';
import { nearestName } from '../util/text/nearest-name.js';
import { CommandError, EXIT } from './command-error.js';
import type { Service } from './service.js';

/** Options of the command line, by name; each command has some of them. */
export const OPTIONS = {
    force: { type: 'boolean' },
    url: { type: 'string' },
    user: { type: 'string' },
    attributes: { type: 'string', short: 'a', multiple: true },
    input: { type: 'string' },
    json: { type: 'string' },
    element: { type: 'string', multiple: true },
    output: { type: 'string' },
    cert: { type: 'string' },
    'cert-key': { type: 'string' },
    'service-key': { type: 'string' },
    insecure: { type: 'boolean' },
    to: { type: 'string' },
    object: { type: 'string' },
    outcome: { type: 'string' },
    expect: { type: 'string' },
    for: { type: 'string' },
    operation: { type: 'string', multiple: true },
    type: { type: 'string', multiple: true },
    'read-only': { type: 'boolean' },
    days: { type: 'string' },
    all: { type: 'boolean' },
    port: { type: 'string' },
    ids: { type: 'boolean' },
    sort: { type: 'string' },
    limit: { type: 'string' },
    id: { type: 'string' },
    map: { type: 'string', multiple: true },
    format: { type: 'string' },
    delimiter: { type: 'string' },
    encoding: { type: 'string' },
    from: { type: 'string' },
    rejected: { type: 'string' },
    'dry-run': { type: 'boolean' },
    replace: { type: 'boolean' }
} as const;

/** Name of an option. */
export type OptionName = keyof typeof OPTIONS;

/** Values of the options that were given. */
export type CommandOptions = {
    readonly [Name in OptionName]?: typeof OPTIONS[Name] extends { type: 'boolean' } ? boolean :
        typeof OPTIONS[Name] extends { multiple: true } ? readonly string[] : string;
};

/** What a command does with its service. */
export type Work = (service: Service) => Promise<void>;

/** A command: reads and checks its arguments in `prepare`, which returns the work to do. */
export interface Command {
    /** Names of the positional arguments; those in brackets may be left out. */
    readonly operands: readonly string[];
    readonly options?: readonly OptionName[];
    prepare(args: readonly string[], options: CommandOptions): Promise<Work> | Work;
    /** True for a command that stores objects, and begins a repository where there is none. */
    readonly mayBegin?: boolean;
    /** Connects to the service at `url`, where it is given instead of that of the data folder. */
    readonly serviceAt?: (url: string, options: CommandOptions) => Promise<Service>;
}

/** The arguments of the program. */
export interface Arguments {
    readonly help: boolean;
    readonly version: boolean;
    readonly options: CommandOptions;
    /** The command and its operands. */
    readonly words: readonly string[];
}

const ALL_OPTIONS = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' }, ...OPTIONS } as const;

/** Reads the arguments. @throws CommandError for options that no command has, and for those with a value too many or too few */
export function readArguments(args: readonly string[]): Arguments {

    try {
        const { values: { help = false, version = false, ...options }, positionals } = parseArgs({
            args: [...args], allowPositionals: true, options: ALL_OPTIONS
        });
        return { help, version, options, words: positionals };
    }
    catch (error) {
        throw new CommandError(wrongOption(args) ?? `${(error as Error).message}; ${SEE_HELP}`, EXIT.usage);
    }
}

const SEE_HELP = 'see doip-gateway help';

/** An option as it was given; see `parseArgs`. */
interface OptionToken {
    readonly name: string;
    readonly rawName: string;
    readonly value?: string | undefined;
    readonly inlineValue?: boolean | undefined;
}

/** What is wrong with the first wrong option; undefined if none is. */
function wrongOption(args: readonly string[]): string | undefined {

    const { tokens } = parseArgs({ args: [...args], allowPositionals: true, strict: false, tokens: true, options: ALL_OPTIONS });
    for (const token of tokens) {
        const message = token.kind === 'option' ? optionError(token, args[token.index] ?? '') : undefined;
        if (message !== undefined) {
            return message;
        }
    }

    return undefined;
}

/** What is wrong with an option of the command line; `written` is its argument. */
function optionError({ name, rawName, value, inlineValue }: OptionToken, written: string): string | undefined {

    const type = Object.hasOwn(ALL_OPTIONS, name) ? ALL_OPTIONS[name as keyof typeof ALL_OPTIONS].type : null;
    if (type === null) {
        // With one dash, as of another program, it is a group of short options.
        const [whole = ''] = written.replace(/^-+/, '').split('=', 1);
        const nearest = whole.length > 1 ? nearestName(whole, Object.keys(ALL_OPTIONS)) : null;
        return `${whole.length > 1 ? written.split('=', 1)[0] : rawName} is no option; ${nearest === null ? SEE_HELP : `did you mean --${nearest}?`}`;
    }

    if (type === 'boolean') {
        return value === undefined ? undefined : `${rawName} takes no value`;
    }

    if (value === undefined) {
        return `${rawName} needs a value`;
    }

    return inlineValue !== true && /^-./.test(value) ? `${rawName} needs a value; one that begins with a dash is written as --${name}=${value}` : undefined;
}

/** Options of every command that works on a service at a URL. */
export const URL_OPTIONS = ['url', 'user', 'cert', 'cert-key', 'service-key', 'insecure'] as const;

/** Reads the value of an option that is a number from 1 (`min`). @throws CommandError */
export function numberOption(name: OptionName, text: string | undefined, min = 1): number | undefined {

    if (text !== undefined && (!/^\d{1,15}$/.test(text) || Number(text) < min)) {
        throw new CommandError(`--${name} must be a number from ${min}, not ${text}`, EXIT.usage);
    }

    return text === undefined ? undefined : Number(text);
}

/** The only value of `--type`, where there must not be several. @throws CommandError */
export function typeOption({ type = [] }: CommandOptions): string | undefined {

    if (type.length > 1) {
        throw new CommandError('--type must be given once', EXIT.usage);
    }

    return type[0];
}

const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[];

/** Throws a CommandError for an option that the command does not have. */
export function demandOptions(command: string, options: CommandOptions, known: readonly OptionName[]): void {

    const unknown = OPTION_NAMES.find((option) => options[option] !== undefined && !known.includes(option));
    if (unknown) {
        throw new CommandError(`${command} has no option --${unknown}; see doip-gateway --help`, EXIT.usage);
    }
}
