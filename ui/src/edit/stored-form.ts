/**
 * Whether a content that is stored comes from one that was sent. The service writes generated values, and empties secrets, which the schema tells; any
 * other difference is a change of somebody else, or of type code.
 */

import { extensionOf } from '../form/model/extension.js';
import { isEqual, isJsonMap } from '../json/exact-number.js';
import type { Json, JsonMap } from '../json/exact-number.js';
import { SchemaView } from '../object/model/schema.js';
import type { Schema } from '../object/model/schema.js';

/** What is known about the type of a content. */
export interface TypeRules {
    /** Null for a type that is not known. */
    readonly schema: JsonMap | null;
    /** Name of the extension keyword. */
    readonly keyword: string;
    /** True for an object that was created: the secrets that it brought are stored with it. Of a change only its other values tell. */
    readonly isNew?: boolean;
    /** True if members that were not sent, and texts in place of empty ones, may be of type code. */
    readonly mayAdd?: boolean;
}

/** True for a content that the service has stored from another one. */
export function isStoredFrom(stored: Json | undefined, sent: Json | undefined, { schema, keyword, isNew = false, mayAdd = false }: TypeRules): boolean {

    const view = new SchemaView(schema, keyword);
    const compare = (now: Json | undefined, before: Json | undefined, part: Schema): boolean => {

        const { generated, isSecret } = extensionOf(part, keyword);
        if (generated !== null) {
            return now === undefined || typeof now === 'string';
        }

        if (isSecret) {
            return isEmpty(now) && (isNew || isEmpty(before));
        }

        if (mayAdd && (before === undefined || before === '' && (now === undefined || typeof now === 'string'))) {
            return true;
        }

        if (Array.isArray(before)) {
            const [items, others] = [before as readonly Json[], now as readonly Json[]];
            return Array.isArray(now) && others.length === items.length && items.every((item, at) => compare(others[at], item, view.member(part, at)));
        }

        if (!isJsonMap(before) || !isJsonMap(now)) {
            return isEqual(now, before);
        }

        return [...new Set([...Object.keys(now), ...Object.keys(before)])].every((name) => compare(own(now, name), own(before, name), view.member(part, name)));
    };

    return compare(stored, sent, view.root);
}

/** True for a content with a secret: whether that is stored cannot be seen. */
export function bringsSecret(content: Json, { schema, keyword }: TypeRules): boolean {

    const view = new SchemaView(schema, keyword);
    const brings = (value: Json, part: Schema): boolean => {

        if (extensionOf(part, keyword).isSecret) {
            return !isEmpty(value);
        }

        const members = Array.isArray(value) ? [...(value as readonly Json[]).entries()] : isJsonMap(value) ? Object.entries(value) : [];
        return members.some(([key, member]) => brings(member, view.member(part, key)));
    };

    return brings(content, view.root);
}

function isEmpty(value: Json | undefined): boolean {

    return value === undefined || value === '';
}

function own(object: JsonMap, name: string): Json | undefined {

    return Object.hasOwn(object, name) ? object[name] : undefined;
}
