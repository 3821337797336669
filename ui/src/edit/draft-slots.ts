/** The places of drafts: there may be several of one object, which other pages of the browser have kept. */

import { isEqual } from '../json/exact-number.js';
import type { Json } from '../json/exact-number.js';
import { parseJson } from '../json/parse-json.js';
import { browserStorage, dropDraft, findDraft, MAX_DRAFTS } from '../state/drafts.js';
import type { Draft, DraftKey } from '../state/drafts.js';

/** A draft that is offered, with its number. */
export interface OfferedDraft extends Draft {
    readonly slot: number;
}

/** The value of a JSON text, in an object; null for a text that is no JSON. */
export function parsedOrNull(text: string): { readonly value: Json } | null {

    try {
        return { value: parseJson(text) };
    }
    catch {
        return null;
    }
}

/** The place of a draft, by its number. */
export type KeyOf = (slot: number) => DraftKey;

const SLOTS = Array.from({ length: MAX_DRAFTS }, (_, slot) => slot);

/** The drafts that differ from what is stored. */
export function offered(keyOf: KeyOf, content: Json): readonly OfferedDraft[] {

    return SLOTS.flatMap((slot) => {

        const draft = otherDraft(findDraft(browserStorage(), keyOf(slot)), content);
        return draft ? [{ ...draft, slot }] : [];
    });
}

/** Where nothing is kept, or only what is stored; the last place if there is none. */
export function freeSlot(keyOf: KeyOf, content: Json): number {

    return SLOTS.find((slot) => otherDraft(findDraft(browserStorage(), keyOf(slot)), content) === null) ?? MAX_DRAFTS - 1;
}

/** Removes a draft, unless there is another one at its place. */
export function dropOwn(keyOf: KeyOf, { slot, savedOn }: { readonly slot: number; readonly savedOn: number }): void {

    if (findDraft(browserStorage(), keyOf(slot))?.savedOn === savedOn) {
        dropDraft(browserStorage(), keyOf(slot));
    }
}

/** A draft that differs from what is stored; one that is no JSON does. */
function otherDraft(draft: Draft | null, content: Json): Draft | null {

    const parsed = draft && parsedOrNull(draft.text);
    return parsed && isEqual(parsed.value, content) ? null : draft;
}
