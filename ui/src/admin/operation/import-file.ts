/** Imports of files: in batches of lines, which report progress and can be cancelled between them, or as a whole. */

import type { BatchResults } from '../../../../lib/client/web/index.js';
import { demandOwnSession, ownHeaders, requestJson } from '../../api/client.js';
import { errorOfSent, lostUpload, withLogin } from '../../api/upload.js';
import { config } from '../../config.js';
import { isJsonMap, type Json } from '../../json/exact-number.js';
import { isLost } from '../../components/use-once.js';
import { isAbort } from '../../state/messages.js';
import { operationQuery } from './doip.js';
import { findStored } from './find-stored.js';
import { objectsIn, type Line } from './import-lines.js';

export type ImportMode = 'asBatch' | 'asRestore' | 'asUpload';

/** An object that was refused. */
export interface Refusal {
    /** Line of the file, or position in it, from 1. */
    readonly position: number;
    readonly message: string;
}

/** What became of an import so far. */
export interface ImportState {
    readonly stored: number;
    readonly refusedCount: number;
    readonly refusals: readonly Refusal[];
    /** Bytes of the file that were read or sent. */
    readonly bytes: number;
    readonly counts?: { readonly created: number; readonly updated: number; readonly unchanged: number };
}

export const NOTHING: ImportState = { stored: 0, refusedCount: 0, refusals: [], bytes: 0 };

/** Refusals that are kept. */
export const MAX_REFUSALS = 1000;

const BATCH_LINES = 500;

const BATCH_BYTES = 4_000_000;

/** Ids that are kept of what was stored: more than in the seconds by which clocks are compared. */
const MAX_LATELY = 10_000;

const SNIFFED_BYTES = 64 * 1024;

/** What a file looks like. */
export async function sniff(file: File): Promise<{ readonly isExport: boolean; readonly isLines: boolean }> {

    const [first = '', second = ''] = (await file.slice(0, SNIFFED_BYTES).text()).replace(/^\uFEFF/, '').split('\n');
    const isExport = /^\s*\{\s*"export"\s*:\s*\d/.test(first);
    return { isExport, isLines: isExport || /^\s*\{.*\}\s*$/.test(first) && (second.trim() === '' || /^\s*\{/.test(second)) || /\.(ndjson|jsonl)$/i.test(file.name) };
}

/** How far an import in batches has come. One that was stopped goes on from here. */
export interface ImportProgress {
    state: ImportState;
    /** Position of the last object that the service has answered for. */
    answered: number;
    /** When a batch was sent whose response was lost, in epoch milliseconds by the clock of the browser; null if there is none. */
    lostSince: number | null;
    /** Ids of the objects that were stored last, as answered: equal ones of a lost batch are others. */
    lately: readonly string[];
}

/**
 * Stores the objects of a file, each on its own, from where the progress says. Yields after each batch.
 *
 * @throws RepositoryError when the service stops, JsonSyntaxError for a file that is none, EncodingError for one that is no UTF-8
 */
export async function *importBatches(
    file: File, isLines: boolean, progress: ImportProgress, signal: AbortSignal
): AsyncGenerator<ImportState, void, undefined> {

    let batch: Line[] = [];
    const send = async (bytes: number): Promise<void> => {

        const stored = progress.lostSince === null ? new Set<Line>() : await findStored(batch, { began: progress.lostSince, known: new Set(progress.lately) }, signal);
        const missing = batch.filter((line) => !stored.has(line));
        const began = Date.now();
        try {
            const results = missing.length === 0 ? { results: [], success: true } : await sendBatch(missing.map(({ text }) => text), signal);
            progress.lately = [...progress.lately, ...idsOf(results)].slice(-MAX_LATELY);
            progress.state = add({ ...progress.state, stored: progress.state.stored + stored.size }, results, missing.map(({ position }) => position), bytes);
        }
        catch (error) {
            progress.lostSince ??= isLost(error) || isAbort(error) ? began : null;
            throw error;
        }

        progress.lostSince = null;
        progress.answered = batch.at(-1)?.position ?? progress.answered;
        batch = [];
    };

    for await (const line of objectsIn(file, isLines)) {
        signal.throwIfAborted();
        if (line.position <= progress.answered) {
            continue;
        }

        batch.push(line);
        if (batch.length >= BATCH_LINES || batch.reduce((sum, { text }) => sum + text.length, 0) >= BATCH_BYTES) {
            await send(line.bytes);
            yield progress.state;
        }
    }

    if (batch.length > 0) {
        await send(file.size);
    }

    progress.state = { ...progress.state, bytes: file.size };
    yield progress.state;
}

async function sendBatch(lines: readonly string[], signal: AbortSignal): Promise<BatchResults> {

    const text = `${lines.join('\n')}\n`;
    return requestJson<BatchResults>({ method: 'POST', path: '/batchUpload', query: { format: 'ndjson' }, body: { mediaType: 'application/x-ndjson', open: () => text, isReplayable: true }, signal });
}

const FAILED = 400;

function add(state: ImportState, { results }: BatchResults, positions: readonly number[], bytes: number): ImportState {

    const refused = results.filter(({ responseCode }) => responseCode >= FAILED).sort((one, other) => one.position - other.position);
    const refusals = refused.map(({ position, response }) => ({ position: positions[position] ?? position + 1, message: messageOf(response as Json) }));
    return {
        ...state, stored: state.stored + results.length - refused.length, refusedCount: state.refusedCount + refused.length,
        refusals: [...state.refusals, ...refusals].slice(0, MAX_REFUSALS), bytes
    };
}

function idsOf({ results }: BatchResults): readonly string[] {

    return results.flatMap(({ response }) => {

        const object = response as Json;
        const id = isJsonMap(object) ? object['id'] : undefined;
        return typeof id === 'string' ? [id] : [];
    });
}

function messageOf(response: Json | undefined): string {

    const message = isJsonMap(response) ? response['message'] : undefined;
    return typeof message === 'string' ? message : JSON.stringify(response ?? null);
}

/** How a file is sent as a whole. */
interface SendFileOptions {
    readonly mode: 'asRestore' | 'asUpload';
    readonly removeOthers: boolean;
    readonly signal: AbortSignal;
    readonly onProgress: (sent: number) => void;
}

/**
 * Sends a file as a whole. Progress is that of sending; the service works on, also when it is cancelled after that.
 *
 * @throws RepositoryError, and the reason of the signal when that is aborted before everything was sent
 */
export async function sendFile(file: File, options: SendFileOptions): Promise<ImportState> {

    return withLogin(() => sendOnce(file, options));
}

type WholeAnswer = Partial<BatchResults> & {
    created?: number; updated?: number; unchanged?: number; errors?: readonly { position?: number; message: string }[];
};

/** What the service answered; null for the page of a proxy. */
function answerIn(text: string): WholeAnswer | null {

    try {
        return text === '' ? {} : JSON.parse(text) as WholeAnswer;
    }
    catch {
        return null;
    }
}

async function sendOnce(file: File, { mode, removeOthers, signal, onProgress }: SendFileOptions): Promise<ImportState> {

    await demandOwnSession();
    const { isLines } = await sniff(file);
    signal.throwIfAborted();
    const query = mode === 'asRestore' ? operationQuery('gateway/Op.Import') : removeOthers ? { deleteCurrentObjects: 'true' } : {};
    const path = `${config.base}${mode === 'asRestore' ? '/doip' : '/uploadObjects'}?${new URLSearchParams(query).toString()}`;
    const request = new XMLHttpRequest();
    request.open('POST', path);
    Object.entries(ownHeaders()).forEach(([name, value]) => request.setRequestHeader(name, value));
    request.setRequestHeader('Content-Type', isLines || mode === 'asRestore' ? 'application/x-ndjson' : 'application/json');
    const sent = await new Promise<XMLHttpRequest>((resolve, reject) => {

        let isSent = false;
        signal.addEventListener('abort', () => {

            request.abort();
            // The service works on with what it has received.
            reject(isSent ? lostUpload(true, { isStopped: true }) : signal.reason as Error);
        }, { once: true });
        request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
        request.upload.addEventListener('load', () => {

            isSent = true;
        });
        request.addEventListener('error', () => reject(lostUpload(isSent)));
        request.addEventListener('load', () => resolve(request));
        request.send(file);
    });
    const { status, responseText } = sent;
    const body = answerIn(responseText);
    if (body === null || status >= FAILED && !body.errors && !body.results) {
        const failure = await errorOfSent(sent, 'import');
        // A proxy that has no response does not know what has happened.
        throw Object.assign(failure, { mayHaveChanged: failure.requestId === null && (status < FAILED || status >= 500) });
    }

    const { results = [], errors = [], created, updated, unchanged } = body;
    const refusals = [
        ...results.filter(({ responseCode }) => responseCode >= FAILED)
            .map(({ position, response }) => ({ position: position + 1, message: messageOf(response as Json) })),
        ...errors.map(({ position = 0, message }) => ({ position: position + 1, message }))
    ].sort((one, other) => one.position - other.position);
    return {
        stored: created === undefined ? 0 : created + (updated ?? 0), refusedCount: refusals.length,
        refusals: refusals.slice(0, MAX_REFUSALS), bytes: file.size,
        ...created === undefined ? {} : { counts: { created, updated: updated ?? 0, unchanged: unchanged ?? 0 } }
    };
}
