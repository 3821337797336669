/** The title of an object. */

import { isJsonMap, type Json } from '../../json/exact-number.js';
import type { Schema, SchemaView } from './schema.js';

/** Longer titles are cut. */
const MAX_LENGTH = 300;

/** Properties that are titles by their name, where the schema names none. */
const USUAL = ['title', 'name', 'label', 'username', 'identifier'];

/** The value that the schema declares as the title, or that has the name of one; the id where there is none. */
export function titleOf(content: Json, view: SchemaView, id: string): string {

    const text = declared(content, view.root, view, 0) ?? usual(content) ?? id;
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function usual(content: Json): string | undefined {

    return isJsonMap(content) ? USUAL.map((name) => (Object.hasOwn(content, name) ? content[name] : undefined)).find(isTitle) : undefined;
}

function isTitle(value: Json | undefined): value is string {

    return typeof value === 'string' && value.trim() !== '';
}

/** The first value with `preview.isPrimary`, in the content or in objects in it. */
function declared(value: Json, schema: Schema, view: SchemaView, depth: number): string | undefined {

    if (!isJsonMap(value) || depth > 3) {
        return undefined;
    }

    for (const name of view.names(schema)) {
        const member = Object.hasOwn(value, name) ? value[name] : undefined;
        const own = view.member(schema, name);
        if (isTitle(member) && view.extension(own, 'preview')['isPrimary'] === true) {
            return member;
        }

        const inner = member === undefined ? undefined : declared(member, own, view, depth + 1);
        if (inner !== undefined) {
            return inner;
        }
    }

    return undefined;
}
