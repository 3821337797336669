/** Search for an object to refer to, with ways to give its id or to create it. */

import type { JSX } from 'preact';
import { Combobox, type Suggestion } from '../../components/combobox.js';
import { idIn } from '../../shell/links.js';
import { isAbort } from '../../state/messages.js';
import { useForm } from '../context.js';
import type { ReferenceOption } from '../context.js';
import { idOfValue, valueOfId } from '../model/extension.js';
import type { ReferenceRule } from '../model/extension.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import type { ControlAttributes } from './use-control.js';

/** An entry of the list: an object, its id as it was typed, or a type of which a new object is created. */
interface Entry extends Suggestion {
    readonly option?: ReferenceOption;
    readonly newType?: string;
}

interface SearchProps {
    readonly rule: ReferenceRule;
    readonly node: FormNode;
    readonly attributes: ControlAttributes;
    /** Name of the field; without it a label element names it by its id. */
    readonly label?: string;
    readonly autoFocus?: boolean;
    /** Takes the value that refers to an object; `isLeft` when the focus has gone to another field. */
    readonly onChoose: (value: string, isLeft: boolean) => void;
    /** Called when a text is removed that was kept as no object. */
    readonly onEmpty?: () => void;
    /** Called by Escape when the list is closed. */
    readonly onCancel?: () => void;
}

/** The field and its list. */
export function ReferenceSearch({ rule, node, attributes, label, autoFocus = false, onChoose, onEmpty, onCancel }: SearchProps): JSX.Element {

    const { context, store } = useForm();
    const { types, excludeTypes } = rule;
    const servicePrefix = context.servicePrefix ?? '';
    const prefix = idOfValue(rule, '', servicePrefix);
    const actionsFor = (text: string, found: readonly ReferenceOption[]): readonly Entry[] => {

        const creatable = context.createReference ? context.creatableTypes?.({ types, excludeTypes }) ?? [] : [];
        // What is no id itself stands for what follows the prefix.
        const id = idIn(text) ?? (text.startsWith(prefix) ? text : prefix + text);
        const own = id.startsWith(prefix) ? id : null;
        const isOffered = text !== '' && own !== null && !found.some(({ id }) => id === own);
        return [
            ...isOffered ? [{ id: own, label: t('useId', { id: own }), isAction: true, option: { id: own, label: own } }] : [],
            ...creatable.map((newType) => ({ id: `:${newType}`, label: t('create', { types: newType }), isAction: true, newType }))
        ];
    };

    const suggest = async (text: string, signal: AbortSignal): Promise<readonly Entry[]> => {

        try {
            const found = await context.findReferences?.({ types, excludeTypes, prefix, text }, signal) ?? [];
            const objects = found.map((option): Entry => ({ id: option.id, label: option.label, hint: hintOf(option), option }));
            return [...objects, ...actionsFor(text, found)];
        }
        catch (error) {
            const actions = actionsFor(text, []);
            if (isAbort(error) || actions.length === 0) {
                throw error;
            }

            return actions;
        }
    };

    const choose = (option: ReferenceOption, isLeft = false): void => {

        const value = valueOfId(rule, option.id, servicePrefix);
        leave(value === null ? option.id : '');
        if (value !== null) {
            onChoose(value, isLeft);
        }
    };

    const pick = async ({ option, newType }: Entry): Promise<void> => {

        const chosen = newType === undefined ? option : await context.createReference?.(newType);
        if (chosen) {
            choose(chosen);
        }
    };

    /** A text that is not taken stays in the field, and is said to be no object: otherwise nobody would see that it is not saved. */
    const leave = (text: string): void => {

        node.typed.value = text === '' ? null : text;
        const isOutside = idIn(text)?.startsWith(prefix) === false;
        store.setProblem(node, text === '' ? null : isOutside ? t('otherPrefix', { prefix }) : t('notChosen'));
    };

    const take = (text: string): void => {

        leave(text);
        const id = idIn(text);
        if (text === '') {
            onEmpty?.();
        }
        else if (id !== null && valueOfId(rule, id, servicePrefix) !== null) {
            // Words with a slash look like ids: only one that the search finds is taken.
            context.findReferences?.({ types, excludeTypes, prefix, text: id }, new AbortController().signal).then((found) => {

                if (node.typed.peek() === text && found.some((option) => option.id === id)) {
                    choose({ id, label: id }, document.activeElement?.id !== attributes.id);
                }
            }, () => undefined);
        }
    };

    const placeholder = types.length > 0 && types.length < 4 ? t('searchIn', { types: types.join(', ') }) : t('search');
    return (
        <Combobox id={attributes.id} label={label ?? null} text={node.typed.value ?? ''} placeholder={placeholder} autofocus={autoFocus} isInvalid={attributes['aria-invalid'] === 'true'}
            isRequired={attributes['aria-required'] === 'true'} describedBy={attributes['aria-describedby']} suggest={suggest}
            onPick={(entry) => void pick(entry)} onText={take} onCancel={onCancel} />
    );
}

function hintOf({ id, label, type = '' }: ReferenceOption): string {

    return [type, ...id === label ? [] : [id]].filter((each) => each !== '').join(' · ');
}
