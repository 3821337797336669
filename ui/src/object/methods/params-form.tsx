/** The form for the input of a method, made from its schema. Loaded where a method describes its input. */

import type { JSX } from 'preact';
import { findObjects } from '../../components/object-picker.js';
import { config } from '../../config.js';
import { SchemaForm, type FormContext } from '../../form/schema-form.js';
import type { Schema } from '../../form/model/schema.js';
import type { Json } from '../../json/exact-number.js';
import { to } from '../../router.js';
import { labelOf } from '../../state/labels.js';

const CONTEXT: FormContext = {
    keyword: config.keyword,
    findReferences: ({ text, ...filter }, signal) => findObjects(text, filter, signal),
    labelOf: (id) => labelOf(id).value?.label ?? null,
    addressOf: (id) => to.object(id)
};

interface ParamsFormProps {
    readonly schema: Schema;
    readonly value: Json;
    readonly label: string;
    readonly onChange: (value: Json) => void;
    /** Called with the number of texts that are no values, such as letters in a number. */
    readonly onProblems: (count: number) => void;
}

/** The form. */
export function ParamsForm({ schema, value, label, onChange, onProblems }: ParamsFormProps): JSX.Element {

    return <SchemaForm schema={schema} value={value} label={label} context={CONTEXT} onChange={onChange} onProblems={onProblems} />;
}
