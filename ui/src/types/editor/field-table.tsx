/** A table of the properties of an object schema. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.js';
import { Empty } from '../../components/feedback.js';
import type { Json } from '../../json/exact-number.js';
import { KINDS, type Field, type FieldModel, type Kind } from '../model/field.js';
import { FieldDetails } from './field-details.js';
import { t } from './texts.js';

interface FieldTableProps {
    readonly model: FieldModel;
    readonly schema: Json;
    /** True where a field can be the title of objects. */
    readonly hasTitle: boolean;
    readonly isReadOnly: boolean;
    readonly onChange: (schema: Json) => void;
    /** Shows the fields of an object in a field, by the path from this schema. */
    readonly onOpen: (path: readonly string[]) => void;
}

let nextKey = 1;

export function FieldTable(props: FieldTableProps): JSX.Element {

    const { model, schema, hasTitle, isReadOnly, onChange } = props;
    const [open, setOpen] = useState<string | null>(null);
    const keys = useRef(new Map<string, number>());
    const fields = model.fieldsOf(schema);
    // A field that is renamed stays the same row: the focus has gone on to its next control.
    const keyOf = (name: string): number => {

        const key = keys.current.get(name) ?? nextKey++;
        keys.current.set(name, key);
        return key;
    };

    const renamed = (from: string, name: string): void => {

        keys.current.set(name, keyOf(from));
        keys.current.delete(from);
        setOpen(open === from ? name : open);
    };

    return (
        <div class="stack">
            {fields.length === 0 && <Empty title={t('noFields')} />}
            {fields.length > 0 && (
                <div class="field-list" role="list">
                    {fields.map((field, at) => (
                        <FieldRow key={keyOf(field.name)} {...props} field={field} fields={fields} at={at}
                            isOpen={open === field.name} onToggle={() => setOpen(open === field.name ? null : field.name)}
                            onRenamed={(next) => renamed(field.name, next)} />
                    ))}
                </div>
            )}
            {hasTitle && !isReadOnly && fields.some(({ isTitle }) => isTitle) && (
                <div><button type="button" class="link" onClick={() => onChange(model.withTitle(schema, null))}>{t('noTitle')}</button></div>
            )}
            {!isReadOnly && <NewField names={fields.map(({ name }) => name)} onAdd={(name) => {

                onChange(model.withProperty(schema, name, { type: 'string' }));
                setOpen(name);
            }} />}
        </div>
    );
}

interface FieldRowProps extends FieldTableProps {
    readonly field: Field;
    readonly fields: readonly Field[];
    readonly at: number;
    readonly isOpen: boolean;
    readonly onToggle: () => void;
    readonly onRenamed: (name: string) => void;
}

function FieldRow({ model, schema, hasTitle, isReadOnly, onChange, onOpen, field, fields, at, isOpen, onToggle, onRenamed }: FieldRowProps): JSX.Element {

    const { name, kind, isList, isRequired, isTitle, isPreview, property } = field;
    const setProperty = (next: Json): void => onChange(model.withProperty(schema, name, next));
    // A kind that is chosen again is what it was before.
    const left = useRef(new Map<Kind, Json>());
    const setKind = (next: Kind, list: boolean): void => {

        left.current.set(kind, property);
        setProperty(model.withKind(property, next, list && next !== 'generated' && next !== 'other', left.current.get(next)));
    };

    const rename = (next: string): void => {

        onChange(model.rename(schema, name, next));
        onRenamed(next);
    };

    return (
        <div class="field-row" role="listitem">
            <div class="field-main">
                <NameInput name={name} taken={fields.map((each) => each.name)} isReadOnly={isReadOnly} onRename={rename} />
                <select aria-label={`${t('kind')}: ${name}`} value={kind} disabled={isReadOnly || kind === 'other'} onChange={(event) => setKind(event.currentTarget.value as Kind, isList)}>
                    {KINDS.filter((each) => each !== 'other' || kind === 'other').map((each) => <option key={each} value={each}>{t(each)}</option>)}
                </select>
                <div class="field-flags">
                    <label class="inline"><input type="checkbox" checked={isList} disabled={isReadOnly || kind === 'other' || kind === 'generated'} aria-label={`${t('list')}: ${name}`} onChange={(event) => setKind(kind, event.currentTarget.checked)} />{t('list')}</label>
                    <label class="inline"><input type="checkbox" checked={isRequired} disabled={isReadOnly} aria-label={`${t('required')}: ${name}`} onChange={(event) => onChange(model.require(schema, name, event.currentTarget.checked))} />{t('required')}</label>
                    <label class="inline"><input type="checkbox" checked={isPreview} disabled={isReadOnly} aria-label={`${t('inPreview')}: ${name}`} onChange={(event) => setProperty(model.withPreview(property, event.currentTarget.checked))} />{t('inPreview')}</label>
                    {hasTitle && <label class="inline"><input type="radio" name="title-field" checked={isTitle} disabled={isReadOnly || isList} aria-label={`${t('title')}: ${name}`} onChange={() => onChange(model.withTitle(schema, name))} />{t('title')}</label>}
                </div>
                <div class="field-actions">
                    {!isReadOnly && <>
                        <button type="button" class="quiet icon-button" aria-label={t('up', { name })} disabled={at === 0} onClick={() => onChange(model.move(schema, name, -1))}><Icon name="up" /></button>
                        <button type="button" class="quiet icon-button" aria-label={t('down', { name })} disabled={at === fields.length - 1} onClick={() => onChange(model.move(schema, name, 1))}><Icon name="down" /></button>
                    </>}
                    <button type="button" class="quiet icon-button" aria-label={t('more', { name })} aria-expanded={isOpen} onClick={onToggle}><Icon name={isReadOnly ? 'info' : 'edit'} /></button>
                    {!isReadOnly && <button type="button" class="quiet icon-button" aria-label={t('remove', { name })} onClick={() => onChange(model.remove(schema, name))}><Icon name="delete" /></button>}
                </div>
            </div>
            {isOpen && <FieldDetails model={model} field={field} isReadOnly={isReadOnly} onChange={setProperty} onOpen={() => onOpen(['properties', name, ...isList ? ['items'] : []])} />}
        </div>
    );
}

/** The name of a field, which is changed when the user leaves it: each letter would be another name. */
function NameInput({ name, taken, isReadOnly, onRename }: {
    readonly name: string; readonly taken: readonly string[]; readonly isReadOnly: boolean; readonly onRename: (name: string) => void
}): JSX.Element {

    const [text, setText] = useState(name);
    const isTaken = text !== name && taken.includes(text);
    const leave = (): void => {

        if (text === '' || isTaken) {
            setText(name);
        }
        else if (text !== name) {
            onRename(text);
        }
    };

    return (
        <div class="field-name">
            <input aria-label={`${t('fieldName')}: ${name}`} dir="auto" spellcheck={false} autocomplete="off" readOnly={isReadOnly} value={text} aria-invalid={isTaken ? true : undefined}
                onInput={(event) => setText(event.currentTarget.value)} onBlur={leave} onKeyDown={(event) => event.key === 'Enter' && leave()} />
            {isTaken && <small class="danger-text" role="alert">{t('nameTaken')}</small>}
        </div>
    );
}

function NewField({ names, onAdd }: { readonly names: readonly string[]; readonly onAdd: (name: string) => void }): JSX.Element {

    const [name, setName] = useState('');
    const isTaken = names.includes(name);
    const add = (event: Event): void => {

        event.preventDefault();
        if (name !== '' && !isTaken) {
            onAdd(name);
            setName('');
        }
    };

    return (
        <form class="row new-field" onSubmit={add}>
            <input aria-label={t('newField')} placeholder={t('newField')} dir="auto" spellcheck={false} autocomplete="off" value={name} aria-invalid={isTaken ? true : undefined} onInput={(event) => setName(event.currentTarget.value)} />
            <button type="submit" disabled={name === '' || isTaken}><Icon name="add" />{t('add')}</button>
            {isTaken && <small class="danger-text" role="alert">{t('nameTaken')}</small>}
        </form>
    );
}
