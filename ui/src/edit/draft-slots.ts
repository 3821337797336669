/** The places of drafts: there may be several of one object, which other pages of the browser have kept. */

import { isEqual } from '../json/exact-number.js';
import type { Json } from '../json/exact-number.js';
import { parseJson } from '../json/parse-json.js';
import { browserStorage, draftSlots, dropDraft, findDraft } from '../state/drafts.js';
import type { Draft, DraftKey, NewNames } from '../state/drafts.js';

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

/** The drafts that differ from what is stored. */
export function offered(keyOf: KeyOf, content: Json): readonly OfferedDraft[] {

    return draftSlots(browserStorage(), keyOf(0)).flatMap((slot) => {

        const draft = otherDraft(findDraft(browserStorage(), keyOf(slot)), content);
        return draft ? [{ ...draft, slot }] : [];
    });
}

/** A place where nothing is kept, or only what is stored. */
export function freeSlot(keyOf: KeyOf, content: Json): number {

    const taken = new Set(offered(keyOf, content).map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) {
        slot += 1;
    }

    return slot;
}

/** The place of a draft that goes on; another one where another page of the browser has kept something at its place since. */
export function ownSlot(keyOf: KeyOf, { slot, savedOn }: { readonly slot: number; readonly savedOn: number }, content: Json): number {

    const there = findDraft(browserStorage(), keyOf(slot));
    return there === null || there.savedOn === savedOn ? slot : freeSlot(keyOf, content);
}

/** Removes a draft, unless there is another one at its place. */
export function dropOwn(keyOf: KeyOf, { slot, savedOn }: { readonly slot: number; readonly savedOn: number }): void {

    if (findDraft(browserStorage(), keyOf(slot))?.savedOn === savedOn) {
        dropDraft(browserStorage(), keyOf(slot));
    }
}

/** A draft that differs from what is stored; one that is no JSON does, and one with an id. */
function otherDraft(draft: Draft | null, content: Json): Draft | null {

    const parsed = draft && parsedOrNull(draft.text);
    return parsed && isEqual(parsed.value, content) && !hasNames(draft?.names) ? null : draft;
}

/** True where the user has entered an id. */
export function hasNames(names: NewNames | undefined): boolean {

    return names !== undefined && names.handle + names.suffix !== '';
}
