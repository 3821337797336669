/** What somebody has typed into the editor of a type or of the design, and given up: it is kept as a draft, and offered again. */

import { useRef, useState } from 'preact/hooks';
import { caller } from '../../api/session.js';
import { config } from '../../config.js';
import { dropOwn, freeSlot, offered, parsedOrNull, type KeyOf, type OfferedDraft } from '../../edit/draft-slots.js';
import { knownVersion } from '../../edit/restored-base.js';
import { isJsonMap, type Json } from '../../json/exact-number.js';
import { writeJson } from '../../json/write-json.js';
import { browserStorage, keepDraft } from '../../state/drafts.js';
import type { Draft, Typed } from './draft.js';

/** Drafts that are offered, and what is done with them. */
export interface SetAside {
    readonly found: readonly OfferedDraft[];
    /** True if one of them is nowhere else: the browser could not keep it. */
    readonly isOnlyHere: boolean;
    /** Keeps what is typed now: something else is about to take its place. `seen` is the version beside which it was shown, if there is one. */
    readonly keep: (seen?: string | null) => void;
    /**
     * Takes it back, to be stored over the version that the user knows. What is typed instead is kept, too; the draft itself stays in the browser until
     * what became of it is stored.
     */
    readonly restore: (draft: OfferedDraft) => void;
    readonly discard: (draft: OfferedDraft) => void;
    /** Removes what was taken back: it is stored. */
    readonly forget: () => void;
}

/** A draft that is offered, and whether the browser has kept it. */
type KeptDraft = OfferedDraft & { readonly isKept?: boolean };

/** The drafts of what is edited. */
export function useSetAside(draft: Draft): SetAside {

    const { base: { id, content }, version, isChanged, typed } = draft;
    const keyOf: KeyOf = (slot) => ({ base: config.base, user: caller.value.userId ?? '', target: `type:${id}`, slot });
    const stored = jsonOf({ content, text: null, faulty: {} });
    const [found, setFound] = useState<readonly KeptDraft[]>(() => offered(keyOf, stored).filter(({ text }) => typedIn(text) !== null));
    const taken = useRef<readonly OfferedDraft[]>([]);
    const forget = (): void => {

        taken.current.forEach((each) => dropOwn(keyOf, each));
        taken.current = [];
    };

    const keep = (seen: string | null = null): void => {

        forget();
        const kept = { savedOn: Date.now(), etag: version, ...seen === null ? {} : { seen }, text: writeJson(jsonOf(typed)), slot: freeSlot(keyOf, stored) };
        // What is too large for the storage is offered as long as the page lasts.
        const isKept = keepDraft(browserStorage(), keyOf(kept.slot), kept);
        setFound((drafts) => [...drafts, { ...kept, isKept }]);
    };

    const discard = (kept: OfferedDraft): void => {

        dropOwn(keyOf, kept);
        setFound((drafts) => drafts.filter((each) => each !== kept));
    };

    const restore = (kept: OfferedDraft): void => {

        const before = typedIn(kept.text);
        if (isChanged) {
            keep();
        }

        taken.current = [...taken.current, kept];
        setFound((drafts) => drafts.filter((each) => each !== kept));
        if (before) {
            draft.retype(before, knownVersion(kept) ?? draft.base.etag);
        }
    };

    return { found, isOnlyHere: found.some(({ isKept }) => isKept === false), keep, restore, discard, forget };
}

function jsonOf({ content, text, faulty }: Typed): Json {

    return { content, text, faulty };
}

/** What a draft holds; null for anything else in the storage, which other scripts of the origin may have written. */
function typedIn(text: string): Typed | null {

    const value = parsedOrNull(text)?.value;
    if (!isJsonMap(value)) {
        return null;
    }

    const { content, text: schema, faulty } = value;
    const places = isJsonMap(faulty) ? Object.entries(faulty).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : [];
    return isJsonMap(content) ? { content, text: typeof schema === 'string' ? schema : null, faulty: Object.fromEntries(places) } : null;
}
