/** Choices between branches of a schema, and between types. */

import type { JSX } from 'preact';
import { batch } from '@preact/signals';
import { isNumber } from '../../json/exact-number.js';
import type { Json } from '../../json/exact-number.js';
import { useForm } from '../context.js';
import type { Choice } from '../model/effective-schema.js';
import { optionLabel } from '../model/labels.js';
import { isOfType, typeOf } from '../model/schema.js';
import type { JsonType, Schema } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';

/** Selects for the branches of `oneOf` and `anyOf`. Values of a branch that the user leaves are there again when the user returns. */
export function ChoiceSelects({ node, choices, label, isReadOnly }: {
    readonly node: FormNode; readonly choices: readonly Choice[]; readonly label: string; readonly isReadOnly: boolean;
}): JSX.Element {

    const { store, initial, reader } = useForm();
    const pick = ({ options, current, key }: Choice, index: number): void => {

        const [former, next] = [options[current] ?? true, options[index] ?? true];
        const value = node.value.peek();
        if (value !== undefined) {
            node.left.set(former, value);
        }

        const kept = node.left.get(next);
        batch(() => {

            store.forgetTyped(node);
            node.picks.value = new Map([...node.picks.peek(), [key, index]]);
            node.type.value = null;
            const switched: Json | undefined = kept !== undefined && reader.matches(next, kept) ? kept : initial.switched(value, former, next);
            if (switched === undefined) {
                store.unset(node);
            }
            else if (switched !== value) {
                store.set(node, switched);
            }
        });
    };

    return (
        <>
            {choices.map((choice, i) => (
                <select key={i} class="form-variant" aria-label={t('kind', { name: label })} disabled={isReadOnly} value={String(choice.current)}
                    onChange={({ currentTarget }) => pick(choice, Number(currentTarget.value))}>
                    {choice.options.map((option, index) => <option key={index} value={String(index)}>{nameOf(option, index)}</option>)}
                </select>
            ))}
        </>
    );
}

function nameOf(option: Schema, index: number): string {

    const name = optionLabel(option);
    return name === null ? t('option', { count: index + 1 }) : isType(name) ? t(name) : name;
}

function isType(name: string): name is JsonType {

    return ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].includes(name);
}

/** A select for the type of a value that may be of several. */
export function TypeSelect({ node, types, label, isItem, isRequired, isReadOnly, schema }: {
    readonly node: FormNode; readonly types: readonly JsonType[]; readonly label: string; readonly isItem: boolean; readonly isRequired: boolean;
    readonly isReadOnly: boolean; readonly schema: Schema;
}): JSX.Element {

    const { store, initial } = useForm();
    const value = node.value.value;
    const current = value === undefined ? node.type.value ?? '' : types.find((type) => isOfType(typeOf(value), type)) ?? '';
    const change = (chosen: string): void => {

        const former = node.value.peek();
        const key = node.type.peek() ?? (former === undefined ? null : types.find((type) => isOfType(typeOf(former), type)) ?? null);
        if (key !== null && former !== undefined) {
            node.left.set(key, former);
        }

        batch(() => {

            store.forgetTyped(node);
            node.type.value = isType(chosen) ? chosen : null;
            if (isType(chosen)) {
                store.set(node, node.left.get(chosen) ?? converted(former, chosen) ?? initial.of(schema, chosen));
            }
            else {
                store.unset(node);
            }
        });
    };

    return (
        <select class="form-variant" aria-label={t('type', { name: label })} disabled={isReadOnly} value={current} onChange={({ currentTarget }) => change(currentTarget.value)}>
            {(!isItem && (!isRequired || current === '') || current === '') && <option value="">{t('notSet')}</option>}
            {types.map((type) => <option key={type} value={type}>{t(type)}</option>)}
        </select>
    );
}

/** A value as another type, where nothing is lost. */
function converted(value: Json | undefined, type: JsonType): Json | undefined {

    return type === 'string' && (isNumber(value) || typeof value === 'boolean') ? String(value) :
        type === 'array' && value !== undefined && value !== null ? [value] : undefined;
}
