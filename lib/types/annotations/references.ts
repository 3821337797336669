/**
 * Handle references: values of content that name other objects. Finds them, and reports the errors once the caller has looked
 * up the objects.
 */

import type { ContentError } from '../../errors/errors.js';
import { invalidContent } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { childPointer } from '../../json/pointer.js';
import { memberOf, prependOf } from '../schema/extension-keyword.js';
import type { ContentReference, Annotation } from '../../model/processed-content.js';

/** Maximum number of references in one object. */
const MAX_REFERENCES = 10_000;

/**
 * Returns the references among annotations. An annotated array is a list of references.
 *
 * @throws DoipError 400 if a reference is not a string, or if there are too many
 */
export function findReferences(annotations: readonly Annotation[], prefix: string): ContentReference[] {

    const references: ContentReference[] = [];
    const seen = new Set<string>();
    const rules = new Map<JsonObject, ReferenceRule>();
    for (const { pointer, keyword, value } of annotations) {
        const found = memberOf(keyword, 'type', 'handleReference');
        if (!isJsonObject(found)) {
            continue;
        }

        const rule = rules.get(found) ?? readRule(found, prefix);
        rules.set(found, rule);
        for (const reference of referencesAt(pointer, value, rule)) {
            const key = `${rule.key} ${reference.pointer.length} ${reference.pointer}${reference.id}`;
            if (!seen.has(key)) {
                seen.add(key);
                references.push(reference);
            }
        }

        if (references.length > MAX_REFERENCES) {
            throw invalidContent([{ pointer, message: `content may refer to at most ${MAX_REFERENCES} objects` }]);
        }
    }

    return references;
}

/** Returns the errors of references. `types` holds the objects that exist: id → type. */
export function referenceErrors(references: readonly ContentReference[], types: ReadonlyMap<string, string>): ContentError[] {

    return references.flatMap(({ pointer, id, types: allowed, excludeTypes }) => {

        const type = types.get(id);
        if (type === undefined) {
            return [{ pointer, message: `Unexpected missing cordra object ${id} at ${pointer}` }];
        }

        const found = `Cordra object ${id} referenced at ${pointer} has type ${type}`;
        if (excludeTypes?.includes(type)) {
            return [{ pointer, message: `${found} which is not permitted.` }];
        }

        return allowed && !allowed.includes(type) ? [{ pointer, message: `${found}, expected [${allowed.join(', ')}]` }] : [];
    });
}

/** What the keyword says of the references in its place. */
interface ReferenceRule {
    readonly prepend: string;
    readonly allowed: Pick<ContentReference, 'types' | 'excludeTypes'>;
    /** The same for equal rules. */
    readonly key: string;
}

function readRule(rule: JsonObject, prefix: string): ReferenceRule {

    const types = namesIn(rule['types']);
    const excludeTypes = namesIn(rule['excludeTypes']);
    const allowed = { ...(types.length > 0 ? { types } : {}), ...(excludeTypes.length > 0 ? { excludeTypes } : {}) };
    return { prepend: prependOf(rule)(prefix), allowed, key: JSON.stringify(allowed) };
}

function referencesAt(pointer: string, value: JsonValue, rule: ReferenceRule): ContentReference[] {

    if (value === null) {
        return [];
    }

    if (Array.isArray(value)) {
        return value.flatMap((element, index) => referencesAt(childPointer(pointer, index), element, rule));
    }

    if (typeof value !== 'string') {
        throw invalidContent([{ pointer, message: 'must be a string: it refers to an object by its id' }]);
    }

    return [{ pointer, id: rule.prepend + value, ...rule.allowed }];
}

function namesIn(value: JsonValue | undefined): string[] {

    const names = Array.isArray(value) ? value : [value];
    return names.filter((name) => typeof name === 'string');
}
