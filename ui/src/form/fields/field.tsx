/** A field: the control for a value, as schema and value demand. */

import { computed } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { useChanged } from '../../components/use-changed.js';
import { isJsonMap } from '../../json/exact-number.js';
import type { JsonMap } from '../../json/exact-number.js';
import { idOf, useEffective, useForm } from '../context.js';
import type { FieldProps } from '../context.js';
import { extensionOf } from '../model/extension.js';
import type { Extension, ReferenceRule } from '../model/extension.js';
import { fieldKind, typeChoices } from '../model/field-kind.js';
import type { FieldKind } from '../model/field-kind.js';
import { labelOf } from '../model/labels.js';
import { textOf } from '../model/schema.js';
import { columnsOf, fitsCells, isTabular } from '../model/table.js';
import type { Column } from '../model/table.js';
import type { FormNode } from '../store/form-node.js';
import { t } from '../texts.js';
import { FieldErrors, FieldFrame, RequiredMark } from './field-frame.js';
import { JsonControl } from './json-control.js';
import { ListField } from './list-field.js';
import { ObjectField } from './object-field.js';
import { ReferenceControl, ReferencesField } from './reference-control.js';
import { BooleanControl, ConstantControl, DateControl, DateTimeControl, EnumControl, NumberControl } from './scalar-controls.js';
import { EnumListField, TagsField } from './tags-field.js';
import { TableField } from './table-field.js';
import { SecretControl, StringControl, TextControl } from './text-controls.js';
import type { ControlProps } from './use-control.js';
import { ChoiceSelects, TypeSelect } from './variant-select.js';

/** Objects and lists inside of more others begin closed. */
const MAX_OPEN_LEVEL = 3;

const CONTROLS: Partial<Record<FieldKind, ComponentType<ControlProps>>> = {
    'string': StringControl, 'text': TextControl, 'secret': SecretControl, 'number': NumberControl, 'boolean': BooleanControl, 'date': DateControl,
    'date-time': DateTimeControl, 'enum': EnumControl, 'constant': ConstantControl, 'json': JsonControl
};

/** Kinds that stay when the value would now be shown by the other one: a control must not be replaced while the user types. */
const STABLE: Readonly<Partial<Record<FieldKind, readonly FieldKind[]>>> = {
    text: ['string'], string: ['text', 'date', 'date-time'], list: ['tags', 'references', 'enum-list', 'table']
};

/** A field. */
export function Field(props: FieldProps): JSX.Element | null {

    const { node, name, cell, isItem = false, isRequired = false } = props;
    const { context, store } = useForm();
    const { schema, choices, isForbidden } = useEffective(node, props.schema);
    const extension = useMemo(() => extensionOf(schema, context.keyword), [schema]);
    const items = useItems(node, schema);
    const kind = useKind(node, schema, extension, items);
    // What was typed into a control of another kind is no text of this one.
    useChanged(kind, () => store.forgetTyped(node));
    const label = cell ?? labelOf(schema, name);
    const description = cell === undefined ? textOf(schema['description']) : undefined;
    const isReadOnly = props.isReadOnly || schema['readOnly'] === true || extension.isDisabled || extension.generated !== null;
    const types = typeChoices(schema);
    const aside = (
        <>
            {choices.length > 0 && <ChoiceSelects node={node} choices={choices} label={label} isReadOnly={isReadOnly} />}
            {types.length > 1 && kind !== 'json' && <TypeSelect {...{ node, types, label, isItem, isRequired, isReadOnly }} schema={props.schema} />}
            {isReadOnly && !props.isReadOnly && <small class="badge">{t('readOnly')}</small>}
        </>
    );
    const hasAside = choices.length > 0 || types.length > 1 && kind !== 'json' || isReadOnly && !props.isReadOnly;
    const shared = { node, schema, extension, label, isRequired, isReadOnly, isItem, hasDescription: description !== undefined };
    if (kind === 'object' || kind === 'list' || kind === 'table') {
        return <Nested {...props} {...{ kind, schema, items, label, description, isReadOnly, isRequired, isItem }} aside={hasAside ? aside : null} />;
    }

    const Control = CONTROLS[kind];
    const isGroup = ['tags', 'enum-list', 'references'].includes(kind);
    const rule = extension.reference ?? items.extension.reference;
    return (
        <FieldFrame node={node} label={label} description={description} isRequired={isRequired} isGroup={isGroup || kind === 'unset' || kind === 'null'}
            isLabelled={kind === 'boolean' || kind === 'constant'} {...hasAside ? { aside } : {}}>
            {kind === 'json' && !isForbidden && <Misfit node={node} schema={props.schema} />}
            {isForbidden && node.value.value === undefined ? <p class="muted">{t('forbidden')}</p> :
                Control ? <Control {...shared} /> : <Several {...shared} kind={kind} items={items} rule={rule} />}
        </FieldFrame>
    );
}

/** Says so where JSON stands for a value that does not fit. Values that fit may be of a kind for which there is no other control. */
function Misfit({ node, schema }: Pick<FieldProps, 'node' | 'schema'>): JSX.Element | null {

    const { reader } = useForm();
    const value = node.value.value;
    return value === undefined || reader.matches(schema, value) ? null : <p class="form-description">{t('misfit')}</p>;
}

interface Items {
    readonly schema: JsonMap;
    readonly extension: Extension;
    /** The columns of a table, where one can show them. */
    readonly columns: readonly Column[] | null;
}

/** The effective schema of the items of an array. */
function useItems(node: FormNode, schema: JsonMap): Items {

    const { reader, context } = useForm();
    return useMemo(() => {

        const own = isJsonMap(schema['items']) ? reader.effective(schema['items'], undefined).schema : {};
        return { schema: own, extension: extensionOf(own, context.keyword), columns: columnsOf(schema, reader, context.keyword) };
    }, [schema]);
}

/** The kind of control, which only changes when the value demands it. */
function useKind(node: FormNode, schema: JsonMap, extension: Extension, items: Items): FieldKind {

    return useMemo(() => {

        let last: FieldKind | null = null;
        return computed(() => {

            const value = node.value.value;
            const found = fieldKind({ schema, extension, value, type: node.type.value, items: items.schema, itemExtension: items.extension });
            const { columns } = items;
            const isTable = found === 'list' && columns !== null && isTabular(value, columns) && (last === 'table' || fitsCells(value));
            const kind = isTable ? 'table' : found;
            const stays = last !== null && STABLE[last]?.includes(kind) === true && !(typeof value === 'string' && /[\r\n]/.test(value) && last === 'string');
            last = stays && last !== null ? last : kind;
            return last;
        });
    }, [node, schema]).value;
}

/** Controls for lists, and what is shown without a value. */
function Several(props: ControlProps & { readonly kind: FieldKind; readonly items: Items; readonly rule: ReferenceRule | null }): JSX.Element | null {

    const { kind, items, rule, node } = props;
    if (kind === 'reference' && rule) {
        return <ReferenceControl {...props} rule={rule} />;
    }

    if (kind === 'references' && rule) {
        return <ReferencesField {...props} rule={rule} />;
    }

    if (kind === 'tags') {
        return <TagsField {...props} items={items.schema} itemExtension={items.extension} />;
    }

    if (kind === 'enum-list') {
        return <EnumListField {...props} items={items.schema} itemExtension={items.extension} />;
    }

    return <p id={idOf(node)} class="muted">{t(kind === 'null' ? 'null' : 'notSet')}</p>;
}

interface NestedProps extends FieldProps {
    readonly kind: 'object' | 'list' | 'table';
    readonly items: Items;
    readonly label: string;
    readonly description: string | undefined;
    readonly aside: JSX.Element | null;
    readonly schema: JsonMap;
}

/** An object or list, which can be closed. What is closed costs nothing, so that schemas may refer to themselves. */
function Nested(props: NestedProps): JSX.Element {

    const { node, kind, schema, items: { columns }, label, description, level, isItem = false, isRequired = false, isReadOnly, aside } = props;
    const { store } = useForm();
    const isPresent = useMemo(() => computed(() => node.value.value !== undefined), [node]).value;
    const isOpen = isItem || (node.isOpen.value ?? (level < MAX_OPEN_LEVEL && (isPresent || isRequired || kind !== 'object')));
    const id = idOf(node);
    const shared = { node, schema, label, level, isReadOnly };
    const inner = kind === 'object' ? <ObjectField {...shared} /> :
        kind === 'table' && columns ? <TableField {...shared} columns={columns} /> : <ListField {...shared} />;
    if (isItem) {
        return (
            <div class="form-inner" role="group" aria-label={label} id={id} tabIndex={-1}>
                {aside && <div class="form-label">{aside}</div>}
                {description !== undefined && <p class="form-description" dir="auto">{description}</p>}
                {inner}
                <FieldErrors node={node} />
            </div>
        );
    }

    const toggle = (): void => {

        node.isOpen.value = !isOpen;
    };

    return (
        <div class="form-group" role="group" aria-labelledby={`${id}-l`} {...description === undefined ? {} : { 'aria-describedby': `${id}-d` }}>
            <div class="form-label">
                <button type="button" class="quiet form-toggle" id={id} aria-expanded={isOpen} onClick={toggle}>
                    <Icon name={isOpen ? 'down' : 'forward'} /><span id={`${id}-l`} dir="auto">{label}<RequiredMark isRequired={isRequired} /></span>
                </button>
                {!isPresent && <small>{t('notSet')}</small>}
                {aside}
                {isPresent && !isRequired && !isReadOnly &&
                    <button type="button" class="link small" aria-label={t('removeItem', { name: label })} onClick={() => store.unset(node)}>{t('remove')}</button>}
            </div>
            {description !== undefined && <p id={`${id}-d`} class="form-description" dir="auto">{description}</p>}
            <FieldErrors node={node} />
            {isOpen && <div class="form-inner">{inner}</div>}
        </div>
    );
}
