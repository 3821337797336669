/** Arrays of any values: a list whose entries are added, removed and moved. */

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { computed } from '@preact/signals';
import { Icon } from '../../components/icon.js';
import { isJsonMap } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { useForm } from '../context.js';
import { itemSchema } from '../model/field-kind.js';
import { labelOf, summaryOf } from '../model/labels.js';
import { typesOf } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { AddButton, ItemButtons, stepOf } from './item-buttons.js';
import { Pager } from './pager.js';
import { PAGE, useItems } from './use-items.js';

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

    const items = useItems(node, schema, '> .form-item-body :is(input, textarea, select, button)');
    const { length, page, move, remove } = items;
    return (
        <div class="form-list" ref={items.box}>
            {length === 0 && <p class="muted">{t('empty')}</p>}
            <Pager page={page} length={length} size={PAGE} />
            <ol start={page.start + 1}>
                {items.shown.map((index) => (
                    <ListItem key={items.ids[index]} node={node.child(String(index))} {...{ schema, index, length, level, isReadOnly, move, remove }} />
                ))}
            </ol>
            {!isReadOnly && !items.isFull && <AddButton node={node} isEmpty={length === 0} label={label} add={items.add} />}
        </div>
    );
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
    const isNested = useMemo(() => computed(() => isContainer(node.value.value) || node.value.value === undefined && isContainerType(merged)),
        [node, merged]).value;
    const summary = useMemo(() => computed(() => (isNested ? summaryOf(node.value.value, merged, context.keyword) : '')), [node, merged, isNested]).value;
    const isOpen = node.isOpen.value ?? (!isNested || length <= MAX_OPEN && level < 3);
    const name = labelOf(merged, t('item', { count: index + 1 }));
    const spoken = summary === '' ? t('item', { count: index + 1 }) : summary;
    const onKeyDown = (event: KeyboardEvent): void => {

        const step = isReadOnly ? 0 : stepOf(event);
        if (step !== 0) {
            move(index, index + step);
        }
    };

    const buttons = !isReadOnly && <ItemButtons name={spoken} {...{ index, length, move, remove }} />;
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
