/** Arrays of objects with single values: a table with a row for each entry. */

import type { JSX } from 'preact';
import type { JsonMap } from '../../json/exact-number.js';
import { serverText } from '../../server-texts/index.js';
import { idOf, useForm } from '../context.js';
import type { Column } from '../model/table.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { RequiredMark } from './field-frame.js';
import { AddButton, ItemButtons, stepOf } from './item-buttons.js';
import { Pager } from './pager.js';
import { PAGE, useItems } from './use-items.js';

interface TableProps {
    readonly node: FormNode;
    readonly schema: JsonMap;
    readonly columns: readonly Column[];
    readonly label: string;
    readonly level: number;
    readonly isReadOnly: boolean;
}

/** The table, and the button to add a row. */
export function TableField({ node, schema, columns, label, level, isReadOnly }: TableProps): JSX.Element {

    const items = useItems(node, schema, 'td :is(input, textarea, select, button)');
    const { length, page, move, remove } = items;
    return (
        <div class="form-list" ref={items.box}>
            {length === 0 && <p class="muted">{t('empty')}</p>}
            <Pager page={page} length={length} size={PAGE} />
            {length > 0 && (
                <div class="form-table">
                    <table aria-label={label}>
                        <thead>
                            <tr>
                                <th scope="col"><span class="visually-hidden">{t('rowNumber')}</span></th>
                                {columns.map(({ name, label: title, description, isRequired }) => (
                                    <th key={name} scope="col">
                                        <span dir="auto">{title}<RequiredMark isRequired={isRequired} /></span>
                                        {description !== undefined && <small class="form-description" dir="auto">{description}</small>}
                                    </th>
                                ))}
                                {!isReadOnly && <td />}
                            </tr>
                        </thead>
                        <tbody>
                            {items.shown.map((index) => (
                                <Row key={items.ids[index]} node={node.child(String(index))} {...{ columns, index, length, level, isReadOnly, move, remove }} />
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {!isReadOnly && !items.isFull && <AddButton node={node} isEmpty={length === 0} label={label} add={items.add} />}
        </div>
    );
}

interface RowProps extends Pick<TableProps, 'node' | 'columns' | 'level' | 'isReadOnly'> {
    readonly index: number;
    readonly length: number;
    readonly move: (from: number, to: number, place?: string) => void;
    readonly remove: (index: number) => void;
}

function Row({ node, columns, index, length, level, isReadOnly, move, remove }: RowProps): JSX.Element {

    const { Field } = useForm();
    const messages = node.errors.value;
    const row = t('item', { count: index + 1 });
    const onKeyDown = (event: KeyboardEvent): void => {

        const step = isReadOnly ? 0 : stepOf(event);
        if (step !== 0) {
            const column = event.target instanceof Element ? event.target.closest('[data-column]')?.getAttribute('data-column') : null;
            move(index, index + step, typeof column === 'string' ? `[data-column="${column}"] :is(input, textarea, select, button)` : undefined);
        }
    };

    return (
        <>
            <tr id={idOf(node)} tabIndex={-1} data-item={index} onKeyDown={onKeyDown} {...messages.length > 0 ? { 'aria-describedby': `${idOf(node)}-e` } : {}}>
                <th scope="row">{index + 1}</th>
                {columns.map(({ name, label, schema, isRequired }, i) => (
                    <td key={name} data-column={i}>
                        <Field node={node.child(name)} name={name} schema={schema} isRequired={isRequired} cell={t('cell', { name: label, row })} level={level + 2}
                            isReadOnly={isReadOnly} />
                    </td>
                ))}
                {!isReadOnly && <td><ItemButtons name={row} {...{ index, length, move, remove }} /></td>}
            </tr>
            {messages.length > 0 && (
                <tr><td colSpan={columns.length + 2} id={`${idOf(node)}-e`}>{messages.map((message) => <p key={message} class="form-error" dir="auto">{serverText(message)}</p>)}</td></tr>
            )}
        </>
    );
}
