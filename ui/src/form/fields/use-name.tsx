/** The field for the name of a property. What is typed there and is no name of a property yet keeps the object from being saved without it. */

import type { JSX, TargetedFocusEvent, TargetedInputEvent } from 'preact';
import { useState } from 'preact/hooks';
import { idOf, useForm } from '../context.js';
import type { nameProblem } from '../model/object-fields.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';

type NameFault = ReturnType<typeof nameProblem>;

interface NameField {
    /** What is typed now. */
    readonly text: () => string;
    /** Attributes of the field. */
    readonly attributes: {
        readonly 'id': string;
        readonly 'type': 'text';
        readonly 'dir': 'auto';
        readonly 'value': string;
        readonly 'aria-invalid'?: 'true';
        readonly 'aria-describedby'?: string;
        readonly 'onInput': (event: TargetedInputEvent<HTMLInputElement>) => void;
    };
    /** For the element around the field and its button: what is wrong is said when both are left. */
    readonly onFocusOut: (event: TargetedFocusEvent<HTMLElement>) => void;
    /** What is wrong; it is not said while the user types. */
    readonly message: JSX.Element | null;
    /** Notes why the name is not taken, or that it is. */
    readonly settle: (fault: NameFault) => void;
}

/** The field, at its own node. `name` is the present name; `open` says that what is typed is not taken yet. */
export function useName(node: FormNode, name: string, open: string): NameField {

    const { store } = useForm();
    const [isTyping, setTyping] = useState(false);
    // An empty field for a new name keeps nothing from being saved.
    const [isMissing, setMissing] = useState(false);
    const id = idOf(node);
    const shown = node.typed.value ?? name;
    const text = (): string => node.typed.peek() ?? name;
    const problem = node.problem.value ?? (isMissing ? t('nameEmpty') : null);
    const isInvalid = problem !== null && !isTyping;
    const type = (typed: string): void => {

        setTyping(true);
        setMissing(false);
        node.typed.value = typed === name ? null : typed;
        store.setProblem(node, typed === name ? null : open);
    };

    const settle = (fault: NameFault): void => {

        setTyping(false);
        setMissing(fault === 'empty');
        const typed = fault === null || text() === name ? null : text();
        node.typed.value = typed;
        store.setProblem(node, fault === null || typed === null ? null : t(({ empty: 'nameEmpty', taken: 'nameTaken', forbidden: 'nameForbidden' } as const)[fault]));
    };

    const onFocusOut = ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLElement>): void => {

        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) {
            setTyping(false);
        }
    };

    return {
        text, settle, onFocusOut,
        attributes: {
            id, type: 'text', dir: 'auto', value: shown, ...isInvalid ? { 'aria-invalid': 'true', 'aria-describedby': `${id}-e` } : {},
            onInput: ({ currentTarget }) => type(currentTarget.value)
        },
        message: isInvalid ? <p id={`${id}-e`} class="form-error" role="alert">{problem}</p> : null
    };
}
