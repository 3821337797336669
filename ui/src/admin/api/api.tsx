/** The interface for programs: all paths and operations, which can be tried with the session. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { getJson, send } from '../../api/client.js';
import { copyAndSay } from '../../components/copy-button.js';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { ListSearch } from '../../components/list-search.js';
import { useResource } from '../../components/use-resource.js';
import { config } from '../../config.js';
import { defineTexts } from '../../i18n/index.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import { go, paramText, to } from '../../router.js';
import type { ScreenProps } from '../../shell/app.js';
import { textOf } from '../../state/messages.js';
import { addressOf, headersOf, MIXED, operationsOf, schemaOfParameter, type ApiOperation, type OpenApi, type Parameter } from './openapi.js';
import { BodyFields, curlOf, quote, sentBody, type EnteredBody } from './request-body.js';

const t = defineTexts({
    en: {
        title: 'Interface for programs', intro: 'Every path and operation of this service. Requests are sent with your session.', document: 'OpenAPI document', filter: 'Filter by path or purpose', none: 'Nothing matches.', parameters: 'Parameters', send: 'Send', warning: 'This request may change data.',
        response: 'Response', copy: 'Copy as curl', cut: 'Only the beginning is shown.', required: 'required', binary: '{count} bytes that are no text.', status: 'Status {status} in {ms} ms', alsoSegments: 'The request may also have several segments, as multipart/mixed. This page cannot send them.', answers: 'Media types of the response: {types}.', segmentsAsSent: 'Several segments come as multipart/mixed, and are shown as they were sent.'
    },
    de: {
        title: 'Schnittstelle für Programme', intro: 'Jeder Pfad und jede Operation dieses Dienstes. Anfragen werden mit Ihrer Sitzung gesendet.', document: 'OpenAPI-Dokument', filter: 'Nach Pfad oder Zweck filtern', none: 'Nichts passt.', parameters: 'Parameter', send: 'Senden', warning: 'Diese Anfrage kann Daten ändern.',
        response: 'Antwort', copy: 'Als curl kopieren', cut: 'Nur der Anfang wird gezeigt.', required: 'erforderlich', binary: '{count} Bytes, die kein Text sind.', status: 'Status {status} in {ms} ms', alsoSegments: 'Die Anfrage kann auch mehrere Segmente haben, als multipart/mixed. Diese Seite kann sie nicht senden.', answers: 'Medientypen der Antwort: {types}.', segmentsAsSent: 'Mehrere Segmente kommen als multipart/mixed und werden gezeigt, wie sie gesendet wurden.'
    },
    fr: {
        title: 'Interface pour programmes', intro: 'Chaque chemin et opération de ce service. Les requêtes sont envoyées avec votre session.', document: 'Document OpenAPI', filter: 'Filtrer par chemin ou objet', none: 'Rien ne correspond.', parameters: 'Paramètres', send: 'Envoyer', warning: 'Cette requête peut modifier des données.',
        response: 'Réponse', copy: 'Copier en curl', cut: 'Seul le début est affiché.', required: 'obligatoire', binary: '{count} octets qui ne sont pas du texte.', status: 'Statut {status} en {ms} ms', alsoSegments: 'La requête peut aussi avoir plusieurs segments, en multipart/mixed. Cette page ne peut pas les envoyer.', answers: 'Types de média de la réponse : {types}.', segmentsAsSent: 'Plusieurs segments arrivent en multipart/mixed et sont affichés tels qu’ils ont été envoyés.'
    }
});

export function Api({ route: { params } }: ScreenProps): JSX.Element {

    const text = params.get('q') ?? '';
    const { value, error, reload } = useResource((signal) => getJson<OpenApi>('/openapi.json', {}, signal), []);
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const found = (value ? operationsOf(value) : []).filter(({ id, summary, tag }) => words.every((word) => `${id} ${summary} ${tag}`.toLowerCase().includes(word)));
    const tags = [...new Set(found.map(({ tag }) => tag))];
    return (
        <>
            <div class="admin-head"><h1>{t('title')}</h1><a class="button" href={`${config.base}/openapi.json`} target="_blank" rel="noopener">{t('document')}</a></div>
            <p class="muted">{t('intro')}</p>
            <ListSearch label={t('filter')} text={text} onSearch={(q) => go(`${to.admin('api')}${paramText({ q })}`, { replace: true })} />
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {!value && !error && <Loading />}
            {value && found.length === 0 && <Empty title={t('none')} />}
            {tags.map((tag) => (
                <section key={tag} class="api-list">
                    <h2>{tag}</h2>
                    {found.filter((operation) => operation.tag === tag).map((operation) => <Operation key={operation.id} operation={operation} />)}
                </section>
            ))}
        </>
    );
}

function Operation({ operation }: { readonly operation: ApiOperation }): JSX.Element {

    const [isOpen, setOpen] = useState(false);
    const { method, path, summary } = operation;
    return (
        <details class="api-op" onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary><span class="api-method">{method}</span><code>{path}</code><span class="muted">{summary}</span></summary>
            {isOpen && <TryIt operation={operation} />}
        </details>
    );
}

interface Answer {
    readonly status: number;
    readonly ms: number;
    /** As the header has it. */
    readonly mediaType: string;
    readonly text: string;
    readonly isCut: boolean;
}

/** Characters of a response that are shown. */
const MAX_SHOWN = 100_000;

function TryIt({ operation }: { readonly operation: ApiOperation }): JSX.Element {

    const { method, parameters, bodies, takesSegments, answers } = operation;
    const [values, setValues] = useState<Readonly<Record<string, string>>>(() => Object.fromEntries(parameters
        .filter((each) => schemaOfParameter(each).const !== undefined).map((each) => [each.name, String(schemaOfParameter(each).const)])));
    const [body, setBody] = useState<EnteredBody>({ form: bodies[0] ?? null, text: '', parts: {}, files: [] });
    const [answer, setAnswer] = useState<Answer | null>(null);
    const [error, setError] = useState<string | null>(null);
    const [isBusy, setBusy] = useState(false);
    const address = `${config.base}${addressOf(operation, values)}`;
    const { type, content } = sentBody(body);
    const headers = { ...headersOf(operation, values), ...type === null ? {} : { 'Content-Type': type } };
    const run = async (event: Event): Promise<void> => {

        event.preventDefault();
        setError(null);
        setAnswer(null);
        setBusy(true);
        try {
            setAnswer(await request(address, { method, headers, ...content === null ? {} : { body: content } }));
        }
        catch (failure) {
            setError(textOf(failure));
        }
        finally {
            setBusy(false);
        }
    };

    const copy = (): void => {

        const fields = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
        void copyAndSay([`curl -u USER -X ${method} ${quote(location.origin + address)}`, ...fields, ...curlOf(body)].join(' \\\n  '));
    };

    return (
        <form class="stack" onSubmit={(event) => void run(event)}>
            {parameters.length > 0 && <fieldset><legend>{t('parameters')}</legend><div class="form-grid">{parameters.map((parameter) => (
                <ParameterField key={parameter.name} parameter={parameter} value={values[parameter.name] ?? ''} onChange={(value) => setValues({ ...values, [parameter.name]: value })} />
            ))}</div></fieldset>}
            <BodyFields forms={bodies} body={body} onChange={setBody} />
            {takesSegments && <small>{t('alsoSegments')}</small>}
            {answers.length > 0 && <small>{t('answers', { types: answers.join(', ') })}{answers.includes(MIXED) && ` ${t('segmentsAsSent')}`}</small>}
            {method !== 'GET' && <small>{t('warning')}</small>}
            <div class="row"><button type="submit" class="primary" disabled={isBusy}>{t('send')}</button><button type="button" onClick={copy}>{t('copy')}</button></div>
            {error !== null && <ErrorBox message={error} />}
            {answer && (
                <div class="stack" role="status">
                    <strong>{t('response')}: {t('status', { status: String(answer.status), ms: answer.ms })}</strong>
                    {answer.mediaType !== '' && <small dir="auto">{answer.mediaType}</small>}
                    <pre class="api-response" tabIndex={0} dir="auto">{answer.text}</pre>
                    {answer.isCut && <small>{t('cut')}</small>}
                </div>
            )}
        </form>
    );
}

function ParameterField({ parameter, value, onChange }: {
    readonly parameter: Parameter; readonly value: string; readonly onChange: (value: string) => void
}): JSX.Element {

    const { name, required, description } = parameter;
    const schema = schemaOfParameter(parameter);
    const hint = description ?? schema.description;
    return (
        <label>{name}{required && <small> ({t('required')})</small>}
            {schema.enum ?
                <select value={value} onChange={(event) => onChange(event.currentTarget.value)}><option value="" />{schema.enum.filter((each) => each !== '').map((each) => <option key={String(each)}>{String(each)}</option>)}</select> :
                <input value={value} required={required} dir="auto" autocomplete="off" spellcheck={false} placeholder={schema.default === undefined ? '' : JSON.stringify(schema.default)} onInput={(event) => onChange(event.currentTarget.value)} />}
            {hint !== undefined && <small>{hint}</small>}
        </label>
    );
}

async function request(address: string, init: RequestInit): Promise<Answer> {

    const started = performance.now();
    const response = await send(address, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const ms = Math.round(performance.now() - started);
    return { status: response.status, ms, mediaType: response.headers.get('content-type') ?? '', ...shown(bytes) };
}

function shown(bytes: Uint8Array): { readonly text: string; readonly isCut: boolean } {

    try {
        const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        return { text: formatted(text).slice(0, MAX_SHOWN), isCut: text.length > MAX_SHOWN };
    }
    catch {
        return { text: t('binary', { count: bytes.length }), isCut: false };
    }
}

function formatted(text: string): string {

    try {
        return text.length > MAX_SHOWN ? text : writeJson(parseJson(text), 2);
    }
    catch {
        return text;
    }
}
