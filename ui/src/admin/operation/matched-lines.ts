/** Which objects of a batch are among those that are stored. */

import { isStoredFrom, type TypeRules } from '../../edit/stored-form.js';
import type { JsonMap } from '../../json/exact-number.js';

/** An object of a file, with its text. */
interface OpenLine<L> {
    readonly line: L;
    readonly object: JsonMap;
}

/**
 * The lines of which objects were stored: of each object one. An object that has the content of no line is one to which type code has added something: the line
 * that says the most of it is its own, as a shorter one may be of another object.
 */
export function matchedLines<L extends { readonly text: string }>(
    open: readonly OpenLine<L>[], stored: readonly JsonMap[], rulesOf: (type: string) => TypeRules
): Set<L> {

    const left = [...stored];
    const found = new Set<L>();
    const match = (lines: readonly OpenLine<L>[], mayAdd: boolean): void => {

        for (const { line, object: { type, content = null } } of lines) {
            const rules = { ...rulesOf(typeof type === 'string' ? type : ''), isNew: true, mayAdd };
            const at = left.findIndex((each) => each['type'] === type && isStoredFrom(each['content'], content, rules));
            if (at !== -1) {
                left.splice(at, 1);
                found.add(line);
            }
        }
    };

    match(open, false);
    match(open.filter(({ line }) => !found.has(line)).sort((one, other) => other.line.text.length - one.line.text.length), true);
    return found;
}
