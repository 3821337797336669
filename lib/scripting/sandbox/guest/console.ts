/**
 * `console` and `print` for scripts: writes to the log of the service.
 */

import type { Bridge } from './bridge.js';
import { stringify } from './primordials.js';
import { safely, shortened } from './error-description.js';

const LINE_LENGTH = 4000;

/** Defines `console` and `print` as globals. `about` returns the id of the object that the script works on. */
export function installConsole(bridge: Bridge, about: () => string): void {

    const info = (...values: readonly unknown[]): void => bridge.log('info', line(values), about());
    const warn = (...values: readonly unknown[]): void => bridge.log('warn', line(values), about());
    const error = (...values: readonly unknown[]): void => bridge.log('error', line(values), about());
    const console = { log: info, info, debug: info, trace: info, dir: info, warn, error };
    Object.defineProperty(globalThis, 'console', { value: console, writable: true, configurable: true, enumerable: false });
    Object.defineProperty(globalThis, 'print', { value: info, writable: true, configurable: true, enumerable: false });
}

function line(values: readonly unknown[]): string {

    let text = '';
    for (let i = 0; i < values.length && text.length < LINE_LENGTH; ++i) {
        text += (i === 0 ? '' : ' ') + formatted(values[i]);
    }

    return shortened(text, LINE_LENGTH);
}

function formatted(value: unknown): string {

    if (typeof value === 'object' && value !== null) {
        const text = value instanceof Error ? safely(() => `${String(value)}\n${String(value.stack)}`) : safely(() => stringify(value));
        return typeof text === 'string' ? text : '[object]';
    }

    return safely(() => String(value)) ?? '';
}
