/** Bodies of requests: JSON, or a form (multipart/form-data) with payloads, which is a stream where the runtime sends streams. */

import { jsonText } from './json.js';
import {
    blobOf, type Bytes, type ClosableStream, closableStreamOf, countedTogether, type Progress, type ProgressListener, sizeOf, totalOf, watched
} from './streams.js';

/** A body of a request. */
export interface RequestBody {
    readonly mediaType: string;
    /** Returns the body for one attempt. */
    readonly open: () => string | Blob | ReadableStream<Uint8Array>;
    /** False when it can be sent only once. */
    readonly isReplayable: boolean;
    /** Called when the body was sent, if its bytes were not counted on their way. */
    readonly sent?: () => void;
    /** The error of its source or of the listener for progress, with which the request has failed; null if there was none. */
    readonly failure?: () => { readonly cause: unknown } | null;
    /** Closes what was opened for an attempt that has failed. */
    readonly close?: () => void;
}

/** A payload to be stored. */
export interface NewPayload {
    readonly name: string;
    readonly body: Bytes;
    /** Media type; default that of a Blob, otherwise `application/octet-stream`. */
    readonly mediaType?: string;
    /** Default the name of a File, otherwise that of the payload. */
    readonly filename?: string;
    /** Bytes of a stream, for progress. */
    readonly size?: number;
}

/** How payloads are sent. */
export interface UploadOptions {
    /** `stream`: as they are read. `blob`: as a Blob, as browsers need it; a stream is read into it first. Default: as the runtime is. */
    readonly uploads?: 'stream' | 'blob';
    readonly onProgress?: ProgressListener;
}

/** Returns a JSON value as a body. */
export function jsonBody(value: unknown, name: string): RequestBody {

    const text = jsonText(value, name);
    return { mediaType: 'application/json', open: () => text, isReplayable: true };
}

/** Returns a form with fields of JSON text and payloads. */
export async function formBody(
    fields: Readonly<Record<string, string>>, payloads: readonly NewPayload[], { uploads = defaultUploads(), onProgress }: UploadOptions
): Promise<RequestBody> {

    const boundary = newBoundary();
    const head = Object.entries(fields)
        .map(([name, text]) => `--${boundary}\r\n${dispositionOf(name)}\r\nContent-Type: application/json\r\n\r\n${text}\r\n`).join('');
    const form: Form = { boundary, head, payloads };
    const mediaType = `multipart/form-data; boundary=${boundary}`;
    const isReplayable = payloads.every(({ body }) => sizeOf(body) !== null);
    if (uploads === 'stream' && (onProgress || !isReplayable)) {
        return streamBody({ mediaType, isReplayable }, () => formChunks(form, onProgress));
    }

    const blob = await formBlob(form);
    const body: RequestBody = { mediaType, isReplayable: true, open: () => blob };
    return onProgress ? withListener(body, onProgress, { loaded: totalOf(payloads) ?? blob.size, total: totalOf(payloads) }) : body;
}

/** Returns a boundary that no payload has. Pages without TLS have no `crypto.randomUUID`. */
function newBoundary(): string {

    return `form-${[...crypto.getRandomValues(new Uint32Array(4))].map((number) => number.toString(36)).join('-')}`;
}

/** A body of chunks, which are made anew for each attempt. */
function streamBody(described: Pick<RequestBody, 'mediaType' | 'isReplayable'>, chunks: () => AsyncGenerator<Uint8Array, void, undefined>): RequestBody {

    let failure: { readonly cause: unknown } | null = null;
    let opened: ClosableStream | null = null;
    return {
        ...described,
        open: () => {

            opened = closableStreamOf(watched(chunks(), (cause) => {

                failure = { cause };
            }));
            return opened.stream;
        },
        failure: () => failure,
        close: () => opened?.close()
    };
}

/** A body of which only its end is reported. */
function withListener(body: RequestBody, listener: ProgressListener, end: Progress): RequestBody {

    let failure: { readonly cause: unknown } | null = null;
    return {
        ...body,
        sent: () => {

            try {
                listener(end);
            }
            catch (cause) {
                failure = { cause };
                throw cause;
            }
        },
        failure: () => failure
    };
}

/** A form before it is written. */
interface Form {
    readonly boundary: string;
    /** The fields as text. */
    readonly head: string;
    readonly payloads: readonly NewPayload[];
}

async function *formChunks({ boundary, head, payloads }: Form, listener: ProgressListener = () => undefined): AsyncGenerator<Uint8Array, void, undefined> {

    const encoder = new TextEncoder();
    const bytesOf = countedTogether(payloads, listener);
    yield encoder.encode(head);
    for (const payload of payloads) {
        yield encoder.encode(headOf(boundary, payload));
        yield *bytesOf(payload.body);
        yield encoder.encode('\r\n');
    }

    yield encoder.encode(`--${boundary}--\r\n`);
}

async function formBlob({ boundary, head, payloads }: Form): Promise<Blob> {

    const parts: (string | Blob)[] = [head];
    for (const payload of payloads) {
        parts.push(headOf(boundary, payload), await blobOf(payload.body), '\r\n');
    }

    return new Blob([...parts, `--${boundary}--\r\n`]);
}

/** Returns the media type and the file name under which a payload is stored. @throws TypeError for a media type that is none */
function describePayload({ name, body, mediaType, filename }: NewPayload): { readonly mediaType: string; readonly filename: string } {

    const type = mediaType ?? (body instanceof Blob && body.type !== '' ? body.type : 'application/octet-stream');
    if (/[\r\n]/.test(type)) {
        throw new TypeError(`the media type of payload ${name} has a line break`);
    }

    return { mediaType: type, filename: filename ?? ('name' in body && typeof body.name === 'string' && body.name !== '' ? body.name : name) };
}

function headOf(boundary: string, payload: NewPayload): string {

    const { mediaType, filename } = describePayload(payload);
    return `--${boundary}\r\n${dispositionOf(payload.name)}; filename="${escape(filename)}"\r\nContent-Type: ${mediaType}\r\n\r\n`;
}

function dispositionOf(name: string): string {

    return `Content-Disposition: form-data; name="${escape(name)}"`;
}

/** As the HTML standard says. */
function escape(text: string): string {

    return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Browsers send streams over HTTP/2 only, or not at all. */
function defaultUploads(): 'stream' | 'blob' {

    return 'window' in globalThis || 'WorkerGlobalScope' in globalThis ? 'blob' : 'stream';
}
