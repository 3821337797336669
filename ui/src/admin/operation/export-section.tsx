/** The export of all objects: streamed to a file where the browser can, otherwise through a Blob, which browsers keep on disk when it is large. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { repository } from '../../api/client.js';
import { download } from '../../components/download.js';
import { ErrorBox, ProgressBar } from '../../components/feedback.js';
import { formatBytes } from '../../i18n/index.js';
import { isAbort, textOf } from '../../state/messages.js';
import { operationQuery } from './doip.js';
import { t } from './texts.js';

/** A file that the user has chosen, as some browsers offer it. */
type SavePicker = (options: object) => Promise<{ createWritable: () => Promise<WritableStream<Uint8Array>> }>;

/** Bytes of the end that tell whether the export is complete. */
const TAIL_BYTES = 200;

export function ExportSection(): JSX.Element {

    const [bytes, setBytes] = useState<number | null>(null);
    const [outcome, setOutcome] = useState<{ readonly text: string; readonly isError: boolean } | null>(null);
    const controller = useRef<AbortController | null>(null);
    useEffect(() => {

        return () => controller.current?.abort(new DOMException('the section is left', 'AbortError'));
    }, []);
    const run = async (): Promise<void> => {

        const own = new AbortController();
        controller.current = own;
        setOutcome(null);
        try {
            setOutcome(outcomeOf(await exportAll(own.signal, setBytes)));
        }
        catch (error) {
            // A Blob that is made of a stream says nothing of why that has ended.
            setOutcome(own.signal.aborted || isAbort(error) ? null : { text: error instanceof TypeError ? t('incomplete') : textOf(error), isError: true });
        }

        setBytes(null);
    };

    return (
        <section class="stack">
            <h2>{t('export')}</h2>
            <p class="muted">{t('exportHint')}</p>
            {bytes !== null && <ProgressBar done={bytes} total={null} label={t('exporting', { bytes: formatBytes(bytes) })} />}
            {outcome && (outcome.isError ? <ErrorBox message={outcome.text} /> : <p role="status">{outcome.text}</p>)}
            <div class="row">
                <button type="button" disabled={bytes !== null} onClick={() => void run()}>{t('exportRun')}</button>
                {bytes !== null && <button type="button" onClick={() => controller.current?.abort(new DOMException('the user cancelled it', 'AbortError'))}>{t('cancel')}</button>}
            </div>
        </section>
    );
}

/** An export that has arrived. */
interface Exported {
    readonly total: number;
    /** Number of payloads of which it has no bytes; null for an export that is not complete. */
    readonly damaged: number | null;
}

function outcomeOf({ total, damaged }: Exported): { readonly text: string; readonly isError: boolean } {

    if (damaged === 0) {
        return { text: t('exported', { bytes: formatBytes(total) }), isError: false };
    }

    return { text: damaged === null ? t('incomplete') : t('exportedWithout', { count: damaged }), isError: true };
}

async function exportAll(signal: AbortSignal, onProgress: (bytes: number) => void): Promise<Exported> {

    const name = `export-${new Date().toISOString().slice(0, 10)}.ndjson`;
    const picker = (globalThis as { showSaveFilePicker?: SavePicker }).showSaveFilePicker;
    // The user chooses first: browsers permit it only right after a click.
    const handle = await picker?.({ suggestedName: name });
    onProgress(0);
    const response = await repository.request({ method: 'POST', path: '/doip', query: operationQuery('gateway/Op.Export'), signal });
    let [total, tail] = [0, ''];
    const decoder = new TextDecoder();
    const counter = new TransformStream<Uint8Array, Uint8Array>({ transform(chunk, output) {

        total += chunk.byteLength;
        tail = (tail + decoder.decode(chunk.slice(-TAIL_BYTES))).slice(-TAIL_BYTES);
        onProgress(total);
        output.enqueue(chunk);
    } });
    const counted = (response.body ?? new Blob().stream()).pipeThrough(counter);
    if (handle) {
        await counted.pipeTo(await handle.createWritable(), { signal });
    }
    else {
        download(await new Response(counted).blob(), name);
    }

    const end = /\{"end":true,"objects":\d+(?:,"damaged":(\d+))?\}\s*$/.exec(tail);
    return { total, damaged: end && Number(end[1] ?? 0) };
}
