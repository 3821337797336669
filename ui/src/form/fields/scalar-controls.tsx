/** Controls for numbers, booleans, dates and choices. */

import type { JSX, RefObject, TargetedEvent, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isEqual, isNumber, isSame, numberOf } from '../../json/exact-number.js';
import type { Json } from '../../json/exact-number.js';
import { writeJson } from '../../json/write-json.js';
import { useForm } from '../context.js';
import { shortText } from '../model/labels.js';
import { localTime } from '../model/local-time.js';
import { stringsOf } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { placeholderOf } from './text-controls.js';
import { useClear, useControl } from './use-control.js';
import type { ControlProps } from './use-control.js';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const INTEGER = /^-?(?:0|[1-9]\d*)(?:\.0+)?$/;

/** A number. It keeps its text, with all digits; a text that is no number is kept as well, and said to be none. */
export function NumberControl(props: ControlProps): JSX.Element {

    const { node, schema, isItem, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const value = node.value.value;
    const draft = node.typed.value;
    const stored = isNumber(value) ? String(value) : '';
    const isInteger = stringsOf(schema['type']).includes('integer') && !stringsOf(schema['type']).includes('number');
    const change = (typed: string): void => {

        const text = typed.trim().replace(/^\+/, '');
        const isFine = (isInteger ? INTEGER : NUMBER).test(text);
        store.setProblem(node, text === '' && !isItem || isFine ? null : t(isInteger ? 'notInteger' : 'notNumber'));
        if (isFine) {
            store.set(node, numberOf(text));
        }
        else if (text === '' && !isItem) {
            clear(node, isItem);
        }

        node.typed.value = typed;
    };

    const isDraft = draft !== null && (node.problem.value !== null || draft.trim().replace(/^\+/, '') === stored);
    return (
        <input {...attributes} type="text" inputMode={isInteger ? 'numeric' : 'decimal'} autocomplete="off" class="form-number" value={isDraft ? draft : stored} readOnly={isReadOnly}
            placeholder={placeholderOf(props)} onInput={({ currentTarget }) => change(currentTarget.value)}
            onBlur={() => {

                if (node.problem.peek() === null) {
                    node.typed.value = null;
                }
            }} />
    );
}

/** Yes or no. */
export function BooleanControl(props: ControlProps): JSX.Element {

    const { node, label, isItem, isRequired, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const value = node.value.value;
    return (
        <div class="row">
            <label class="inline">
                <input {...attributes} type="checkbox" checked={value === true} disabled={isReadOnly} ref={(input) => {

                    if (input) {
                        input.indeterminate = value === undefined && !isRequired;
                    }
                }} onChange={({ currentTarget }) => store.set(node, currentTarget.checked)} />
                <span>{label}{isRequired && <span class="form-required" title={t('required')} aria-hidden="true"> *</span>}</span>
            </label>
            {value === undefined && !isRequired && <small>{t('notSet')}</small>}
            {value !== undefined && !isRequired && !isItem && !isReadOnly &&
                <button type="button" class="link small" aria-label={t('removeItem', { name: label })} onClick={() => clear(node, false)}>{t('remove')}</button>}
        </div>
    );
}

interface DateInput {
    readonly ref: RefObject<HTMLInputElement | null>;
    /** Undefined while a part of a date is typed, which must stay as it is. */
    readonly value: string | undefined;
    readonly onChange: (event: TargetedEvent<HTMLInputElement>) => void;
    readonly onBlur: (event: TargetedEvent<HTMLInputElement>) => void;
    readonly onKeyDown: (event: TargetedKeyboardEvent<HTMLInputElement>) => void;
}

/** The field of a date. Of one that is typed in part the browser gives no value: that is a problem, and no removal of the date. */
function useDateInput(node: FormNode, shown: string, change: (text: string) => void): DateInput {

    const { store } = useForm();
    const input = useRef<HTMLInputElement>(null);
    const hasPart = useRef(false);
    const problem = node.problem.value;
    useLayoutEffect(() => {

        // Another value has taken the place of what was typed.
        if (problem === null && hasPart.current && input.current) {
            hasPart.current = false;
            input.current.value = shown;
        }
    }, [problem]);
    const read = ({ currentTarget: { value, validity } }: TargetedEvent<HTMLInputElement>, isChanged: boolean): void => {

        const wasPart = hasPart.current;
        hasPart.current = validity.badInput;
        store.setProblem(node, validity.badInput ? t('notDate') : null);
        if (!validity.badInput && (isChanged || wasPart)) {
            change(value);
        }
    };

    return {
        ref: input, value: problem !== null && hasPart.current ? undefined : shown, onChange: (event) => read(event, true), onBlur: (event) => read(event, false),
        onKeyDown: (event) => event.key === 'Enter' && read(event, false)
    };
}

/** A day. */
export function DateControl(props: ControlProps): JSX.Element {

    const { node, isItem, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const value = node.value.value;
    const input = useDateInput(node, typeof value === 'string' ? value : '', (text) => (text === '' ? clear(node, isItem) : store.set(node, text)));
    return <input {...attributes} {...input} type="date" class="form-short" readOnly={isReadOnly} />;
}

/** A point in time: shown in local time, stored in UTC. */
export function DateTimeControl(props: ControlProps): JSX.Element {

    const { node, isItem, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const value = node.value.value;
    const text = typeof value === 'string' ? value : '';
    const input = useDateInput(node, localTime(text), (local) => {

        const time = new Date(local);
        if (local === '' || Number.isNaN(time.getTime())) {
            clear(node, isItem);
        }
        else {
            store.set(node, time.toISOString());
        }
    });
    return (
        <div class="form-beside">
            <input {...attributes} {...input} type="datetime-local" step="0.001" class="form-short" readOnly={isReadOnly} />
            {text !== '' && <small>{t('localTime', { value: text })}</small>}
        </div>
    );
}

/** One of some values. A value that is none of them stays until another is chosen. */
export function EnumControl(props: ControlProps): JSX.Element {

    const { node, schema, isItem, isReadOnly } = props;
    const { store } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const value = node.value.value;
    const values = Array.isArray(schema['enum']) ? schema['enum'] as readonly Json[] : [];
    const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] as readonly Json[] : [];
    const own = values.findIndex((each) => isEqual(each, value));
    const index = own === -1 ? values.findIndex((each) => isSame(each, value)) : own;
    const change = (chosen: string): void => {

        const next = chosen === '' ? undefined : values[Number(chosen)];
        if (next !== undefined) {
            store.set(node, next);
        }
        else if (chosen === '') {
            clear(node, isItem);
        }
    };

    return (
        <select {...attributes} class="form-short" disabled={isReadOnly} value={index === -1 ? value === undefined ? '' : 'other' : String(index)} onChange={({ currentTarget }) => change(currentTarget.value)}>
            {(!isItem || value === undefined) && <option value="">{placeholderOf(props) || '–'}</option>}
            {index === -1 && value !== undefined && <option value="other">{t('other', { value: shortText(value) || writeJson(value) })}</option>}
            {values.map((each, i) => <option key={i} value={String(i)}>{nameOf(each, names[i])}</option>)}
        </select>
    );
}

function nameOf(value: Json, name: Json | undefined): string {

    return typeof name === 'string' && name !== '' ? name : value === null ? t('null') : typeof value === 'boolean' ? t(value ? 'yes' : 'no') : typeof value === 'string' ? value || '“”' : writeJson(value);
}

/** The only value that is valid. */
export function ConstantControl(props: ControlProps): JSX.Element {

    const { node, schema, isRequired, isReadOnly, label } = props;
    const { store } = useForm();
    const attributes = useControl(props);
    const constant = schema['const'] ?? null;
    const value = node.value.value;
    return (
        <label class="inline">
            <input {...attributes} type="checkbox" checked={value !== undefined} disabled={isReadOnly || isRequired && value !== undefined}
                onChange={({ currentTarget }) => (currentTarget.checked ? store.set(node, constant) : store.unset(node))} />
            <span>{label}: <code dir="auto">{nameOf(constant, undefined)}</code></span>
        </label>
    );
}
