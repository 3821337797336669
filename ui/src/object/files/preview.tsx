/** Previews of files. What may hold scripts is shown as text, or left to the sandbox that the service sends. */

import type { JSX } from 'preact';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { lazy } from '../../components/lazy.js';
import { useResource } from '../../components/use-resource.js';
import type { Payload } from '../../../../lib/client/web/index.js';
import { payloadUrl, repository } from '../../api/client.js';
import { formatBytes } from '../../i18n/index.js';
import { textOf } from '../../state/messages.js';
import type { LoadedObject } from '../model/load.js';
import { parseTable, previewKind, type PreviewKind } from './kinds.js';
import { t } from './texts.js';

const Markdown = lazy(async () => (await import('../content/markdown.js')).Markdown);

/** Bytes of a text that are read. */
const MAX_BYTES = 256 * 1024;

/** The preview of a file. */
export function Preview({ object, payload }: { readonly object: LoadedObject; readonly payload: Payload }): JSX.Element {

    const { name } = payload;
    const kind = previewKind(payload);
    // The version keeps the browser from showing what it has of the file before a change.
    const url = `${payloadUrl(object.id, name)}&v=${object.metadata.txnId ?? ''}`;
    switch (kind) {
        case 'image': {
            return <img class="preview-image" src={url} alt={payload.filename ?? name} />;
        }

        case 'pdf': {
            return (
                <>
                    <iframe class="preview-page" src={url} title={payload.filename ?? name} />
                    <p class="muted">{t('pdf')}</p>
                </>
            );
        }

        case 'audio': {
            return <audio controls preload="metadata" src={url} aria-label={payload.filename ?? name} />;
        }

        case 'video': {
            return <video class="preview-video" controls preload="metadata" src={url} aria-label={payload.filename ?? name} />;
        }

        case 'none': {
            return <p class="muted">{t('noPreview')}</p>;
        }

        default: {
            return <TextPreview object={object} payload={payload} kind={kind} />;
        }
    }
}

interface TextStart {
    readonly text: string;
    readonly isCut: boolean;
}

function TextPreview({ object, payload, kind }: { readonly object: LoadedObject; readonly payload: Payload; readonly kind: PreviewKind }): JSX.Element {

    const { id, etag } = object;
    const { name, size } = payload;
    const { value, error, reload } = useResource((signal) => readStart(id, payload, signal), [id, name, etag]);
    if (error) {
        return <ErrorBox message={t('failed', { reason: textOf(error) })} onRetry={reload} />;
    }

    return value ? (
        <>
            {kind === 'code' && <p class="muted">{t('unsafe')} <a href={payloadUrl(id, name)} target="_blank" rel="noopener">{t('open')}</a></p>}
            {kind === 'markdown' ? <Markdown text={value.text} /> : kind === 'table' ? <TablePreview text={value.text} name={name} /> :
                <pre class="preview-text" dir="auto" tabIndex={0} aria-label={name}>{value.text}</pre>}
            {value.isCut && <p class="muted">{t('part', { shown: formatBytes(MAX_BYTES), total: formatBytes(size) })}</p>}
        </>
    ) : <Loading />;
}

/** Reads the beginning of a text file. */
async function readStart(id: string, { name, size }: Payload, signal: AbortSignal): Promise<TextStart> {

    if (size === 0) {
        return { text: '', isCut: false };
    }

    const download = await repository.getPayload(id, name, { signal, ...size > MAX_BYTES ? { range: { start: 0, end: MAX_BYTES - 1 } } : {} });
    if (download === null) {
        throw new Error('404');
    }

    const bytes = new Uint8Array(await new Response(download.body).arrayBuffer());
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
    return { text: new TextDecoder(encoding).decode(bytes.subarray(0, MAX_BYTES), { stream: size > MAX_BYTES }), isCut: size > MAX_BYTES };
}

function TablePreview({ text, name }: { readonly text: string; readonly name: string }): JSX.Element {

    const [head = [], ...rows] = parseTable(text);
    const lines = text.split('\n').length;
    return (
        <>
            <div class="scroll-x preview-table" tabIndex={0} role="group" aria-label={name}>
                <table>
                    <thead><tr>{head.map((each, i) => <th key={i} scope="col" dir="auto">{each}</th>)}</tr></thead>
                    <tbody>{rows.map((row, i) => <tr key={i}>{head.map((_, j) => <td key={j} dir="auto">{row[j]}</td>)}</tr>)}</tbody>
                </table>
            </div>
            {lines > rows.length + 2 && <p class="muted">{t('rows', { count: rows.length })}</p>}
        </>
    );
}
