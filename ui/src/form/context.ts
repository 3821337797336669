/** What the fields of a form share, and what a form asks of the page that shows it. */

import { computed } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import type { ComponentType } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import type { EffectiveSchema, SchemaReader } from './model/effective-schema.js';
import type { InitialValues } from './model/initial-value.js';
import { stringsOf } from './model/schema.js';
import type { Schema } from './model/schema.js';
import type { SchemaLookup } from './model/schema-documents.js';
import type { FormNode } from './store/form-node.js';
import type { FormStore } from './store/form-store.js';

/** An object that a field may refer to. */
export interface ReferenceOption {
    readonly id: string;
    readonly label: string;
    readonly type?: string;
}

/** A search for objects to refer to. Without types, all but the excluded ones are permitted. */
export interface ReferenceSearch {
    readonly types: readonly string[];
    readonly excludeTypes: readonly string[];
    /** Beginning of the ids; empty for any. */
    readonly prefix: string;
    readonly text: string;
}

/** What a form needs from the page. Without a member, what depends on it is not offered. */
export interface FormContext {
    /** Name of the extension keyword. */
    readonly keyword: string;
    /** Prefix of ids that the service makes. */
    readonly servicePrefix?: string;
    /** Schemas of other types, for `$ref`. */
    readonly lookup?: SchemaLookup;
    readonly findReferences?: (search: ReferenceSearch, signal: AbortSignal) => Promise<readonly ReferenceOption[]>;
    /** Label of an object; null while it is not known. May read signals. */
    readonly labelOf?: (id: string) => string | null;
    /** Address of an object, for links. */
    readonly addressOf?: (id: string) => string;
    /** Types of which the user may create an object to refer to. */
    readonly creatableTypes?: (search: Omit<ReferenceSearch, 'text' | 'prefix'>) => readonly string[];
    /** Lets the user create an object; null if the user gives up. */
    readonly createReference?: (type: string) => Promise<ReferenceOption | null>;
    /** Says something to screen readers. */
    readonly announce?: (text: string) => void;
}

/** Properties of a field. */
export interface FieldProps {
    readonly node: FormNode;
    readonly schema: Schema;
    /** Name by which errors and buttons speak of it: the title of the schema, if it has one, goes first. */
    readonly name: string;
    readonly isRequired?: boolean;
    /** True for items of arrays, whose frame has the buttons for them. */
    readonly isItem?: boolean;
    /** Name of the control in a cell of a table, whose column shows label and description. */
    readonly cell?: string;
    /** Nesting of objects and lists. */
    readonly level: number;
    readonly isReadOnly: boolean;
}

/** What all fields of a form share. */
export interface FormHost {
    readonly store: FormStore;
    readonly reader: SchemaReader;
    readonly initial: InitialValues;
    readonly context: FormContext;
    /** True for a place where what the service has stored has a value. */
    readonly isStored: (node: FormNode) => boolean;
    /** The component for fields, which those for objects and lists are part of. */
    readonly Field: ComponentType<FieldProps>;
}

export const HostContext = createContext<FormHost | null>(null);

/** The form that a field belongs to. */
export function useForm(): FormHost {

    const host = useContext(HostContext);
    if (!host) {
        throw new Error('a field is part of a form');
    }

    return host;
}

/** Id of the control of a node on the page. */
export function idOf(node: FormNode): string {

    return `field-${node.number}`;
}

/** The effective schema of a node. It only changes when other parts of the schema apply. */
export function useEffective(node: FormNode, schema: Schema): EffectiveSchema {

    const { reader } = useForm();
    return useMemo(() => effectiveSignal(reader, node, schema), [reader, node, schema]).value;
}

function effectiveSignal(reader: SchemaReader, node: FormNode, schema: Schema): ReadonlySignal<EffectiveSchema> {

    const isConditional = reader.isConditional(schema);
    let last: EffectiveSchema | null = null;
    return computed(() => {

        const next = reader.effective(schema, isConditional ? node.value.value : undefined, node.picks.value);
        last = last && isSame(last, next) ? last : next;
        return last;
    });
}

function isSame(a: EffectiveSchema, b: EffectiveSchema): boolean {

    return a.parts.length === b.parts.length && a.parts.every((part, i) => part === b.parts[i]) &&
        a.choices.every(({ current }, i) => current === b.choices[i]?.current) &&
        stringsOf(a.schema['required']).join('\n') === stringsOf(b.schema['required']).join('\n');
}
