/**
 * A form for JSON by its JSON Schema. It shows what the schema describes and whatever else the value has, and changes nothing but what the user
 * edits. The service validates: its messages are shown at their fields.
 */

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Json } from '../json/exact-number.js';
import { valueAt } from '../json/pointer.js';
import { HostContext } from './context.js';
import type { FormContext, FormHost } from './context.js';
import { ErrorSummary } from './error-summary.js';
import { Field } from './fields/field.js';
import { SchemaReader } from './model/effective-schema.js';
import { InitialValues } from './model/initial-value.js';
import type { Schema } from './model/schema.js';
import type { FormNode } from './store/form-node.js';
import { FormStore } from './store/form-store.js';
import type { FormError } from './store/form-store.js';

export type { FormContext, ReferenceOption, ReferenceSearch } from './context.js';
export type { FormError } from './store/form-store.js';

interface FormProps {
    /** The schema. Another one makes another form. */
    readonly schema: Schema;
    readonly value: Json;
    /** What the service has stored of an object; absent for a new one. */
    readonly stored?: Json;
    /** Called with the new value at each edit; it shares with the former value what did not change. */
    readonly onChange?: (value: Json) => void;
    /** Called when the number of texts changes that are no values, such as letters in a number: they are not part of the value. */
    readonly onProblems?: (count: number) => void;
    readonly errors?: readonly FormError[];
    /** True to list such texts with the errors: the user has tried to save. */
    readonly isTried?: boolean;
    readonly isReadOnly?: boolean;
    readonly context: FormContext;
    /** Name of the form for screen readers. */
    readonly label: string;
}

const NO_ERRORS: readonly FormError[] = [];

/** The form. */
export function SchemaForm(props: FormProps): JSX.Element {

    const { schema, value, stored, onChange, onProblems, errors = NO_ERRORS, isTried = false, isReadOnly = false, context, label } = props;
    const report = useRef({ stored, onChange, onProblems });
    report.current = { stored, onChange, onProblems };
    const host = useMemo((): FormHost => {

        const reader = new SchemaReader(schema, context.lookup);
        const store = new FormStore(value, (next) => report.current.onChange?.(next));
        const isStored = (node: FormNode): boolean => valueAt(report.current.stored, node.path) !== undefined;
        return { store, reader, initial: new InitialValues(reader, context.keyword), context, isStored, Field };
    }, [schema, context]);
    useEffect(() => host.store.reset(value), [host, value]);
    useEffect(() => host.store.setErrors(errors), [host, errors]);
    useEffect(() => host.store.problems.subscribe(({ size }) => report.current.onProblems?.(size)), [host]);
    // The same elements as long as nothing but the value changes: fields render themselves.
    return useMemo(() => (
        <HostContext.Provider value={host}>
            <div class="form">
                <ErrorSummary isTried={isTried} />
                <Field node={host.store.root} schema={schema} name={label} isItem level={0} isReadOnly={isReadOnly} />
            </div>
        </HostContext.Provider>
    ), [host, schema, label, isTried, isReadOnly]);
}

/** The content of a new object. */
export function initialContent(schema: Schema, { keyword, lookup }: FormContext): Json {

    return new InitialValues(new SchemaReader(schema, lookup), keyword).content();
}
