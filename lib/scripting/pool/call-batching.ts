/**
 * Serialises calls for the sandbox in batches, sized so that request and results fit one message each.
 */

import type { RunMessage, RunRequest } from '../protocol/messages.js';
import type { CallItem } from '../protocol/script-call.js';
import type { ScriptFailure } from '../protocol/script-error.js';

/** JSON text of a {@link RunRequest}. */
export interface RequestText {
    readonly text: string;
    /** See {@link RunMessage}. */
    readonly original: RunMessage['original'];
    /** Number of items in it. */
    readonly count: number;
}

/** A request uses at most this fraction of the maximum message, since results may be larger. */
const PORTIONS = 4;

/** Maximum length of a request with several items: it is written in one turn of the event loop. */
const MAX_BATCH_LENGTH = 1024 * 1024;

/** Yields requests for all items, in order. */
export function* requestTexts(facts: Omit<RunRequest, 'items'>, items: readonly CallItem[], maxMessageBytes: number): Generator<RequestText> {

    const prefix = JSON.stringify(facts).slice(0, -1);
    const request = (texts: readonly string[], original: string | null = null): RequestText => (
        { text: `${prefix},"items":[${texts.join(',')}]}`, original, count: texts.length }
    );
    const [only] = items;
    if (only && items.length === 1) {
        const { text, original } = aside(only);
        yield request([text], original);
        return;
    }

    const maxLength = Math.min(maxMessageBytes / PORTIONS, MAX_BATCH_LENGTH);
    let texts: string[] = [];
    let length = 0;
    for (const { args, context } of items) {
        const text = JSON.stringify([...args, context]);
        if (texts.length > 0 && length + text.length > maxLength) {
            yield request(texts);
            texts = [];
            length = 0;
        }

        texts.push(text);
        length += text.length;
    }

    if (texts.length > 0) {
        yield request(texts);
    }
}

/**
 * Divides the items of a run that failed. After the time limit each is run by itself, as further runs of several could take as long again; else
 * the run is halved.
 */
export function portions(items: readonly CallItem[], failure: ScriptFailure): (readonly CallItem[])[] {

    const size = failure.kind === 'limit' && failure.limit === 'time' ? 1 : Math.ceil(items.length / 2);
    return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** Returns the original object as a text of its own: it is as large as the rest, and few scripts read it. */
function aside({ args, context }: CallItem): { readonly text: string; readonly original: string | null } {

    const { originalObject } = context;
    return originalObject === undefined ?
        { text: JSON.stringify([...args, context]), original: null } :
        { text: JSON.stringify([...args, { ...context, originalObject: null }]), original: JSON.stringify(originalObject) };
}
