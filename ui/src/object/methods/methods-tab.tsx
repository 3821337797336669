/** The methods that can be called on an object, and all operations of DOIP on it. */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CodeEditor } from '../../code/code-editor.js';
import { Empty, ErrorBox, Loading } from '../../components/feedback.js';
import { lazy } from '../../components/lazy.js';
import { isLost } from '../../components/use-once.js';
import { useResource } from '../../components/use-resource.js';
import { t as ofEdit } from '../../edit/texts.js';
import { formatBytes } from '../../i18n/index.js';
import { isJsonMap, type Json } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import { textOf } from '../../state/messages.js';
import type { TabProps } from '../model/load.js';
import { callMethod, exampleInput, faultOf, listMethods, listOperations, type Method, type Result, type Target } from './methods.js';
import { t } from './texts.js';

const ParamsForm = lazy(async () => (await import('./params-form.js')).ParamsForm);

/** The tab. */
export function MethodsTab({ object, reload }: TabProps): JSX.Element {

    const { id, type, content } = object;
    const ofType = type === 'Schema' && isJsonMap(content) && typeof content['name'] === 'string' ? content['name'] : null;
    const own = useResource((signal) => listMethods({ objectId: id }, signal), [id, type]);
    const statics = useResource(async (signal) => (ofType === null ? [] : listMethods({ type: ofType }, signal)), [ofType]);
    const error = own.error ?? statics.error;
    if (error) {
        return <ErrorBox message={textOf(error)} onRetry={() => [own, statics].forEach((each) => each.error && each.reload())} />;
    }

    if (!own.value || !statics.value) {
        return <Loading />;
    }

    return (
        <div class="stack">
            {own.value.length + statics.value.length === 0 && <Empty title={t('none')} />}
            <MethodList title={t('ofObject')} methods={own.value} target={{ objectId: id }} onCalled={reload} />
            {ofType !== null && <MethodList title={t('ofType', { type: ofType })} methods={statics.value} target={{ type: ofType }} onCalled={reload} />}
            <Operations id={id} />
        </div>
    );
}

interface MethodListProps {
    readonly title: string;
    readonly methods: readonly Method[];
    readonly target: Target;
    readonly onCalled: () => void;
}

function MethodList({ title, methods, target, onCalled }: MethodListProps): JSX.Element | null {

    return methods.length === 0 ? null : (
        <section class="stack" aria-label={title}>
            <h2 dir="auto">{title}</h2>
            {methods.map((method) => <MethodForm key={method.name} method={method} target={target} onCalled={onCalled} />)}
        </section>
    );
}

function MethodForm({ method, target, onCalled }: { readonly method: Method; readonly target: Target; readonly onCalled: () => void }): JSX.Element {

    const { name, summary, params, allowGet } = method;
    const [isOpen, setOpen] = useState(false);
    const [input, setInput] = useState(() => exampleInput(params));
    const schema = isJsonMap(params) ? params : null;
    const [isForm, setForm] = useState(schema !== null);
    const [problems, setProblems] = useState(0);
    // What the form begins with: a text that was edited as JSON replaces it.
    const [value, setValue] = useState<Json>(() => (input === '' ? null : parseJson(input)));
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState<string | null>(null);
    const [result, setResult] = useState<Result | null>(null);
    const change = (next: Json): void => {

        setValue(next);
        setInput(writeJson(next, 2));
    };

    const toggle = (): void => {

        if (isForm && problems > 0) {
            // They are no part of the JSON, and would be lost.
            setError(ofEdit('problems'));
            return;
        }

        const fault = isForm ? null : faultOf(input);
        setError(fault === null ? null : t('invalid', { reason: fault }));
        if (fault === null) {
            setValue(input.trim() === '' ? null : parseJson(input));
            setProblems(0);
            setForm(!isForm);
        }
    };

    const call = async (event: Event): Promise<void> => {

        event.preventDefault();
        const fault = faultOf(input);
        if (fault !== null) {
            setError(t('invalid', { reason: fault }));
            return;
        }

        setBusy(true);
        setError(null);
        try {
            setResult(await callMethod(target, name, input));
            onCalled();
        }
        catch (failure) {
            setResult(null);
            setError(isLost(failure) && allowGet !== true ? t('lost') : textOf(failure));
        }

        setBusy(false);
    };

    return (
        <details class="card method" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary><strong dir="auto">{name}</strong>{summary !== undefined && <span class="muted" dir="auto"> – {summary}</span>}{allowGet === true && <> <span class="badge">{t('reading')}</span></>}</summary>
            {isOpen && (
                <form class="stack" onSubmit={(event) => void call(event)}>
                    {isForm && schema ? <ParamsForm schema={schema} value={value} label={name} onChange={change} onProblems={setProblems} /> :
                        <CodeEditor language="json" label={`${t('input')}: ${name}`} value={input} onChange={setInput} height="fit" />}
                    <small>{!isForm && `${t('input')}. `}{params === undefined && `${t('inputNone')} `}{allowGet !== true && t('mayWrite')}</small>
                    <div class="row">
                        <button type="submit" class="primary" disabled={isBusy || isForm && problems > 0}>{t('call', { name })}</button>
                        {schema && <button type="button" class="link" onClick={toggle}>{isForm ? t('json') : t('form')}</button>}
                    </div>
                    {error !== null && <ErrorBox message={error} />}
                    <div role="status">{isBusy ? t('busy') : result && <ResultView result={result} name={name} />}</div>
                </form>
            )}
        </details>
    );
}

function ResultView({ result, name }: { readonly result: Result; readonly name: string }): JSX.Element {

    const [url, setUrl] = useState<string | null>(null);
    useEffect(() => {

        if (result.kind === 'bytes') {
            const made = URL.createObjectURL(result.blob);
            setUrl(made);
            return () => URL.revokeObjectURL(made);
        }

        return undefined;
    }, [result]);
    switch (result.kind) {
        case 'none': {
            return <p>{t('empty')}</p>;
        }

        case 'text': {
            return <><h3 dir="auto">{t('result', { name })}</h3><pre dir="auto" class="preview-text" tabIndex={0}>{result.text}</pre></>;
        }

        case 'bytes': {
            return <a class="button" href={url ?? '#'} download={result.filename}>{t('download', { size: formatBytes(result.blob.size) })}</a>;
        }
    }
}

function Operations({ id }: { readonly id: string }): JSX.Element {

    const [isOpen, setOpen] = useState(false);
    const { value, error } = useResource(async (signal) => (isOpen ? listOperations(id, signal) : null), [id, isOpen]);
    return (
        <details class="card" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>{t('operations')}</summary>
            {error && <ErrorBox message={textOf(error)} />}
            {value && (
                <div class="scroll-x" tabIndex={0} role="group" aria-label={t('operations')}>
                    <table>
                        <thead><tr><th scope="col">{t('operation')}</th><th scope="col">{t('summary')}</th></tr></thead>
                        <tbody>{value.map(({ id: operation, summary }) => <tr key={operation}><td class="mono">{operation}</td><td dir="auto">{summary}</td></tr>)}</tbody>
                    </table>
                </div>
            )}
        </details>
    );
}
