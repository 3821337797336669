/** References to other objects: a single one, and lists of them. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useForm } from '../context.js';
import { focusSoon } from '../focus.js';
import { idOfValue } from '../model/extension.js';
import type { ReferenceRule } from '../model/extension.js';
import type { JsonMap } from '../../json/exact-number.js';
import { limitOf } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { ReferenceSearch } from './reference-search.js';
import { Tags, textsOf } from './tags-field.js';
import { useClear, useControl } from './use-control.js';
import type { ControlProps } from './use-control.js';

/** A reference: a link to the object, or a search for one. */
export function ReferenceControl(props: ControlProps & { readonly rule: ReferenceRule }): JSX.Element {

    const { node, rule, isItem, isReadOnly, label } = props;
    const { store, context } = useForm();
    const clear = useClear();
    const attributes = useControl(props);
    const [isChanging, setChanging] = useState(false);
    const value = node.value.value;
    const text = typeof value === 'string' ? value : '';
    if (text === '' && isReadOnly) {
        return <p id={attributes.id}>–</p>;
    }

    if (text === '' || isChanging) {
        const choose = (chosen: string, isLeft: boolean): void => {

            setChanging(false);
            store.set(node, chosen);
            if (!isLeft) {
                focusSoon(() => document.querySelector<HTMLElement>(`button#${attributes.id}`));
            }
        };

        const cancel = (): void => {

            store.forgetTyped(node);
            setChanging(false);
        };

        return <ReferenceSearch {...{ rule, node, attributes }} onChoose={choose} onEmpty={() => setChanging(false)} autoFocus={isChanging} {...text === '' ? {} : { onCancel: cancel }} />;
    }

    const id = idOfValue(rule, text, context.servicePrefix ?? '');
    const name = context.labelOf?.(id) ?? id;
    return (
        <div class="row form-reference">
            <span class="form-chip">
                {context.addressOf ? <a href={context.addressOf(id)} target="_blank" rel="noopener" title={id}><bdi>{name}</bdi></a> : <bdi>{name}</bdi>}
            </span>
            {name !== id && <small><bdi>{id}</bdi></small>}
            {!isReadOnly && <button {...attributes} type="button" class="small" aria-label={`${t('change')}: ${label}`} onClick={() => setChanging(true)}>{t('change')}</button>}
            {!isReadOnly && !isItem && <button type="button" class="small" aria-label={t('removeItem', { name: label })} onClick={() => clear(node, isItem)}>{t('remove')}</button>}
        </div>
    );
}

/** A list of references. */
export function ReferencesField(props: {
    readonly node: FormNode; readonly schema: JsonMap; readonly rule: ReferenceRule; readonly label: string;
    readonly isRequired: boolean; readonly isReadOnly: boolean; readonly hasDescription: boolean;
}): JSX.Element {

    const { node, schema, rule, label, isReadOnly } = props;
    const { store, context } = useForm();
    const attributes = useControl(props);
    const texts = textsOf(node.value.value);
    const prefix = context.servicePrefix ?? '';
    const nameOf = (text: string): string => {

        const id = idOfValue(rule, text, prefix);
        return context.labelOf?.(id) ?? id;
    };

    const add = (value: string): void => {

        // An id that was typed is taken when the service has found it: the list may be another one since.
        const present = textsOf(node.value.peek());
        if (!present.includes(value)) {
            store.insert(node, present.length, value);
        }
    };

    const remove = (index: number): void => {

        const name = nameOf(texts[index] ?? '');
        store.remove(node, index);
        context.announce?.(t('removed', { name }));
        document.getElementById(attributes.id)?.focus();
    };

    const { addressOf } = context;
    return (
        <div class="form-tags">
            <Tags node={node} label={label} isReadOnly={isReadOnly} remove={remove} nameOf={nameOf}
                addressOf={addressOf ? (text) => addressOf(idOfValue(rule, text, prefix)) : undefined} addressTitle={(text) => idOfValue(rule, text, prefix)} />
            {!isReadOnly && texts.length < (limitOf(schema['maxItems']) ?? Infinity) &&
                <ReferenceSearch {...{ rule, node, attributes }} label={t('addTo', { name: label })} onChoose={add} />}
        </div>
    );
}
