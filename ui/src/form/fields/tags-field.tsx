/** Lists of short texts, and lists of some of a few values. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { idOf, useForm } from '../context.js';
import { focusSoon } from '../focus.js';
import type { Extension } from '../model/extension.js';
import { limitOf, stringsOf } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { Pager, usePage } from './pager.js';
import { useControl } from './use-control.js';

/** Entries of a page. */
const PAGE = 100;

interface TagsProps {
    readonly node: FormNode;
    readonly schema: JsonMap;
    readonly items: JsonMap;
    readonly itemExtension: Extension;
    readonly label: string;
    readonly isRequired: boolean;
    readonly isReadOnly: boolean;
    readonly hasDescription: boolean;
}

/** The texts of an array. */
export function textsOf(value: Json | undefined): readonly string[] {

    return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? each : '')) : [];
}

/** A list of short texts, each with a button to remove it, and a field to add more. */
export function TagsField(props: TagsProps): JSX.Element {

    const { node, schema, items, itemExtension, label, isReadOnly } = props;
    const { store, context } = useForm();
    const attributes = useControl(props);
    const input = useRef<HTMLInputElement>(null);
    const [text, setText] = useState('');
    const texts = textsOf(node.value.value);
    const suggestions = [...new Set([...itemExtension.vocabulary, ...stringsOf(items['examples'])])].filter((each) => !texts.includes(each)).slice(0, 200);
    const isFull = texts.length >= (limitOf(schema['maxItems']) ?? Infinity);
    const add = (typed: string): void => {

        const entry = typed.trim();
        if (entry !== '' && !isFull && !(schema['uniqueItems'] === true && texts.includes(entry))) {
            store.insert(node, texts.length, entry);
        }

        setText('');
    };

    const remove = (index: number): void => {

        store.remove(node, index);
        context.announce?.(t('removed', { name: texts[index] ?? '' }));
        input.current?.focus();
    };

    const onKeyDown = (event: KeyboardEvent): void => {

        if ((event.key === 'Enter' || event.key === ',') && text.trim() !== '') {
            event.preventDefault();
            add(text);
        }
        else if (event.key === 'Backspace' && text === '' && texts.length > 0) {
            event.preventDefault();
            remove(texts.length - 1);
        }
    };

    return (
        <div class="form-tags">
            <Tags node={node} label={label} isReadOnly={isReadOnly} remove={remove} nameOf={(each) => each} />
            {!isReadOnly && !isFull && (
                <input {...attributes} ref={input} type="text" dir="auto" autocomplete="off" aria-label={t('addTo', { name: label })} value={text} placeholder={t('tagHint')} {...suggestions.length > 0 ? { list: `${attributes.id}-s` } : {}}
                    onInput={({ currentTarget }) => setText(currentTarget.value)} onKeyDown={onKeyDown} onBlur={() => add(text)} />
            )}
            {suggestions.length > 0 && <datalist id={`${attributes.id}-s`}>{suggestions.map((each) => <option key={each} value={each} />)}</datalist>}
        </div>
    );
}

/** The entries of a list as chips, which can be put in another order. */
export function Tags({ node, label, isReadOnly, remove, nameOf, addressOf, addressTitle }: {
    readonly node: FormNode; readonly label: string; readonly isReadOnly: boolean; readonly remove: (index: number) => void;
    readonly nameOf: (text: string) => string; readonly addressOf?: ((text: string) => string) | undefined; readonly addressTitle?: (text: string) => string;
}): JSX.Element | null {

    const { store, context } = useForm();
    const box = useRef<HTMLUListElement>(null);
    const [isOrdering, setOrdering] = useState(false);
    const texts = textsOf(node.value.value);
    const page = usePage(node, texts.length, PAGE);
    const move = (from: number, to: number): void => {

        store.move(node, from, to);
        context.announce?.(t('moved', { name: nameOf(texts[from] ?? ''), count: to + 1 }));
        page.show(to);
        focusSoon(() => box.current?.querySelector<HTMLElement>(`[data-item="${to}"] [data-move="${to < from ? 'earlier' : 'later'}"]:not(:disabled), [data-item="${to}"] [data-move]:not(:disabled)`));
    };

    return texts.length === 0 ? null : (
        <>
            <ul class="form-chips" ref={box} aria-label={label}>
                {texts.slice(page.start, page.end).map((text, i) => {

                    const index = page.start + i;
                    const name = nameOf(text);
                    return (
                        <li key={`${index} ${text}`} class="form-chip" data-item={index}>
                            {isOrdering && <button type="button" class="quiet" data-move="earlier" aria-label={t('earlier', { name })} disabled={index === 0} onClick={() => move(index, index - 1)}><Icon name="back" /></button>}
                            {addressOf ? <a href={addressOf(text)} title={addressTitle?.(text)} target="_blank" rel="noopener"><bdi>{name}</bdi></a> : <bdi>{name === '' ? '“”' : name}</bdi>}
                            {isOrdering && <button type="button" class="quiet" data-move="later" aria-label={t('later', { name })} disabled={index === texts.length - 1} onClick={() => move(index, index + 1)}><Icon name="forward" /></button>}
                            {!isReadOnly && <button type="button" class="quiet" aria-label={t('removeItem', { name })} onClick={() => remove(index)}><Icon name="close" /></button>}
                        </li>
                    );
                })}
            </ul>
            <Pager page={page} length={texts.length} size={PAGE} />
            {!isReadOnly && texts.length > 1 && <button type="button" class="link small" aria-pressed={isOrdering} onClick={() => setOrdering(!isOrdering)}>{t('reorder')}</button>}
        </>
    );
}

/** Some of a few values, each with a check box. */
export function EnumListField({ node, items, isReadOnly }: TagsProps): JSX.Element {

    const { store } = useForm();
    const texts = textsOf(node.value.value);
    const toggle = (value: string, isChecked: boolean): void => {

        if (isChecked) {
            store.insert(node, texts.length, value);
        }
        else {
            store.remove(node, texts.indexOf(value));
        }
    };

    return (
        <div class="form-checks">
            {stringsOf(items['enum']).map((value, i) => (
                <label key={value} class="inline">
                    <input type="checkbox" id={i === 0 ? idOf(node) : undefined} checked={texts.includes(value)} disabled={isReadOnly} onChange={({ currentTarget }) => toggle(value, currentTarget.checked)} />
                    <bdi>{value}</bdi>
                </label>
            ))}
        </div>
    );
}
