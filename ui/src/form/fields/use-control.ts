/** What every control has: its id, its messages, and how it clears its value. */

import { useForm, idOf } from '../context.js';
import type { FormHost } from '../context.js';
import type { JsonMap } from '../../json/exact-number.js';
import type { Extension } from '../model/extension.js';
import { typeOf } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';

/** Properties of a control for a single value. */
export interface ControlProps {
    readonly node: FormNode;
    readonly schema: JsonMap;
    readonly extension: Extension;
    readonly label: string;
    readonly isRequired: boolean;
    readonly isReadOnly: boolean;
    readonly isItem: boolean;
    /** True if a description is shown, which has the id of the control with `-d` at the end. */
    readonly hasDescription: boolean;
}

/** Attributes of the element that has the focus. */
export interface ControlAttributes {
    readonly 'id': string;
    readonly 'aria-describedby'?: string;
    readonly 'aria-invalid'?: 'true';
    readonly 'aria-required'?: 'true';
}

/** The attributes of a control. */
export function useControl({ node, isRequired, hasDescription }: Pick<ControlProps, 'node' | 'isRequired' | 'hasDescription'>): ControlAttributes {

    const id = idOf(node);
    const isInvalid = node.problem.value !== null || node.errors.value.length > 0;
    const described = [...hasDescription ? [`${id}-d`] : [], ...isInvalid ? [`${id}-e`] : []].join(' ');
    return {
        id,
        ...described === '' ? {} : { 'aria-describedby': described },
        ...isInvalid ? { 'aria-invalid': 'true' as const } : {},
        ...isRequired ? { 'aria-required': 'true' as const } : {}
    };
}

/** Removes a value that the user has emptied. Items of arrays stay, so that the others keep their places. */
export function useClear(): (node: FormNode, isItem: boolean) => void {

    const { store } = useForm();
    return (node, isItem) => clear(store, node, isItem);
}

function clear(store: FormHost['store'], node: FormNode, isItem: boolean): void {

    const value = node.value.peek();
    if (value === undefined) {
        return;
    }

    if (isItem || Array.isArray(node.parent?.value.peek())) {
        store.set(node, typeof value === 'string' ? '' : null);
    }
    else {
        // The control stays, although an absent value may be of any type.
        node.type.value ??= typeOf(value) === 'integer' ? 'number' : typeOf(value);
        store.unset(node);
    }
}
