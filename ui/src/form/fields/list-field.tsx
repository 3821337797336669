/** Arrays of any values: a list whose entries are added, removed and moved. */

import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { computed } from '@preact/signals';
import { Icon } from '../../components/icon.js';
import { isJsonMap } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { idOf, useForm } from '../context.js';
import { focusSoon } from '../focus.js';
import { itemSchema } from '../model/field-kind.js';
import { labelOf, summaryOf } from '../model/labels.js';
import { limitOf, typesOf } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { Pager, usePage } from './pager.js';

/** Entries of a page. */
const PAGE = 25;

/** Lists of more entries begin closed, entry by entry. */
const MAX_OPEN = 3;

interface ListProps {
    readonly node: FormNode;
    readonly schema: JsonMap;
    readonly label: string;
    readonly level: number;
    readonly isReadOnly: boolean;
}

/** The entries, and the button to add one. */
export function ListField({ node, schema, label, level, isReadOnly }: ListProps): JSX.Element {

    const { store, initial, context } = useForm();
    const box = useRef<HTMLDivElement>(null);
    const length = useMemo(() => computed(() => lengthOf(node.value.value)), [node]).value;
    // Entries that change their places take their controls with them.
    const ids = useMemo(() => [...node.itemIds()], [node.order.value, length]);
    const page = usePage(node, length, PAGE);
    const isFull = length >= (limitOf(schema['maxItems']) ?? Infinity) || itemSchema(schema, length) === false;
    const focus = (selector: string): void => {

        focusSoon(() => box.current?.querySelector<HTMLElement>(selector));
    };

    const add = (): void => {

        store.insert(node, length, initial.of(itemSchema(schema, length)));
        node.child(String(length)).isOpen.value = true;
        page.show(length);
        focus(`[data-item="${length}"] > .form-item-body :is(input, textarea, select, button)`);
    };

    const move = (from: number, to: number): void => {

        store.move(node, from, to);
        page.show(to);
        context.announce?.(t('moved', { name: t('item', { count: from + 1 }), count: to + 1 }));
        focus(`[data-item="${to}"] [data-move="${to < from ? 'up' : 'down'}"]:not(:disabled), [data-item="${to}"] [data-move]:not(:disabled)`);
    };

    const remove = (index: number): void => {

        store.remove(node, index);
        context.announce?.(t('removed', { name: t('item', { count: index + 1 }) }));
        focus(length > 1 ? `[data-item="${Math.min(index, length - 2)}"] [data-remove]` : '[data-add]');
    };

    return (
        <div class="form-list" ref={box}>
            {length === 0 && <p class="muted">{t('empty')}</p>}
            <Pager page={page} length={length} size={PAGE} />
            <ol start={page.start + 1}>
                {Array.from({ length: page.end - page.start }, (_, i) => page.start + i).map((index) => (
                    <ListItem key={ids[index]} node={node.child(String(index))} {...{ schema, index, length, level, isReadOnly, move, remove }} />
                ))}
            </ol>
            {!isReadOnly && !isFull && (
                <button type="button" class="small" data-add id={length === 0 ? idOf(node) : undefined} aria-label={t('addTo', { name: label })} onClick={add}><Icon name="add" />{t('add')}</button>
            )}
        </div>
    );
}

function lengthOf(value: Json | undefined): number {

    return Array.isArray(value) ? value.length : 0;
}

interface ItemProps extends Omit<ListProps, 'label'> {
    readonly index: number;
    readonly length: number;
    readonly move: (from: number, to: number) => void;
    readonly remove: (index: number) => void;
}

function ListItem({ node, schema, index, length, level, isReadOnly, move, remove }: ItemProps): JSX.Element {

    const { Field, reader, context } = useForm();
    const own = itemSchema(schema, index);
    const { schema: merged } = useMemo(() => reader.effective(own, undefined), [own]);
    const isNested = useMemo(() => computed(() => isContainer(node.value.value) || node.value.value === undefined && isContainerType(merged)), [node, merged]).value;
    const summary = useMemo(() => computed(() => (isNested ? summaryOf(node.value.value, merged, context.keyword) : '')), [node, merged, isNested]).value;
    const isOpen = node.isOpen.value ?? (!isNested || length <= MAX_OPEN && level < 3);
    const name = labelOf(merged, t('item', { count: index + 1 }));
    const spoken = summary === '' ? t('item', { count: index + 1 }) : summary;
    const onKeyDown = (event: KeyboardEvent): void => {

        if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown') && !isReadOnly) {
            event.preventDefault();
            event.stopPropagation();
            const to = index + (event.key === 'ArrowUp' ? -1 : 1);
            if (to >= 0 && to < length) {
                move(index, to);
            }
        }
    };

    const buttons = !isReadOnly && (
        <div class="form-item-buttons">
            <button type="button" class="quiet icon-button" data-move="up" aria-label={t('up', { name: spoken })} disabled={index === 0} onClick={() => move(index, index - 1)}><Icon name="up" /></button>
            <button type="button" class="quiet icon-button" data-move="down" aria-label={t('down', { name: spoken })} disabled={index === length - 1} onClick={() => move(index, index + 1)}><Icon name="down" /></button>
            <button type="button" class="quiet icon-button" data-remove aria-label={t('removeItem', { name: spoken })} onClick={() => remove(index)}><Icon name="close" /></button>
        </div>
    );
    return (
        <li class={`form-item ${isNested ? 'nested' : ''}`} data-item={index} onKeyDown={onKeyDown}>
            {isNested && (
                <div class="form-item-head">
                    <button type="button" class="quiet form-toggle" aria-expanded={isOpen} onClick={() => {

                        node.isOpen.value = !isOpen;
                    }}><Icon name={isOpen ? 'down' : 'forward'} /><bdi>{summary === '' ? name : summary}</bdi></button>
                    {buttons}
                </div>
            )}
            {isOpen && (
                <div class="form-item-body">
                    <Field node={node} schema={own} name={t('item', { count: index + 1 })} isItem level={level + 1} isReadOnly={isReadOnly} />
                    {!isNested && buttons}
                </div>
            )}
        </li>
    );
}

function isContainer(value: Json | undefined): boolean {

    return Array.isArray(value) || isJsonMap(value);
}

function isContainerType(schema: JsonMap): boolean {

    const types = typesOf(schema);
    return types.length > 0 && types.every((type) => type === 'object' || type === 'array');
}
