/** Controls for strings: one line, several lines, secrets. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../../json/exact-number.js';
import { useForm } from '../context.js';
import { directionOf } from '../model/direction.js';
import { shortText } from '../model/labels.js';
import { stringsOf, textOf } from '../model/schema.js';
import { t } from '../texts.js';
import { useClear, useControl } from './use-control.js';
import type { ControlProps } from './use-control.js';

/** Suggestions that the browser shows. */
const MAX_SUGGESTIONS = 200;

/** Lines of a text area. */
const [MIN_ROWS, MAX_ROWS] = [3, 20];

const INPUT_MODES: Readonly<Record<string, 'email' | 'url' | 'tel'>> = { 'email': 'email', 'idn-email': 'email', 'uri': 'url', 'iri': 'url', 'uri-reference': 'url', 'tel': 'tel', 'phone': 'tel' };

/** What an empty control shows: the default, or an example. */
export function placeholderOf({ schema }: Pick<ControlProps, 'schema'>): string {

    const example = Array.isArray(schema['examples']) ? schema['examples'][0] as Json | undefined : undefined;
    const [preset, sample] = [shortText(schema['default']), shortText(example)];
    return preset !== '' ? t('default', { value: preset }) : sample !== '' ? t('example', { value: sample }) : '';
}

/** One line of text. */
export function StringControl(props: ControlProps): JSX.Element {

    const { node, schema, extension, isItem, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const value = node.value.value;
    const suggestions = [...new Set([...extension.vocabulary, ...stringsOf(schema['examples'])])].slice(0, MAX_SUGGESTIONS);
    const mode = INPUT_MODES[textOf(schema['format']) ?? ''];
    const change = (text: string): void => (text === '' ? clear(node, isItem) : store.set(node, text));
    return (
        <>
            <input {...attributes} type="text" dir="auto" autocomplete="off" value={typeof value === 'string' ? value : ''} readOnly={isReadOnly}
                placeholder={placeholderOf(props)} {...mode ? { inputMode: mode } : {}} {...suggestions.length > 0 ? { list: `${attributes.id}-s` } : {}}
                onInput={({ currentTarget }) => change(currentTarget.value)} />
            {suggestions.length > 0 && <datalist id={`${attributes.id}-s`}>{suggestions.map((each) => <option key={each} value={each} />)}</datalist>}
        </>
    );
}

/** Several lines of text. The kind of line breaks is kept. */
export function TextControl(props: ControlProps): JSX.Element {

    const { node, isItem, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const value = node.value.value;
    const text = typeof value === 'string' ? value : '';
    const change = (next: string): void => {

        const isCrLf = text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
        if (next === '') {
            clear(node, isItem);
        }
        else {
            store.set(node, isCrLf ? next.replaceAll('\n', '\r\n') : next);
        }
    };

    return (
        <textarea {...attributes} dir={directionOf(text)} rows={rowsOf(text)} value={text} readOnly={isReadOnly} placeholder={placeholderOf(props)}
            onInput={({ currentTarget }) => change(currentTarget.value)} />
    );
}

function rowsOf(text: string): number {

    let rows = 1;
    for (let at = text.indexOf('\n'); at !== -1 && rows < MAX_ROWS; at = text.indexOf('\n', at + 1)) {
        rows += 1;
    }

    return Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.max(rows, Math.ceil(text.length / 100))));
}

/** A password or another secret, of which the service only stores a hash. An empty one leaves what is stored. */
export function SecretControl(props: ControlProps): JSX.Element {

    const { node, isReadOnly, label } = props;
    const { store } = useForm();
    const [isShown, show] = useState(false);
    const attributes = useControl(props);
    const value = node.value.value;
    const text = typeof value === 'string' ? value : '';
    const properties = {
        ...attributes, autocomplete: 'new-password' as const, value: text, readOnly: isReadOnly, placeholder: value === undefined ? '' : t('keep'),
        onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => store.set(node, currentTarget.value)
    };
    return (
        <div class="form-joined">
            {isShown ? <input {...properties} type="text" /> : <input {...properties} type="password" />}
            {text !== '' && <button type="button" aria-label={`${isShown ? t('hide') : t('show')}: ${label}`} onClick={() => show(!isShown)}>{isShown ? t('hide') : t('show')}</button>}
        </div>
    );
}
