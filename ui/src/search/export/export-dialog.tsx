/** Exports all results of a search as CSV or JSON: page by page into a file, where the browser can write one, else into memory. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.js';
import { download } from '../../components/download.js';
import { ErrorBox, ProgressBar } from '../../components/feedback.js';
import { defineTexts, formatBytes } from '../../i18n/index.js';
import { writeJson } from '../../json/write-json.js';
import { isAbort, textOf } from '../../state/messages.js';
import { allObjects } from './all-results.js';
import { fieldsOfType } from '../context.js';
import { columnsOf, headerRow, row } from './csv.js';
import type { ExactResult } from '../search-types.js';
import type { SearchState } from '../state.js';

const t = defineTexts({
    en: {
        title: { one: 'Export {count} result', other: 'Export {count} results' }, format: 'Format', csv: 'CSV, for spreadsheets', json: 'JSON, complete objects', lines: 'JSON, one object per line',
        formulas: 'Texts that a spreadsheet would run as formulas get an apostrophe', start: 'Export', cancel: 'Cancel', close: 'Close', progress: '{done} of {total} objects, {size}',
        done: { one: '{count} object was exported, {size}.', other: '{count} objects were exported, {size}.' }, cancelled: 'The export was cancelled after {done} of {total} objects. No file was saved.',
        limit: 'This browser collects the file in memory, at most {limit}.', tooLarge: 'The export is larger than {limit}, which this browser can collect. Narrow the search, or use the command line.', order: 'The objects are in the order of their ids. Files of objects are not included.'
    },
    de: {
        title: { one: '{count} Ergebnis exportieren', other: '{count} Ergebnisse exportieren' }, format: 'Format', csv: 'CSV, für Tabellenprogramme', json: 'JSON, ganze Objekte', lines: 'JSON, ein Objekt je Zeile',
        formulas: 'Texte, die ein Tabellenprogramm als Formel ausführen würde, bekommen ein Hochkomma', start: 'Exportieren', cancel: 'Abbrechen', close: 'Schließen', progress: '{done} von {total} Objekten, {size}',
        done: { one: '{count} Objekt wurde exportiert, {size}.', other: '{count} Objekte wurden exportiert, {size}.' }, cancelled: 'Der Export wurde nach {done} von {total} Objekten abgebrochen. Es wurde keine Datei gespeichert.',
        limit: 'Dieser Browser sammelt die Datei im Speicher, höchstens {limit}.', tooLarge: 'Der Export ist größer als {limit}; mehr kann dieser Browser nicht sammeln. Schränken Sie die Suche ein, oder benutzen Sie die Kommandozeile.', order: 'Die Objekte sind in der Folge ihrer Ids. Dateien der Objekte sind nicht dabei.'
    },
    fr: {
        title: { one: 'Exporter {count} résultat', other: 'Exporter {count} résultats' }, format: 'Format', csv: 'CSV, pour tableurs', json: 'JSON, objets complets', lines: 'JSON, un objet par ligne',
        formulas: 'Les textes qu’un tableur exécuterait comme formules reçoivent une apostrophe', start: 'Exporter', cancel: 'Annuler', close: 'Fermer', progress: '{done} objets sur {total}, {size}',
        done: { one: '{count} objet a été exporté, {size}.', other: '{count} objets ont été exportés, {size}.' }, cancelled: 'L’export a été annulé après {done} objets sur {total}. Aucun fichier n’a été enregistré.',
        limit: 'Ce navigateur réunit le fichier en mémoire, {limit} au plus.', tooLarge: 'L’export dépasse {limit}, ce que ce navigateur peut réunir. Limitez la recherche, ou utilisez la ligne de commande.', order: 'Les objets sont dans l’ordre de leurs identifiants. Les fichiers des objets ne sont pas inclus.'
    }
});

type Format = 'csv' | 'json' | 'lines';

const ENDINGS: Readonly<Record<Format, string>> = { csv: 'csv', json: 'json', lines: 'ndjson' };
const MEDIA_TYPES: Readonly<Record<Format, string>> = { csv: 'text/csv', json: 'application/json', lines: 'application/x-ndjson' };

/** Bytes that are collected in memory, at most. */
const MAX_COLLECTED = 500_000_000;

/** Where an export is written to. */
interface Sink {
    write(text: string): Promise<void>;
    /** Keeps what was written. */
    close(): Promise<void>;
    /** Throws it away. */
    abort(): Promise<void>;
}

interface FilePicker {
    showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<{ createWritable(): Promise<Sink> }>;
}

/** True where files are written as the results arrive. */
function writesFiles(): boolean {

    return typeof (globalThis as FilePicker).showSaveFilePicker === 'function';
}

/** Opens a file that the user chooses; null when they choose none. */
async function openSink(name: string, mediaType: string): Promise<Sink | null> {

    const picker = globalThis as FilePicker;
    if (picker.showSaveFilePicker) {
        try {
            return await (await picker.showSaveFilePicker({ suggestedName: name })).createWritable();
        }
        catch (error) {
            if (isAbort(error)) {
                return null;
            }

            throw error;
        }
    }

    const parts: string[] = [];
    return {
        write: async (text) => void parts.push(text),
        close: async () => download(new Blob(parts, { type: mediaType }), name),
        abort: async () => void parts.splice(0)
    };
}

interface Progress {
    readonly done: number;
    readonly bytes: number;
    readonly state: 'running' | 'done' | 'cancelled' | 'failed';
    readonly error?: string;
}

interface ExportProps {
    readonly state: SearchState;
    readonly size: number;
    readonly types: readonly string[];
    readonly onClose: () => void;
}

/** The dialog of the export. */
export function ExportDialog({ state, size, types, onClose }: ExportProps): JSX.Element {

    const [format, setFormat] = useState<Format>('csv');
    const [isProtected, protect] = useState(true);
    const [progress, setProgress] = useState<Progress | null>(null);
    const controller = useRef<AbortController | null>(null);
    useEffect(() => {

        return () => controller.current?.abort(new DOMException('closed', 'AbortError'));
    }, []);

    const run = async (): Promise<void> => {

        const sink = await openSink(`export-${new Date().toISOString().slice(0, 10)}.${ENDINGS[format]}`, MEDIA_TYPES[format]);
        if (!sink) {
            return;
        }

        const own = new AbortController();
        controller.current = own;
        let done = 0;
        let bytes = 0;
        const report = (next: Progress['state'], error?: string): void => {

            setProgress({ done, bytes, state: next, ...error === undefined ? {} : { error } });
        };

        const write = async (text: string): Promise<void> => {

            bytes += new Blob([text]).size;
            if (!writesFiles() && bytes > MAX_COLLECTED) {
                throw new Error(t('tooLarge', { limit: formatBytes(MAX_COLLECTED) }));
            }

            await sink.write(text);
        };

        report('running');
        try {
            const columns = columnsOf(types.map((type) => fieldsOfType(type)));
            await write(format === 'csv' ? `\ufeff${headerRow(columns, isProtected)}` : format === 'json' ? '[' : '');
            for await (const page of allObjects(state, own.signal)) {
                await write(pageText(page, format, done === 0, (each) => row(each, columns, isProtected)));
                done += page.length;
                report('running');
            }

            await write(format === 'json' ? '\n]\n' : '');
            await sink.close();
            report('done');
        }
        catch (error) {
            await sink.abort().catch(() => undefined);
            report(own.signal.aborted ? 'cancelled' : 'failed', textOf(error));
        }
    };

    const start = (event: Event): void => {

        event.preventDefault();
        run().catch((error: unknown) => setProgress({ done: 0, bytes: 0, state: 'failed', error: textOf(error) }));
    };

    const isRunning = progress?.state === 'running';
    const stop = (): void => controller.current?.abort(new DOMException('cancelled', 'AbortError'));
    return (
        <Dialog title={t('title', { count: size })} onClose={() => (isRunning ? stop() : onClose())}>
            <form class="stack" onSubmit={start}>
                <fieldset disabled={isRunning} class="stack">
                    <legend>{t('format')}</legend>
                    {(['csv', 'json', 'lines'] as const).map((each) => (
                        <label key={each} class="inline"><input type="radio" name="format" checked={format === each} onChange={() => setFormat(each)} />{t(each)}</label>
                    ))}
                    {format === 'csv' && <label class="inline"><input type="checkbox" checked={isProtected} onChange={(event) => protect(event.currentTarget.checked)} />{t('formulas')}</label>}
                </fieldset>
                <p class="muted">{t('order')} {!writesFiles() && t('limit', { limit: formatBytes(MAX_COLLECTED) })}</p>
                {isRunning && <ProgressBar done={progress.done} total={Math.max(size, progress.done)} label={t('progress', { done: progress.done, total: size, size: formatBytes(progress.bytes) })} />}
                {progress?.state === 'done' && <p class="box success" role="status">{t('done', { count: progress.done, size: formatBytes(progress.bytes) })}</p>}
                {progress?.state === 'cancelled' && <p class="box warning" role="status">{t('cancelled', { done: progress.done, total: size })}</p>}
                {progress?.state === 'failed' && <ErrorBox message={progress.error ?? ''} />}
                <div class="actions">
                    {isRunning ? <button type="button" onClick={stop}>{t('cancel')}</button> : <button type="button" onClick={onClose}>{t('close')}</button>}
                    <button type="submit" class="primary" disabled={isRunning}>{t('start')}</button>
                </div>
            </form>
        </Dialog>
    );
}

function pageText(page: readonly ExactResult[], format: Format, isFirst: boolean, toRow: (result: ExactResult) => string): string {

    switch (format) {
        case 'csv': {
            return page.map(toRow).join('');
        }

        case 'json': {
            return page.map((each, index) => `${isFirst && index === 0 ? '' : ','}\n${writeJson(each)}`).join('');
        }

        case 'lines': {
            return page.map((each) => `${writeJson(each)}\n`).join('');
        }
    }
}
