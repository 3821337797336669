/** Objects: the fields of the schema, properties beyond it, and what the service fills in. */

import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { computed } from '@preact/signals';
import { Icon } from '../../components/icon.js';
import { isEqual, isJsonMap } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { useForm } from '../context.js';
import type { SchemaReader } from '../model/effective-schema.js';
import { extensionOf } from '../model/extension.js';
import { labelOf, shortText } from '../model/labels.js';
import { additionalSchema, fieldsOf, nameProblem, offersAdditional } from '../model/object-fields.js';
import type { ObjectField as FieldOf } from '../model/object-fields.js';
import type { Schema } from '../model/schema.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { useName } from './use-name.js';

/** Fields that are shown at once. */
const PAGE = 250;

interface ObjectProps {
    readonly node: FormNode;
    readonly schema: JsonMap;
    readonly label: string;
    readonly level: number;
    readonly isReadOnly: boolean;
}

/** The fields of an object. */
export function ObjectField({ node, schema, label, level, isReadOnly }: ObjectProps): JSX.Element {

    const { Field, reader, context, store } = useForm();
    const fields = useFields(node, schema);
    const offersNew = !isReadOnly && offersAdditional(schema);
    useLayoutEffect(() => {

        const names = new Set(fields.map(({ name }) => name));
        const renamed = new Set(fields.filter(({ isAdditional }) => isAdditional).map(({ name }) => name));
        store.forgetHidden(node, (key) => names.has(key), (key) => (key === null ? offersNew : renamed.has(key)));
    }, [fields, offersNew]);
    const [shown, setShown] = useState(PAGE);
    const isGenerated = useMemo(() => new Set(
        fields.filter(({ schema: each }) => isGeneratedField(reader, each, context.keyword)).map(({ name }) => name)
    ), [fields]);
    const entered = fields.filter(({ name }) => !isGenerated.has(name));
    const wanted = node.shownKey.value;
    const limit = wanted === null ? shown : Math.max(shown, entered.findIndex(({ name }) => name === wanted) + 1);
    return (
        <div class="form-fields">
            {entered.slice(0, limit).map((field) => (field.isAdditional ?
                <AdditionalField key={field.name} {...{ node, field, schema, level, isReadOnly }} /> :
                <Field key={field.name} node={node.child(field.name)} name={field.name} schema={field.schema} isRequired={field.isRequired}
                    level={level + 1} isReadOnly={isReadOnly} />))}
            {entered.length > limit && <button type="button" onClick={() => setShown(limit + PAGE)}>{t('more', { count: Math.min(PAGE, entered.length - limit) })}</button>}
            {offersNew && <NewProperty {...{ node, schema, label }} />}
            {isGenerated.size > 0 && <Generated node={node} fields={fields.filter(({ name }) => isGenerated.has(name))} />}
        </div>
    );
}

/** The fields; they only change when properties come and go. */
function useFields(node: FormNode, schema: JsonMap): readonly FieldOf[] {

    return useMemo(() => {

        let names = '';
        let fields: readonly FieldOf[] | null = null;
        return computed(() => {

            const value = node.value.value;
            const next = isJsonMap(value) ? JSON.stringify(Object.keys(value)) : '';
            if (!fields || next !== names) {
                const listed = fieldsOf(schema, value);
                fields = fields && sameFields(fields, listed) ? fields : listed;
                names = next;
            }

            return fields;
        });
    }, [node, schema]).value;
}

function sameFields(a: readonly FieldOf[], b: readonly FieldOf[]): boolean {

    return a.length === b.length && a.every((field, i) => {

        const other = b[i];
        return other !== undefined && field.name === other.name && field.schema === other.schema && field.isAdditional === other.isAdditional;
    });
}

function isGeneratedField(reader: SchemaReader, schema: Schema, keyword: string): boolean {

    return extensionOf(reader.effective(schema, undefined).schema, keyword).generated !== null;
}

/** What the service fills in, with the present values. */
function Generated({ node, fields }: { readonly node: FormNode; readonly fields: readonly FieldOf[] }): JSX.Element {

    const { reader } = useForm();
    return (
        <details class="form-generated">
            <summary>{t('generated', { count: fields.length })}</summary>
            <dl>
                {fields.map(({ name, schema }) => (
                    <div key={name}>
                        <dt>{labelOf(reader.effective(schema, undefined).schema, name)}</dt>
                        <dd dir="auto">{shortText(node.child(name).value.value) || '–'}</dd>
                    </div>
                ))}
            </dl>
        </details>
    );
}

/** A property that the schema does not name: it may be renamed and removed. */
function AdditionalField({ node, field, schema, level, isReadOnly }: Omit<ObjectProps, 'label'> & { readonly field: FieldOf }): JSX.Element {

    const { Field, store } = useForm();
    const own = node.child(field.name);
    const name = useName(own.nameOf('own'), field.name, t('nameNotChanged'));
    const rename = (): void => {

        const typed = name.text();
        const fault = typed === field.name ? null : nameProblem(schema, node.value.peek(), typed);
        name.settle(fault);
        if (fault === null && typed !== field.name) {
            store.rename(own, typed);
        }
    };

    return (
        <div class="form-additional">
            {!isReadOnly && (
                <div class="form-joined form-key" onFocusOut={name.onFocusOut}>
                    <input {...name.attributes} aria-label={t('property')} onChange={rename} />
                    <button type="button" class="icon-button" aria-label={t('removeItem', { name: field.name })} onClick={() => store.unset(own)}><Icon name="close" /></button>
                </div>
            )}
            {name.message}
            <Field node={own} name={field.name} schema={field.schema} isRequired={field.isRequired} level={level + 1} isReadOnly={isReadOnly} />
        </div>
    );
}

/** Adds a property that the schema does not name. */
function NewProperty({ node, schema, label }: { readonly node: FormNode; readonly schema: JsonMap; readonly label: string }): JSX.Element {

    const { store, initial } = useForm();
    const name = useName(node.nameOf('new'), '', t('nameNotAdded'));
    const add = (): void => {

        const typed = name.text();
        const fault = nameProblem(schema, node.value.peek(), typed);
        name.settle(fault);
        if (fault === null) {
            const own = additionalSchema(schema, typed);
            store.set(node.child(typed), own === true ? '' : initial.of(own));
        }
    };

    const onKeyDown = (event: KeyboardEvent): void => {

        if (event.key === 'Enter') {
            event.preventDefault();
            add();
        }
    };

    return (
        <div class="form-new">
            <div class="form-joined form-key" onFocusOut={name.onFocusOut}>
                <input {...name.attributes} aria-label={`${t('newProperty')}: ${label}`} placeholder={t('newProperty')} onKeyDown={onKeyDown} />
                <button type="button" onClick={add}><Icon name="add" />{t('addProperty')}</button>
            </div>
            {name.message}
        </div>
    );
}

/** Returns whether a value is worth showing: not absent, not empty. */
export function hasContent(value: Json | undefined): boolean {

    return value !== undefined && !isEqual(value, {});
}
