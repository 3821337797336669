/**
 * The editor of an object: as a form or as JSON, checked by the service while the user types, kept as a draft, saved over the version that was read
 * and no other.
 */

import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { RepositoryError } from '../api/client.js';
import { isSameVersion } from '../api/entity-tag.js';
import { caller } from '../api/session.js';
import { isCutShort } from '../api/upload.js';
import { ErrorBox } from '../components/feedback.js';
import { ObjectLink } from '../components/object-link.js';
import { useChanged } from '../components/use-changed.js';
import { useGuard } from '../components/use-guard.js';
import { useMounted } from '../components/use-mounted.js';
import { isLost } from '../components/use-once.js';
import { SchemaForm } from '../form/schema-form.js';
import type { FormContext } from '../form/schema-form.js';
import { merged } from '../json/changes.js';
import { isEqual } from '../json/exact-number.js';
import type { Json, JsonMap } from '../json/exact-number.js';
import { parsePointer, valueAt } from '../json/pointer.js';
import { writeJson } from '../json/write-json.js';
import { guardLeaving } from '../router.js';
import { servicePrefix } from '../state/design.js';
import type { NewNames } from '../state/drafts.js';
import { isAbort, say, sayError, textOf } from '../state/messages.js';
import { ConflictBox } from './conflict-box.js';
import type { Way } from './conflict-box.js';
import { DraftBox, draftText } from './draft-box.js';
import { hasNames, parsedOrNull } from './draft-slots.js';
import type { OfferedDraft } from './draft-slots.js';
import { JsonView } from './json-view.js';
import { findLost, isChangedBy } from './lost-response.js';
import type { Attempt } from './lost-response.js';
import { NewFiles } from './new-files.js';
import type { Saving } from './new-files.js';
import { readObject } from './object-access.js';
import type { EditedObject, Target } from './object-access.js';
import { ResolvedBox } from './resolved-box.js';
import { mergeBase, newestOf, restoredBase } from './restored-base.js';
import type { Base } from './restored-base.js';
import { saveObject } from './save-object.js';
import type { NewFile, Saved, SaveOptions } from './save-object.js';
import { t } from './texts.js';
import { namesOf, useCheck, useDraft, useKeys, useParsed } from './use-editing.js';

/** Somebody else has saved the object, or deleted it. */
const [NOT_FOUND, PRECONDITION_FAILED] = [404, 412];

export interface EditorProps {
    readonly title: string;
    readonly target: Target;
    readonly schema: JsonMap;
    readonly content: Json;
    readonly etag: string | null;
    /** True for a content as type code shows it, which is not stored without the user's consent. */
    readonly isResolved?: boolean;
    /** Names of the files that the object has. */
    readonly payloads?: readonly string[];
    readonly context: FormContext;
    readonly children?: ComponentChildren;
    /** True inside a dialog: the address of the page does not belong to it. */
    readonly isNested?: boolean;
    /** Gets what closes a dialog around. */
    readonly closer?: { current: (() => void) | null };
    /** Called with the id of a new object that was entered before, when a draft is restored. */
    readonly onNames?: (names: NewNames) => void;
    readonly onSaved: (object: EditedObject) => void;
    readonly onCancel: () => void;
}

/** The editor. */
export function Editor(props: EditorProps): JSX.Element {

    const { title, schema, content, etag, isResolved = false, payloads = [], context, children, isNested = false, onSaved } = props;
    // An object that was created stays open if one of its files was not stored.
    const [created, setCreated] = useState<EditedObject | null>(null);
    const target = useMemo((): Target => (created ? { kind: 'object', id: created.id } : props.target), [props.target, created]);
    const [base, setBase] = useState<Base>({ content, etag, isResolved });
    useChanged(isResolved, () => setBase((now) => ({ ...now, isResolved })));
    const [value, setValue] = useState(content);
    const [json, setJson] = useState<string | null>(null);
    const [formProblems, setProblems] = useState(0);
    const problems = json === null ? formProblems : 0;
    const [isTried, setTried] = useState(false);
    const [files, setFiles] = useState<readonly NewFile[]>([]);
    const [saving, setSaving] = useState<Saving | null>(null);
    const latest = useRef(value);
    latest.current = value;
    const text = useRef(json);
    text.current = json;
    const hasProblems = useRef(false);
    hasProblems.current = problems > 0;
    const [message, setMessage] = useState<string | null>(null);
    const [isAgreed, setAgreed] = useState(false);
    const mustAgree = base.isResolved && !isAgreed;
    const [conflict, setConflict] = useState<EditedObject | null>(null);
    // A request for a new object that was not answered, and objects that may be of it.
    const lost = useRef<Attempt | null>(null);
    // Contents that were sent to an object, and may be stored although no response arrived.
    const unanswered = useRef<readonly Json[]>([]);
    const [similar, setSimilar] = useState<readonly string[]>([]);
    const parse = useParsed(setValue);
    const faulty = json !== null && !parse.isPending && parse.isFaulty(json) ? json : null;
    const isDirty = parse.isPending || faulty !== null || value !== base.content && !isEqual(value, base.content) || files.length > 0 || hasNames(namesOf(target));
    const { errors, setErrors } = useCheck(target, value, isDirty);
    const { found, kept, isOnlyHere, forget, discard, adopt, setAside } = useDraft(target, isNested, { value, faulty, base, isDirty });
    // What is missing is only said once the user wants to save.
    const shownErrors = useMemo(() => (isTried ? errors : errors.filter(({ pointer }) => pointer === '' || valueAt(value, parsePointer(pointer)) !== undefined)), [errors, isTried]);
    useGuard(isDirty || problems > 0 || saving !== null || isOnlyHere, isNested ? null : () => confirm(t('leave')));
    const isMounted = useMounted();

    const save = async (chosen?: Json, version: string | null = base.etag): Promise<void> => {

        const parsed = chosen === undefined ? current() : { value: chosen };
        if (saving) {
            return;
        }

        setTried(true);
        setMessage(!parsed ? t('syntax') : problems > 0 ? t('problems') : mustAgree ? t('agreeFirst') : null);
        setSimilar([]);
        if (!parsed || problems > 0 || mustAgree) {
            return;
        }

        const content_ = parsed.value;
        latest.current = content_;
        setValue(content_);

        const controller = new AbortController();
        const report = (sent: number, total: number | null): void => setSaving({ sent, total, controller });
        report(0, null);
        const attempt: Attempt = { content: content_, began: Date.now() };
        try {
            if (lost.current && await isSettled(lost.current)) {
                return;
            }

            settle(content_, await send(attempt, { ifMatch: version, files, onProgress: report, signal: controller.signal }));
        }
        catch (error) {
            if (error instanceof RepositoryError && error.mayHaveChanged) {
                unanswered.current = [...unanswered.current, content_];
            }

            const own = await findOwn(error);
            if (own) {
                // What was sent before is stored: the version on which this one is based.
                setBase(own);
                await (files.length === 0 && await isChangedBy(own, [content_]).catch(() => false) ? Promise.resolve({ object: own, missing: [] }) :
                    send(attempt, { ifMatch: own.etag, files, onProgress: report, signal: controller.signal }))
                    .then((saved) => settle(content_, saved), (failure: unknown) => fail(failure, attempt));
            }
            else {
                await fail(error, attempt);
            }
        }
        finally {
            setSaving(null);
        }
    };

    /** Saves. A new object whose files did not arrive is looked for, and sent without them if there is none. */
    const send = async (attempt: Attempt, options: SaveOptions): Promise<Saved> => {

        try {
            return await saveObject(target, attempt.content, options);
        }
        catch (error) {
            if (target.kind !== 'new' || !isCutShort(error)) {
                throw error;
            }

            lost.current = attempt;
            const found = await findLost(target, attempt, servicePrefix());
            if (found.object || found.similar.length > 0) {
                throw error;
            }

            return saveObject(target, attempt.content, { ...options, isContentFirst: true });
        }
    };

    /** What is edited now; null while the JSON is faulty. */
    const current = (): { readonly value: Json } | null => (json === null ? { value } : parse.now(json));

    /** Looks whether a request that was not answered has created the object. True if it has, or if the user has to look. */
    const isSettled = async (attempt: Attempt): Promise<boolean> => {

        if (target.kind !== 'new') {
            return false;
        }

        const found = await findLost(target, attempt, servicePrefix());
        if (found.object) {
            const { payloads } = found.object;
            settle(attempt.content, { object: found.object, missing: files.filter(({ name }) => !payloads.includes(name)) });
        }
        else if (found.similar.length > 0) {
            lost.current = null;
            setSimilar(found.similar);
            setMessage(t('similar'));
        }

        return found.object !== null || found.similar.length > 0;
    };

    /** The object as it is stored, if that is what this editor has sent before without an answer; null for anything else. */
    const findOwn = async (error: unknown): Promise<EditedObject | null> => {

        if (target.kind !== 'object' || unanswered.current.length === 0 || !(error instanceof RepositoryError) || error.status !== PRECONDITION_FAILED) {
            return null;
        }

        const stored = await readObject(target.id).catch(() => null);
        const isOwn = stored?.modifiedBy === caller.value.userId && stored !== null && await isChangedBy(stored, unanswered.current).catch(() => false);
        return isOwn ? stored : null;
    };

    /** Says what is known about a new object whose response was lost. */
    const explainLost = async (attempt: Attempt): Promise<void> => {

        lost.current = attempt;
        setMessage(t('looking'));
        try {
            if (!await isSettled(attempt)) {
                setMessage(t('notStored'));
            }
        }
        catch {
            setMessage(t('unknown'));
        }
    };

    const settle = (sent: Json, { object, missing }: Saved): void => {

        lost.current = null;
        unanswered.current = [];
        const now = text.current === null ? { value: latest.current } : parse.now(text.current);
        const isChanged = hasProblems.current || now?.value !== sent && !(now && isEqual(now.value, sent));
        if (!isChanged) {
            forget();
        }

        const note = missing.length > 0 ? t('filesMissing', { names: missing.map(({ name }) => name).join(', ') }) : null;
        if (!isMounted()) {
            say(note ?? t(target.kind === 'new' ? 'created' : 'saved'), note === null ? 'success' : 'error');
            return;
        }

        if (missing.length === 0 && !isChanged && (!isOnlyHere || confirm(t('leave')))) {
            if (!isNested) {
                guardLeaving(null);
            }

            say(t(target.kind === 'new' ? 'created' : 'saved'));
            onSaved(object);
            return;
        }

        if (target.kind === 'new') {
            // What is kept from now on is a draft of the object: one of a new object would create it again.
            forget();
        }

        // The editor stays open, on what was saved, with what is still to be saved.
        setBase(object);
        setFiles(missing);
        setCreated(target.kind === 'new' ? object : created);
        setMessage(note ?? t('typedOn'));
        if (!isChanged) {
            edit(object.content);
        }
    };

    const fail = async (error: unknown, attempt: Attempt): Promise<void> => {

        if (!isMounted()) {
            sayError(error);
        }
        else if (isAbort(error)) {
            setMessage(t('stopped'));
        }
        else if (error instanceof RepositoryError && error.status === NOT_FOUND && target.kind === 'object') {
            setMessage(t('gone'));
        }
        else if (error instanceof RepositoryError && error.status === PRECONDITION_FAILED && target.kind === 'object') {
            const theirs = await readObject(target.id).catch(() => null);
            if (!theirs) {
                setMessage(textOf(error));
            }
            else if (files.length === 0 && !theirs.isResolved && isEqual(theirs.content, attempt.content)) {
                // It is stored as it should be, whoever has saved it.
                settle(attempt.content, { object: theirs, missing: [] });
            }
            else {
                setConflict(theirs);
            }
        }
        else if (error instanceof RepositoryError && error.errors.length > 0) {
            setErrors(error.errors);
            setMessage(json === null ? null : t('invalid'));
        }
        else if (error instanceof RepositoryError && isLost(error) && target.kind === 'new') {
            await explainLost(attempt);
        }
        else {
            setMessage(lost.current ? t('unknown') : textOf(error));
        }
    };

    const edit = (next: Json): void => {

        setValue(next);
        setJson((text) => (text === null ? null : writeJson(next, 2)));
    };

    /** Goes on, after a conflict, on top of what somebody else has saved. */
    const take = ({ content: theirs, etag: version, isResolved: isShown }: EditedObject, way: Way): void => {

        const mine = current();
        if (way !== 'take' && (!mine || problems > 0)) {
            setMessage(t(mine ? 'problems' : 'syntax'));
            return;
        }

        const both = mine && merged(mergeBase(base), mine.value, theirs)?.value;
        if (mine && way === 'merge' && both === undefined) {
            // What was typed just now is a conflict, too: the box shows it.
            setValue(mine.value);
            return;
        }

        setMessage(null);
        setBase({ content: theirs, etag: version, isResolved: isShown });
        setConflict(null);
        if (way === 'overwrite' && mine) {
            void save(mine.value, version);
        }
        else if (way === 'take') {
            setAside(mine ? writeJson(mine.value) : json ?? '', version);
            edit(theirs);
        }
        else if (both !== undefined && both !== null) {
            edit(both);
        }
    };

    /** Edits the text of a draft, which may be no JSON yet. */
    const restore = (draft: OfferedDraft): void => {

        const parsed = parsedOrNull(draft.text);
        if (isDirty) {
            setAside(json ?? writeJson(value));
        }

        const basedOn = restoredBase(draft, base);
        if (basedOn !== base) {
            setBase(basedOn);
            if (parsed) {
                void showTheirs(basedOn);
            }
        }

        adopt(draft);
        props.onNames?.(draft.names ?? { handle: '', suffix: '' });
        if (parsed) {
            edit(parsed.value);
        }
        else {
            onJson(draft.text);
        }
    };

    /** Shows what others have saved since a draft was kept. Where it cannot be read now, saving finds it. */
    const showTheirs = async ({ etag: known }: Base): Promise<void> => {

        const theirs = target.kind === 'object' ? await readObject(target.id).catch(() => null) : null;
        if (theirs && isMounted() && !isSameVersion(theirs.etag, known)) {
            setConflict(theirs);
        }
    };

    const show = (view: 'form' | 'json'): void => {

        if (view === 'json' && problems > 0) {
            // They are no part of the JSON, and would be lost.
            setTried(true);
            setMessage(t('problems'));
        }
        else if (view === 'json') {
            setJson(json ?? writeJson(value, 2));
        }
        else if (!current()) {
            setMessage(t('syntax'));
        }
        else {
            setValue(current()?.value ?? value);
            setJson(null);
            setMessage(null);
        }
    };

    const onJson = (text: string): void => {

        setJson(text);
        parse.soon(text);
    };

    const cancel = (): void => {

        // In a dialog, what no draft keeps would be lost unasked; and what is being stored would not be referred to.
        const isUnkept = files.length > 0 || problems > 0 || isOnlyHere || isDirty && typeof kept === 'string';
        if (isNested && (saving !== null || isUnkept && !confirm(t('leave')))) {
            return;
        }

        if (created) {
            onSaved(created);
        }
        else {
            props.onCancel();
        }
    };

    if (props.closer) {
        props.closer.current = cancel;
    }

    const form = useKeys({ save: () => void save(), cancel });

    return (
        <form class="edit stack" ref={form} noValidate onSubmit={(event) => {

            event.preventDefault();
            void save();
        }}>
            <div class="edit-head">
                {isNested ? null : <h1 dir="auto">{title}</h1>}
                <div class="row" role="group" aria-label={t('view')}>
                    {(['form', 'json'] as const).map((view) =>
                        <button key={view} type="button" class="small" aria-pressed={(json === null) === (view === 'form')} onClick={() => show(view)}>{t(view)}</button>)}
                </div>
                <small class="edit-draft">{isDirty && draftText(kept)}</small>
                <div class="row">
                    <button type="button" disabled={isNested && saving !== null} onClick={cancel}>{t('cancel')}</button>
                    <button type="submit" class="primary" disabled={saving !== null} aria-keyshortcuts="Control+S Meta+S">{t(saving ? 'saving' : target.kind === 'new' ? 'create' : 'save')}</button>
                </div>
            </div>
            {found.map((draft) => (
                <DraftBox key={`${draft.slot} ${draft.savedOn}`} draft={draft} isOld={!isSameVersion(draft.etag, newestOf(base))}
                    onRestore={() => restore(draft)} onDiscard={() => discard(draft)} />
            ))}
            {conflict && <ConflictBox base={mergeBase(base)} mine={value} theirs={conflict} onKeep={() => setConflict(null)} onTake={(way) => take(conflict, way)} />}
            {message !== null && (
                <ErrorBox message={message}>
                    {similar.length > 0 && <ul>{similar.map((id) => <li key={id}><ObjectLink id={id} /></li>)}</ul>}
                </ErrorBox>
            )}
            {base.isResolved && <ResolvedBox isAgreed={isAgreed} onAgree={setAgreed} />}
            {children}
            {json === null ?
                <SchemaForm schema={schema} value={value} {...target.kind === 'object' ? { stored: base.content } : {}} onChange={setValue} onProblems={setProblems}
                    errors={shownErrors} isTried={isTried} context={context} label={t('content')} /> :
                <JsonView text={json} errors={shownErrors} onChange={onJson} />}
            <NewFiles files={files} stored={created?.payloads ?? payloads} saving={saving} onChange={setFiles} onRetry={() => void save()} />
        </form>
    );
}
