#!/usr/bin/env node
/**
 * The command line, for `npm start` and `npx doip-gateway`. Results go to standard output, the log to standard error; the last line printed
 * at start is the URL of the service.
 */

import './node-version.js';
import { demandOptions, readArguments } from './command.js';
import { CommandError, EXIT } from './command-error.js';
import { loadConfig } from '../config/index.js';
import { endWith } from '../start-errors.js';
import { printable } from './terminal/printable.js';

const MAX_PORT = 65_535;

async function main(args: readonly string[]): Promise<void> {

    process.umask(0o077);               // Files that it stores and exports are readable by their owner only
    const { help, version, options, words: [command = 'serve', ...rest] } = readArguments(args);
    if (help || command === 'help') {
        const { helpText } = await import('./help.js');
        console.log(helpText());
        return;
    }

    if (version || command === 'version' && rest.length === 0) {
        const { implementation } = await import('../util/version.js');
        console.log(implementation.version);
        return;
    }

    if (command === 'serve' && rest.length === 0) {
        demandOptions('serve', options, ['port']);
        if (options.port !== undefined && !(/^\d{1,5}$/.test(options.port) && Number(options.port) <= MAX_PORT)) {
            throw new CommandError(`--port must be a number from 0 to ${MAX_PORT}, not ${options.port}`, EXIT.usage);
        }

        const { run } = await import('../run.js');
        await run(options.port === undefined ? {} : { config: loadConfig({ ...process.env, PORT: options.port }) });
        return;
    }

    const { isCommand, nearestCommand, runCommand, splitCommand } = await import('./commands.js');
    const { name, args: operands } = splitCommand([command, ...rest]);
    if (!isCommand(name)) {
        const nearest = nearestCommand(name, operands);
        const hint = nearest === null ? 'see doip-gateway help' : `did you mean ${nearest}?`;
        throw new CommandError(`unknown command ${[command, ...rest].join(' ')}; ${hint}`, EXIT.usage);
    }

    process.stderr.on('error', () => {
        // Nobody reads the messages any more: what was asked for is done all the same.
    });
    await runCommand(name, operands, options, loadConfig);
    const { flushOutput } = await import('./output.js');
    await flushOutput();
    process.exit(0);
}

function fail(error: unknown): never {

    if (error instanceof CommandError) {
        process.stderr.write(`doip-gateway: ${printable(error.message.split('\n').map((line) => line.trim()).filter(Boolean).join(' '))}\n`);
        process.exit(error.code);
    }

    return endWith(error);
}

/** Performs the command that the arguments of the process name, and ends the process unless it serves. */
export function runCommandLine(): void {

    main(process.argv.slice(2)).catch(fail);
}

if (require.main === module) {
    runCommandLine();
}
