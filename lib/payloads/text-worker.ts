/**
 * Entry point of the thread that extracts texts, which isolates the service from what a file does to its reader.
 */

import { serveCalls } from '../util/workers/worker-server.js';
import { guardMemory } from './memory-guard.js';
import { openReader } from './readers/index.js';
import type { TextCall, TextResult } from './text-messages.js';
import { NoText, TextSink } from './readers/text-reader.js';
import type { TextReader } from './readers/text-reader.js';

const MAX_REASON = 200;

let reader: TextReader | null = null;
let sink = new TextSink(0);
let reason: string | null = null;

serveCalls<TextCall>(async (call) => {

    switch (call.kind) {
        case 'begin':
            guardMemory(call.memory);
            sink = new TextSink(call.limits.characters);
            reason = null;
            reader = openReader(call.format, call.limits, sink);
            return null;
        case 'bytes':
            return await attempt((open) => open.push(call.bytes)) ?? false;
        case 'end':
            return await end();
    }
});

async function end(): Promise<TextResult> {

    await attempt((open) => open.finish());
    reader = null;
    return reason === null ? { text: sink.text(), reason: null } : { text: null, reason };
}

/** Runs a reader; its error is the reason why there is no text. */
async function attempt<T>(work: (reader: TextReader) => T | Promise<T>): Promise<T | null> {

    try {
        return reader && reason === null ? await work(reader) : null;
    }
    catch (error) {
        const { message } = error instanceof Error ? error : new Error(String(error));
        reason = (error instanceof NoText ? message : `cannot be read: ${message}`).slice(0, MAX_REASON);
        return null;
    }
}
