/**
 * Handle references: values of content that name other objects. Finds them, and reports the errors once the caller has looked
 * up the objects.
 */

import type { ContentError } from '../../errors/errors.js';
import { invalidContent } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { childPointer, shownPointer } from '../../json/pointer.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import { memberOf, prependOf } from '../schema/extension-keyword.js';
import type { ContentReference, Annotation } from '../../model/processed-content.js';

/** Maximum number of references in one object. */
const MAX_REFERENCES = 10_000;

/** Maximum length of the JSON pointer of a reference, which is stored with it. JavaScript compares sets of much longer texts slowly. */
const MAX_POINTER = 2000;

/**
 * Returns the references among annotations. An annotated array is a list of references.
 *
 * @param isStored true for content that cannot be refused any more: references whose pointer is too long are left out
 * @throws DoipError 400 if a reference is not a string or has too long a pointer, or if there are too many
 */
export function findReferences(annotations: readonly Annotation[], prefix: string, isStored = false): ContentReference[] {

    const references: ContentReference[] = [];
    const rules = new Map<JsonObject, ReferenceRule>();
    const seen = new Map<string, Set<string>>();
    for (const { pointer, keyword, value } of annotations) {
        const found = memberOf(keyword, 'type', 'handleReference');
        if (!isJsonObject(found)) {
            continue;
        }

        const rule = rules.get(found) ?? readRule(found, prefix, seen);
        rules.set(found, rule);
        for (const reference of referencesAt(pointer, value, rule)) {
            if (reference.pointer.length > MAX_POINTER) {
                rejectUnless(isStored, reference);
            }
            else if (!rule.seen.has(reference.pointer)) {
                rule.seen.add(reference.pointer);
                references.push(reference);
            }
        }

        if (references.length > MAX_REFERENCES) {
            throw invalidContent([{ pointer: shownPointer(pointer), message: `content may refer to at most ${MAX_REFERENCES} objects` }]);
        }
    }

    return references;
}

function rejectUnless(isStored: boolean, { pointer }: ContentReference): void {

    if (!isStored) {
        throw invalidContent([{ pointer: shownPointer(pointer), message: `must not refer to an object below names of more than ${MAX_POINTER} characters` }]);
    }
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
    /** Pointers of the references that were found, for all rules that say the same. */
    readonly seen: Set<string>;
}

function readRule(rule: JsonObject, prefix: string, seen: Map<string, Set<string>>): ReferenceRule {

    const types = namesIn(rule['types']);
    const excludeTypes = namesIn(rule['excludeTypes']);
    const allowed = { ...(types.length > 0 ? { types } : {}), ...(excludeTypes.length > 0 ? { excludeTypes } : {}) };
    const prepend = prependOf(rule)(prefix);
    return { prepend, allowed, seen: getOrAdd(seen, JSON.stringify([prepend, allowed]), () => new Set()) };
}

function referencesAt(pointer: string, value: JsonValue, rule: ReferenceRule): ContentReference[] {

    if (value === null) {
        return [];
    }

    if (Array.isArray(value)) {
        return value.flatMap((element, index) => referencesAt(childPointer(pointer, index), element, rule));
    }

    if (typeof value !== 'string') {
        throw invalidContent([{ pointer: shownPointer(pointer), message: 'must be a string: it refers to an object by its id' }]);
    }

    return [{ pointer, id: rule.prepend + value, ...rule.allowed }];
}

function namesIn(value: JsonValue | undefined): string[] {

    const names = Array.isArray(value) ? value : [value];
    return names.filter((name) => typeof name === 'string');
}
