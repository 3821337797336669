/** The fields of an object: those of the schema in its order, then whatever else the object has. */

import { isJsonMap } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { matchesPattern } from './safe-pattern.js';
import { isSchema, schemaEntries, stringsOf } from './schema.js';
import type { Schema } from './schema.js';

/** A field of an object. */
export interface ObjectField {
    readonly name: string;
    readonly schema: Schema;
    readonly isRequired: boolean;
    /** True for a property that `properties` does not name. */
    readonly isAdditional: boolean;
}

/** Lists the fields. Properties that the schema forbids are shown only where they exist. */
export function fieldsOf(schema: JsonMap, value: Json | undefined): readonly ObjectField[] {

    const object = isJsonMap(value) ? value : {};
    const required = new Set(stringsOf(schema['required']));
    const entries = schemaEntries(schema['properties']);
    const names = new Set(entries.map(([name]) => name));
    const declared = entries.filter(([name, each]) => each !== false || Object.hasOwn(object, name))
        .map(([name, each]) => ({ name, schema: each === false ? true : each, isRequired: required.has(name), isAdditional: false }));
    const undeclared = [...new Set([...Object.keys(object), ...required])].filter((name) => !names.has(name));
    return [...declared, ...undeclared.map((name) =>
        ({ name, schema: additionalSchema(schema, name), isRequired: required.has(name), isAdditional: Object.hasOwn(object, name) }))];
}

/** The schema of a property that `properties` does not name. */
export function additionalSchema(schema: JsonMap, name: string): Schema {

    const patterns = schemaEntries(schema['patternProperties']).filter(([pattern]) => matchesPattern(pattern, name) === true).map(([, each]) => each);
    if (patterns.length > 0) {
        return patterns.length === 1 ? patterns[0] ?? true : { allOf: patterns };
    }

    const rest = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
    return isSchema(rest) && rest !== false ? rest : true;
}

/** True if the form offers to add properties: where the schema speaks of them, or names none at all. */
export function offersAdditional(schema: JsonMap): boolean {

    const rest = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
    const hasPatterns = schemaEntries(schema['patternProperties']).length > 0;
    return rest === false ? hasPatterns : rest !== undefined || hasPatterns || schemaEntries(schema['properties']).length === 0;
}

/** Why a property cannot be added; null if it can. */
export function nameProblem(schema: JsonMap, value: Json | undefined, name: string): 'empty' | 'taken' | 'forbidden' | null {

    if (name === '') {
        return 'empty';
    }

    const isNamed = schemaEntries(schema['properties']).some(([each]) => each === name);
    if (isJsonMap(value) && Object.hasOwn(value, name) || isNamed) {
        return 'taken';
    }

    const rest = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
    const fitsPattern = schemaEntries(schema['patternProperties']).some(([pattern]) => matchesPattern(pattern, name) !== false);
    return name === '__proto__' || rest === false && !fitsPattern ? 'forbidden' : null;
}
