/**
 * `context.directIo`: input and output of a method that need not be JSON.
 */

import type { Bridge } from './bridge.js';
import { parse, stringify } from './primordials.js';
import { CordraError } from './error-description.js';

/** Properties of the input. */
export interface DirectIoFacts {
    readonly filename: string | null;
    readonly mediaType: string | null;
}

/** Properties of the output, as set by the script. */
export interface DirectOutput {
    filename?: string;
    mediaType?: string;
}

/**
 * Returns `directIo` for one call, and a function for the properties of its output; null if nothing was written or set.
 *
 * @param isOver true when the run of the call has ended: code may keep `directIo`, but not for the input and output of the next call
 */
export function directIo(bridge: Bridge, facts: DirectIoFacts, isOver: () => boolean): { readonly io: object; readonly output: () => DirectOutput | null } {

    const output: DirectOutput = {};
    let isUsed = false;
    const check = (): void => {

        if (isOver()) {
            throw new TypeError('the call of this directIo is over');
        }
    };

    const use = (): DirectOutput => {

        check();
        isUsed = true;
        return output;
    };

    const inputText = (): string => {

        check();
        return (parse(bridge.compute('inputText', '[]')) as { value: string }).value;
    };

    const writeText = (text: unknown): void => {

        use();
        bridge.outputText(stringify(String(text)));
    };

    const write = (bytes: unknown): void => {

        const buffer = bytesOf(bytes);
        if (buffer.byteLength === 0) {
            // An empty output counts too: it replaces the default.
            writeText('');
            return;
        }

        use();
        bridge.output(buffer);
    };

    const io = {
        getInputAsUint8Array: () => {

            check();
            return new Uint8Array(bridge.input());
        },
        getInputAsString: inputText,
        getInputAsJson: () => {

            const text = inputText();
            return text === '' ? undefined : asJson(text);
        },
        getInputFilename: () => facts.filename ?? undefined,
        getInputMediaType: () => facts.mediaType ?? undefined,
        writeOutputUint8Array: write,
        writeOutputBytes: write,
        writeOutputString: writeText,
        writeOutputJson: (value: unknown) => {

            use().mediaType ??= 'application/json';
            writeText((stringify(value)) ?? 'null');
        },
        setOutputFilename: (name: unknown) => void (use().filename = String(name)),
        setOutputMediaType: (mediaType: unknown) => void (use().mediaType = String(mediaType)),
        getOutputFilename: () => output.filename,
        getOutputMediaType: () => output.mediaType
    };
    return { io, output: () => (isUsed ? output : null) };
}

function asJson(text: string): unknown {

    try {
        return parse(text) as unknown;
    }
    catch {
        throw new CordraError('the input is not JSON', 400);
    }
}

function bytesOf(value: unknown): ArrayBuffer {

    if (value instanceof ArrayBuffer) {
        return value;
    }

    if (ArrayBuffer.isView(value)) {
        return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength).slice().buffer;
    }

    if (Array.isArray(value)) {
        return new Uint8Array(value as number[]).buffer;
    }

    throw new TypeError('bytes must be a Uint8Array');
}
