/** Fields of the types of the service, as searches use them. */

import { config } from '../config.js';
import { design, schemaOf, typeNames } from '../state/design.js';
import { fieldsOf, previewOf, type Field, type Preview } from './fields.js';

let known: unknown = null;
const fields = new Map<string, readonly Field[]>();
const previews = new Map<string, Preview>();
let fieldsOfAll: ReadonlyMap<string, Field> | null = null;

function forget(): void {

    if (known !== design.value) {
        known = design.value;
        fields.clear();
        previews.clear();
        fieldsOfAll = null;
    }
}

/** The fields of a type; none before the design is read. */
export function fieldsOfType(type: string): readonly Field[] {

    forget();
    const found = fields.get(type) ?? fieldsOf(schemaOf(type), config.keyword);
    fields.set(type, found);
    return found;
}

/** What is shown of objects of a type. */
export function previewOfType(type: string): Preview {

    forget();
    const found = previews.get(type) ?? previewOf(fieldsOfType(type));
    previews.set(type, found);
    return found;
}

const MAX_TYPES = 500;

/** Fields of all types, by name. */
function allByName(): ReadonlyMap<string, Field> {

    forget();
    fieldsOfAll ??= byName(typeNames.value.slice(0, MAX_TYPES));
    return fieldsOfAll;
}

function byName(types: readonly string[]): Map<string, Field> {

    const found = new Map<string, Field>();
    types.forEach((each) => fieldsOfType(each).forEach((field) => found.has(field.name) || found.set(field.name, field)));
    return found;
}

/** Fields of all types, each name once; those of `type` first. */
export function allFields(type: string | null): readonly Field[] {

    const own = byName(type === null ? [] : [type]);
    return [...own.values(), ...[...allByName().values()].filter(({ name }) => !own.has(name))];
}

/** Label of a field by its name in queries. */
export function fieldLabel(name: string, type: string | null): string {

    const own = type === null ? undefined : fieldsOfType(type).find((field) => field.name === name);
    return own?.label ?? allByName().get(name)?.label ?? name;
}
