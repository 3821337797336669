/** The fields of the type as a table, and its name and settings. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { config } from '../../config.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { memberOf, valueAt, withMember, type Path } from '../../json/pointer.js';
import { FieldModel } from '../model/field.js';
import { FieldTable } from './field-table.js';
import { t } from './texts.js';
import type { TabProps } from './type-screen.js';

const model = new FieldModel(config.keyword);

export function FieldsTab({ name, draft, isReadOnly }: TabProps): JSX.Element {

    const [path, setPath] = useState<Path>([]);
    const root = draft.content['schema'] ?? {};
    const schema = valueAt(root, path) ?? {};
    const isObject = memberOf(schema, 'properties') !== undefined || memberOf(schema, 'type') === 'object' || memberOf(schema, 'type') === undefined;
    const change = (next: Json): void => draft.set('schema', replaced(root, path, next));
    return (
        <div class="stack">
            {path.length === 0 && <Settings content={draft.content} isReadOnly={isReadOnly} onSet={draft.set} />}
            {path.length > 0 && (
                <p class="row">
                    <button type="button" class="small" onClick={() => setPath(parentOf(path))}>{t('back', { name: nameOf(parentOf(path)) ?? name })}</button>
                    <strong dir="auto">{t('nested', { name: nameOf(path) ?? '' })}</strong>
                </p>
            )}
            {isObject ? <FieldTable model={model} schema={schema} hasTitle={path.length === 0} isReadOnly={isReadOnly || !draft.isValidSchema} onChange={change} onOpen={(more) => setPath([...path, ...more])} /> : <p>{t('notObject')}</p>}
        </div>
    );
}

function replaced(value: Json, path: Path, next: Json): Json {

    const [key, ...rest] = path;
    return key === undefined ? next : withMember(value, key, replaced(memberOf(value, key) ?? {}, rest, next));
}

/** The object schema around another one: `/properties/NAME`, perhaps with `/items`. */
function parentOf(path: Path): Path {

    return path.slice(0, path.at(-1) === 'items' ? -3 : -2);
}

function nameOf(path: Path): string | undefined {

    return path.at(-1) === 'items' ? path.at(-2) : path.at(-1);
}

function Settings({ content, isReadOnly, onSet }: {
    readonly content: JsonMap; readonly isReadOnly: boolean; readonly onSet: (member: string, value: Json | undefined) => void
}): JSX.Element {

    const { name, description, hashObject } = content;
    return (
        <details class="card">
            <summary>{t('settings')}</summary>
            <div class="stack narrow settings">
                <label>{t('name')}<input dir="auto" readOnly={isReadOnly} value={typeof name === 'string' ? name : ''} onInput={(event) => onSet('name', event.currentTarget.value)} /><small>{t('nameHint')}</small></label>
                <label>{t('description')}<textarea rows={2} dir="auto" readOnly={isReadOnly} value={typeof description === 'string' ? description : ''} onInput={(event) => onSet('description', event.currentTarget.value || undefined)} /></label>
                <label class="inline"><input type="checkbox" disabled={isReadOnly} checked={hashObject === true} onChange={(event) => onSet('hashObject', event.currentTarget.checked ? true : undefined)} />{t('hash')}</label>
            </div>
        </details>
    );
}
