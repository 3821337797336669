/** Controls for strings: one line, several lines, secrets. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CodeEditor } from '../../code/code-editor.js';
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

/** Characters and lines of a text area; a longer text has an editor that lays out what is seen. */
const [MAX_LENGTH, MAX_LINES] = [100_000, 5000];

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

/** Several lines of text. The kind of line breaks is kept. A text that is too long for a text area has an editor of its own. */
export function TextControl(props: ControlProps): JSX.Element {

    const { node, isItem, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const stored = node.value.value;
    const value = typeof stored === 'string' ? stored : '';
    const text = withLineFeeds(value);
    const area = useRef<HTMLTextAreaElement>(null);
    const typed = useRef(text);
    const [isLong, setLong] = useState(isTooLong(text));
    const [pasted, setPasted] = useState<Pasted | null>(null);
    const change = (next: string): void => {

        typed.current = next;
        if (next === '') {
            clear(node, isItem);
        }
        else {
            store.set(node, value === text ? next : next.replaceAll('\n', '\r\n'));
        }
    };

    // While the user types, the text area stays: another control would take the focus.
    if (!isLong && text !== typed.current && isTooLong(text)) {
        setLong(true);
    }

    useEffect(() => {

        if (pasted) {
            // Where the editor cannot be loaded, the text area shows all, slowly.
            CodeEditor.load().then(() => setLong(true), () => setPasted(null));
        }
    }, [pasted !== null]);
    if (isLong) {
        const hasFocus = document.activeElement === area.current;
        const former = pasted && { text: pasted.before, selection: [pasted.from, pasted.to] as const, cursor: pasted.from + insertOf(pasted).length, hasFocus };
        return (
            <CodeEditor language="text" label={props.label} value={text} readOnly={isReadOnly} attributes={{ ...attributes, dir: directionOf(text) }}
                {...former ? { former } : {}} onChange={change} />
        );
    }

    const insert = (next: Pasted): void => {

        setPasted(next);
        change(next.before.slice(0, next.from) + insertOf(next) + next.before.slice(next.to));
    };

    const paste = (event: ClipboardEvent, { selectionStart: from, selectionEnd: to, value: before }: HTMLTextAreaElement): void => {

        const given = (event.clipboardData?.getData('text/plain') ?? '').replaceAll(/\r\n?/g, '\n');
        if (given !== '' && !isReadOnly && isTooLong(before.slice(0, from) + given + before.slice(to))) {
            event.preventDefault();
            insert({ before, from, to, given, typed: '' });
        }
    };

    return (
        <textarea {...attributes} ref={area} dir={directionOf(text)} rows={rowsOf(text)} readOnly={isReadOnly} placeholder={placeholderOf(props)}
            value={pasted ? pasted.typed : text} onPaste={(event) => !pasted && paste(event, event.currentTarget)}
            onInput={({ currentTarget }) => (pasted ? insert({ ...pasted, typed: currentTarget.value }) : change(currentTarget.value))} />
    );
}

/** A paste that makes a text too long. Until the editor is loaded, the text area holds only what is typed after it. */
interface Pasted {
    /** The text before, and the part that was selected. */
    readonly before: string;
    readonly from: number;
    readonly to: number;
    readonly given: string;
    readonly typed: string;
}

function insertOf({ given, typed }: Pasted): string {

    return given + typed;
}

/** A text whose line breaks are all CRLF with LF in their places; any other as it is. */
function withLineFeeds(text: string): string {

    return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text) ? text.replaceAll('\r\n', '\n') : text;
}

/** True for a text of which browsers should lay out only what is seen: a text area of 200,000 lines takes seconds, and 0.3 seconds for each key. */
function isTooLong(text: string): boolean {

    return text.length > MAX_LENGTH || linesOf(text, MAX_LINES + 1) > MAX_LINES;
}

/** The number of lines, at most as many as wanted. */
function linesOf(text: string, max: number): number {

    let lines = 1;
    for (let at = text.indexOf('\n'); at !== -1 && lines < max; at = text.indexOf('\n', at + 1)) {
        lines += 1;
    }

    return lines;
}

function rowsOf(text: string): number {

    return Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.max(linesOf(text, MAX_ROWS), Math.ceil(text.length / 100))));
}

/**
 * A password or another secret. Of secure properties the service only stores a hash, and an empty one leaves what is stored; one of the format `password`
 * alone is a text as any other.
 */
export function SecretControl(props: ControlProps): JSX.Element {

    const { node, extension, isItem, isReadOnly, label } = props;
    const { store, isStored } = useForm();
    const clear = useClear();
    const [isShown, show] = useState(false);
    const attributes = useControl(props);
    const value = node.value.value;
    const text = typeof value === 'string' ? value : '';
    const isKept = extension.isSecret && isStored(node);
    const properties = {
        ...attributes, autocomplete: 'new-password' as const, value: text, readOnly: isReadOnly, placeholder: isKept ? t('keep') : '',
        onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => (currentTarget.value === '' && !isKept ? clear(node, isItem) : store.set(node, currentTarget.value))
    };
    return (
        <div class="form-joined">
            {isShown ? <input {...properties} type="text" /> : <input {...properties} type="password" />}
            {text !== '' && <button type="button" aria-label={`${isShown ? t('hide') : t('show')}: ${label}`} onClick={() => show(!isShown)}>{isShown ? t('hide') : t('show')}</button>}
        </div>
    );
}
