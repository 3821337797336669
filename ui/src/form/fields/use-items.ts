/** What lists and tables share: the entries of an array on a page, and how they are added, moved and removed. */

import { computed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { useForm } from '../context.js';
import { focusSoon } from '../focus.js';
import { itemSchema } from '../model/field-kind.js';
import { limitOf } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { usePage } from './pager.js';
import type { Page } from './pager.js';

/** Entries of a page. */
export const PAGE = 25;

interface Items {
    /** The element around all entries. */
    readonly box: RefObject<HTMLDivElement | null>;
    readonly length: number;
    readonly isFull: boolean;
    /** Keys of the entries: those that change their places take their controls with them. */
    readonly ids: readonly number[];
    readonly page: Page;
    /** Indices of the entries of the page. */
    readonly shown: readonly number[];
    readonly add: () => void;
    /** Moves an entry; `place` is the control in it that gets the focus. */
    readonly move: (from: number, to: number, place?: string) => void;
    readonly remove: (index: number) => void;
}

/**
 * The entries of an array.
 *
 * @param control selects the first control inside of a new entry, which has its index as `data-item`
 */
export function useItems(node: FormNode, schema: JsonMap, control: string): Items {

    const { store, initial, context } = useForm();
    const box = useRef<HTMLDivElement>(null);
    const length = useMemo(() => computed(() => lengthOf(node.value.value)), [node]).value;
    const ids = useMemo(() => [...node.itemIds()], [node.order.value, length]);
    const page = usePage(node, length, PAGE);
    const focus = (selector: string): void => focusSoon(() => box.current?.querySelector<HTMLElement>(selector));
    const add = (): void => {

        store.insert(node, length, initial.of(itemSchema(schema, length)));
        node.child(String(length)).isOpen.value = true;
        page.show(length);
        focus(`[data-item="${length}"] ${control}`);
    };

    const move = (from: number, to: number, place?: string): void => {

        if (to < 0 || to >= length) {
            return;
        }

        store.move(node, from, to);
        page.show(to);
        context.announce?.(t('moved', { name: t('item', { count: from + 1 }), count: to + 1 }));
        const button = `[data-item="${to}"] [data-move="${to < from ? 'up' : 'down'}"]:not(:disabled), [data-item="${to}"] [data-move]:not(:disabled)`;
        focus(place === undefined ? button : `[data-item="${to}"] ${place}`);
    };

    const remove = (index: number): void => {

        store.remove(node, index);
        context.announce?.(t('removed', { name: t('item', { count: index + 1 }) }));
        focus(length > 1 ? `[data-item="${Math.min(index, length - 2)}"] [data-remove]` : '[data-add]');
    };

    return {
        box, length, ids, page, add, move, remove, isFull: length >= (limitOf(schema['maxItems']) ?? Infinity) || itemSchema(schema, length) === false,
        shown: Array.from({ length: page.end - page.start }, (_, i) => page.start + i)
    };
}

function lengthOf(value: Json | undefined): number {

    return Array.isArray(value) ? value.length : 0;
}
