/** Values that no other control fits, as JSON text. */

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatBytes } from '../../i18n/index.js';
import { isEqual } from '../../json/exact-number.js';
import type { Json } from '../../json/exact-number.js';
import { JsonSyntaxError, parseJson } from '../../json/parse-json.js';
import { jsonErrorText } from '../../json/texts.js';
import { writeJson } from '../../json/write-json.js';
import { serverText } from '../../server-texts/index.js';
import { useForm } from '../context.js';
import { errorsWithin, pointerOf } from '../store/form-store.js';
import { t } from '../texts.js';
import { useClear, useControl } from './use-control.js';
import type { ControlProps } from './use-control.js';

/** Text that is shown at once, in characters; more only when it is asked for. */
const MAX_SHOWN = 50_000;

/** A text area for JSON. Text that is no JSON is kept in it, and the value stays as it was. */
export function JsonControl(props: ControlProps): JSX.Element {

    const { node, label, isItem, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const [isWanted, want] = useState(false);
    const value = node.value.value;
    const typed = node.typed.value;
    const draft = useMemo(() => (typed === null ? null : read(typed)), [typed]);
    const isDraft = typed !== null && draft !== null && (node.problem.value !== null || isEqual(draft.value, value));
    const text = isDraft ? typed : value === undefined ? '' : writeJson(value, 2);
    const inner = errorsWithin(store.errors.value, pointerOf(node));
    const change = (next: string): void => {

        const parsed = read(next);
        store.setProblem(node, parsed.problem);
        if (parsed.problem === null && parsed.value === undefined) {
            clear(node, isItem);
        }
        else if (parsed.value !== undefined) {
            store.set(node, parsed.value);
        }

        node.typed.value = next;
    };

    if (text.length > MAX_SHOWN && !isWanted) {
        return <button type="button" id={attributes.id} onClick={() => want(true)}>{t('large', { size: formatBytes(text.length) })}</button>;
    }

    return (
        <>
            <textarea {...attributes} aria-label={t('json', { name: label })} class="mono" spellcheck={false} rows={rowsOf(text)} value={text} readOnly={isReadOnly}
                onInput={({ currentTarget }) => change(currentTarget.value)} />
            {inner.map(({ pointer, message }) => <p key={pointer + message} class="form-error" dir="auto"><code>{pointer}</code> {serverText(message)}</p>)}
        </>
    );
}

function rowsOf(text: string): number {

    return Math.max(2, Math.min(16, text.slice(0, 5000).split('\n').length));
}

function read(text: string): { readonly value: Json | undefined; readonly problem: string | null } {

    if (text.trim() === '') {
        return { value: undefined, problem: null };
    }

    try {
        return { value: parseJson(text), problem: null };
    }
    catch (error) {
        return { value: undefined, problem: error instanceof JsonSyntaxError ? jsonErrorText(error) : String(error) };
    }
}
