/**
 * How texts get into and out of the memory of the engine. What comes with the engine goes through them character by character
 * in JavaScript; Node.js does the same natively, in a fraction of the time.
 */

/** The memory that the engine lives in. Another buffer takes the place of `buffer` when it grows. */
export interface EngineMemory {
    readonly buffer: ArrayBuffer;
}

/** What the engine calls for texts. Addresses and sizes in bytes; texts end with a zero byte. */
export interface TextFunctions {
    lengthBytesUTF8(text: string): number;
    stringToUTF8(text: string, address: number, size: number): void;
    UTF8ToString(address: number): string;
}

/** Native functions for texts in a memory. */
export function nativeTexts(memory: EngineMemory): TextFunctions {

    let bytes = Buffer.from(memory.buffer);
    const current = (): Buffer => {

        if (bytes.buffer !== memory.buffer) {
            bytes = Buffer.from(memory.buffer);
        }

        return bytes;
    };

    return {
        lengthBytesUTF8: (text) => Buffer.byteLength(text),
        stringToUTF8(text, address, size) {

            const buffer = current();
            buffer[address + buffer.write(text, address, size - 1)] = 0;
        },
        UTF8ToString(address) {

            const buffer = current();
            return address === 0 ? '' : buffer.toString('utf8', address, buffer.indexOf(0, address));
        }
    };
}
