/** What goes on while somebody edits: checks by the service, drafts, keys, and the question before changes are lost. */

import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { RepositoryError } from '../api/client.js';
import { caller, other } from '../api/session.js';
import { useChanged } from '../components/use-changed.js';
import { config } from '../config.js';
import type { FormError } from '../form/schema-form.js';
import type { Json } from '../json/exact-number.js';
import { writeJson } from '../json/write-json.js';
import { browserStorage, isTooLong, keepDraft } from '../state/drafts.js';
import type { Draft, DraftKey, NewNames } from '../state/drafts.js';
import { say } from '../state/messages.js';
import { dropOwn, freeSlot, hasNames, offered, ownSlot, parsedOrNull } from './draft-slots.js';
import type { OfferedDraft } from './draft-slots.js';
import { checkContent } from './object-access.js';
import type { Target } from './object-access.js';
import type { Base } from './restored-base.js';
import { t } from './texts.js';

/** Pause in typing before the service checks the content, in milliseconds. */
const CHECK_MS = 400;

/** JSON of more characters is read when the user pauses, in milliseconds. */
const [LONG_JSON, PARSE_MS] = [20_000, 150];

/** Pause in typing before the draft is kept, in milliseconds. */
const DRAFT_MS = 1000;

/** Errors in the content. */
const BAD_REQUEST = 400;

interface ParsedText {
    /** The value of a text, now. */
    readonly now: (text: string) => { readonly value: Json } | null;
    /** Reports the value of a text soon, if it has one. */
    readonly soon: (text: string) => void;
    /** True while a text waits to be read. */
    readonly isPending: boolean;
    /** True for a text that was read and is no JSON. */
    readonly isFaulty: (text: string) => boolean;
}

/** Reads JSON that is edited: a short text at each key, a long one when the user pauses, each text once. */
export function useParsed(report: (value: Json) => void): ParsedText {

    const last = useRef<{ readonly text: string; readonly parsed: { readonly value: Json } | null } | null>(null);
    const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
    const [isPending, setPending] = useState(false);
    useEffect(() => {

        return () => clearTimeout(timer.current);
    }, []);
    const now = (text: string): { readonly value: Json } | null => {

        clearTimeout(timer.current);
        setPending(false);
        last.current = last.current?.text === text ? last.current : { text, parsed: parsedOrNull(text) };
        return last.current.parsed;
    };

    const read = (text: string): void => {

        const parsed = now(text);
        if (parsed) {
            report(parsed.value);
        }
    };

    const soon = (text: string): void => {

        clearTimeout(timer.current);
        if (text.length <= LONG_JSON) {
            read(text);
        }
        else {
            setPending(true);
            timer.current = setTimeout(() => read(text), PARSE_MS);
        }
    };

    return { now, soon, isPending, isFaulty: (text) => last.current?.text === text && last.current.parsed === null };
}

let written: { readonly value: Json; readonly text: string } | null = null;

/** The JSON of a content. Check and draft need the same one. */
function contentText(value: Json): string {

    written = written?.value === value && typeof value === 'object' ? written : { value, text: writeJson(value) };
    return written.text;
}

const basisTexts = new WeakMap<object, string>();

/** The content on which a draft is based, as JSON, which is written once; none of a new object, and where it is not known. */
function basisOf({ content, etag, isUnknown = false }: Base): Pick<Draft, 'basis'> {

    if (etag === null || isUnknown || typeof content !== 'object' || content === null) {
        return {};
    }

    const basis = basisTexts.get(content) ?? writeJson(content);
    basisTexts.set(content, basis);
    return { basis };
}

const NONE: readonly FormError[] = [];

/** Lets the service check what the user edits, when the user pauses. The newest check wins. */
export function useCheck(target: Target, value: Json, isDirty: boolean): {
    readonly errors: readonly FormError[]; readonly setErrors: (errors: readonly FormError[]) => void;
} {

    const [errors, setErrors] = useState(NONE);
    useEffect(() => {

        if (!isDirty) {
            setErrors(NONE);
            return undefined;
        }

        const controller = new AbortController();
        const timer = setTimeout(() => {

            checkContent(target, contentText(value), controller.signal).then(() => !controller.signal.aborted && setErrors(NONE), (error: unknown) => {

                // Anything but an invalid content is said when the user saves.
                if (!controller.signal.aborted && error instanceof RepositoryError) {
                    setErrors(error.status === BAD_REQUEST && error.errors.length > 0 ? error.errors : NONE);
                }
            });
        }, CHECK_MS);
        return () => {

            clearTimeout(timer);
            controller.abort(new DOMException('the content was edited', 'AbortError'));
        };
    }, [value, isDirty]);
    return { errors, setErrors };
}

/** What is edited: its value, or a text that is no JSON yet. */
interface Edited {
    readonly value: Json;
    readonly faulty: string | null;
    readonly base: Base;
    readonly isDirty: boolean;
}

/** A draft that is offered, and whether the browser has kept it. */
type FoundDraft = OfferedDraft & { readonly isKept?: boolean };

interface Drafts {
    /** Drafts of before. They stay until the user takes or discards them, whatever is typed. */
    readonly found: readonly OfferedDraft[];
    /** Time at which the draft was kept, or why it could not be; null before that. */
    readonly kept: number | 'tooLarge' | 'refused' | null;
    /** True if one of those that are offered is nowhere else: the browser could not keep it. */
    readonly isOnlyHere: boolean;
    /** Removes the draft of what was saved. */
    readonly forget: () => void;
    readonly discard: (draft: OfferedDraft) => void;
    /** What is edited goes on with a draft: the place of it is the one of what is edited. */
    readonly adopt: (draft: OfferedDraft) => void;
    /** Keeps a text at once, and offers it again: something else is about to take its place. `seen` is the version beside which it was shown, if any. */
    readonly setAside: (text: string, seen?: string | null) => void;
}

/** What the user has entered as the id of a new object. */
export function namesOf(target: Target): NewNames {

    const { handle = '', suffix = '' }: Partial<NewNames> = target.kind === 'new' ? target : {};
    return { handle, suffix };
}

/** Keeps what is edited as a draft, and finds those of before. */
export function useDraft(target: Target, isNested: boolean, { value, faulty, base, isDirty }: Edited): Drafts {

    // An object that is created on the way may be of the type of the one that waits for it.
    const name = target.kind === 'object' ? target.id : `${isNested ? 'nested:' : ''}new:${target.type}`;
    const keyOf = (slot: number): DraftKey => ({ base: config.base, user: caller.value.userId ?? '', target: name, slot });
    const [found, setFound] = useState<readonly FoundDraft[]>(() => offered(keyOf, base.content));
    // Whoever logs in while the form is open has drafts of before.
    useChanged(caller.value.userId, () => setFound((drafts) => [...drafts.filter(({ isKept }) => isKept === false), ...offered(keyOf, base.content)]));
    const [kept, setKept] = useState<Drafts['kept']>(null);
    // Where this draft is; null before it is kept. Another page of the browser keeps its own draft of the same object at another place.
    const own = useRef<{ readonly slot: number; readonly savedOn: number } | null>(null);
    // Keeps what was typed last, if that is still to be done.
    const pending = useRef<(() => void) | null>(null);
    const names = namesOf(target);
    const keep = (text: string, seen: string | null = null): FoundDraft & { readonly isKept: boolean } => {

        const more = { ...hasNames(names) ? { names } : {}, ...basisOf(base), ...seen === null ? {} : { seen } };
        const draft: Draft = { savedOn: Date.now(), etag: base.etag, text, ...more };
        const slot = own.current ? ownSlot(keyOf, own.current, base.content) : freeSlot(keyOf, base.content);
        const isKept = keepDraft(browserStorage(), keyOf(slot), draft, (count) => say(t('draftsRemoved', { count }), 'error'));
        own.current = { slot, savedOn: isKept ? draft.savedOn : own.current?.slot === slot ? own.current.savedOn : 0 };
        return { ...draft, slot, isKept };
    };

    useEffect(() => {

        pending.current = null;
        // Somebody who has logged out wants none to be left.
        if (!isDirty || other.value) {
            return undefined;
        }

        const { userId } = caller.value;
        const keepNow = (): void => {

            pending.current = null;
            if (!other.value && caller.value.userId === userId) {
                const { savedOn, isKept, text } = keep(faulty ?? contentText(value));
                setKept(isKept ? savedOn : isTooLong(text) ? 'tooLarge' : 'refused');
            }
        };

        pending.current = keepNow;
        // Not what was saved meanwhile.
        const timer = setTimeout(() => pending.current?.(), DRAFT_MS);
        return () => clearTimeout(timer);
    }, [value, faulty, isDirty, base.etag, names.handle, names.suffix, caller.value.userId]);
    useLayoutEffect(() => {

        return () => pending.current?.();
    }, []);
    const setAside = (text: string, seen: string | null = null): void => {

        const draft = keep(text, seen);
        own.current = null;
        // What is too large for the storage is offered as long as the page lasts.
        setFound((drafts) => [...drafts, draft]);
    };

    const forget = (): void => {

        pending.current = null;
        if (own.current) {
            dropOwn(keyOf, own.current);
        }

        own.current = null;
    };

    const discard = (draft: OfferedDraft): void => {

        dropOwn(keyOf, draft);
        setFound((drafts) => drafts.filter((each) => each !== draft));
    };

    const adopt = (draft: OfferedDraft): void => {

        own.current = draft;
        setFound((drafts) => drafts.filter((each) => each !== draft));
    };

    return { found, kept, isOnlyHere: found.some(({ isKept }) => isKept === false), forget, discard, adopt, setAside };
}

/** Saves with what the field that has the focus takes over only when it is left, such as an entry of a list. */
function saveTyped(save: () => void): void {

    const field = document.activeElement;
    if (field instanceof HTMLInputElement) {
        field.blur();
        field.focus();
    }

    // The edit is rendered before this task.
    setTimeout(save);
}

/** Ctrl+S saves and Escape cancels, wherever the focus is; while a dialog is open, the keys are those of the editor inside, if there is one. */
export function useKeys(actions: { readonly save: () => void; readonly cancel: () => void }): RefObject<HTMLFormElement | null> {

    const form = useRef<HTMLFormElement>(null);
    const latest = useRef(actions);
    latest.current = actions;
    useEffect(() => {

        const listen = (event: KeyboardEvent): void => {

            const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey) && !event.altKey;
            const [top = null] = [...document.querySelectorAll('dialog[open]')].slice(-1);
            if (event.defaultPrevented || top !== (form.current?.closest('dialog') ?? null)) {
                return;
            }

            if (isSave) {
                event.preventDefault();
                saveTyped(() => latest.current.save());
            }
            else if (event.key === 'Escape' && top === null) {
                latest.current.cancel();
            }
        };

        document.addEventListener('keydown', listen);
        return () => document.removeEventListener('keydown', listen);
    }, []);
    return form;
}
