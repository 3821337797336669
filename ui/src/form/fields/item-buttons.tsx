/** Buttons of an entry of an array, and its keys. */

import type { JSX } from 'preact';
import { Icon } from '../../components/icon.js';
import { idOf } from '../context.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';

interface ItemButtonsProps {
    /** What the buttons call the entry. */
    readonly name: string;
    readonly index: number;
    readonly length: number;
    readonly move: (from: number, to: number) => void;
    readonly remove: (index: number) => void;
}

/** Moves an entry up and down, and removes it. */
export function ItemButtons({ name, index, length, move, remove }: ItemButtonsProps): JSX.Element {

    return (
        <div class="form-item-buttons">
            <button type="button" class="quiet icon-button" data-move="up" aria-label={t('up', { name })} disabled={index === 0}
                onClick={() => move(index, index - 1)}><Icon name="up" /></button>
            <button type="button" class="quiet icon-button" data-move="down" aria-label={t('down', { name })} disabled={index === length - 1}
                onClick={() => move(index, index + 1)}><Icon name="down" /></button>
            <button type="button" class="quiet icon-button" data-remove aria-label={t('removeItem', { name })} onClick={() => remove(index)}><Icon name="close" /></button>
        </div>
    );
}

/** Adds an entry. Of an empty array it is the control that messages lead to. */
export function AddButton({ node, isEmpty, label, add }: {
    readonly node: FormNode; readonly isEmpty: boolean; readonly label: string; readonly add: () => void;
}): JSX.Element {

    return (
        <button type="button" class="small" data-add id={isEmpty ? idOf(node) : undefined} aria-label={t('addTo', { name: label })} onClick={add}>
            <Icon name="add" />{t('add')}
        </button>
    );
}

/** How far Alt with an arrow key moves an entry: one up or down, or not at all. The key is then used up. */
export function stepOf(event: KeyboardEvent): -1 | 0 | 1 {

    if (!event.altKey || event.key !== 'ArrowUp' && event.key !== 'ArrowDown') {
        return 0;
    }

    event.preventDefault();
    event.stopPropagation();
    return event.key === 'ArrowUp' ? -1 : 1;
}
