/**
 * The editor of an object: as a form or as JSON, checked by the service while the user types, kept as a draft, saved over the version that was read
 * and no other.
 */

import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RepositoryError } from '../api/client.js';
import { caller } from '../api/session.js';
import { CodeEditor } from '../code/code-editor.js';
import { ErrorBox, ProgressBar } from '../components/feedback.js';
import { formatAgo, formatBytes, formatTime } from '../i18n/index.js';
import { SchemaForm } from '../form/schema-form.js';
import type { FormContext, FormError } from '../form/schema-form.js';
import { isEqual } from '../json/exact-number.js';
import type { Json, JsonMap } from '../json/exact-number.js';
import { parseJson } from '../json/parse-json.js';
import { parsePointer, valueAt } from '../json/pointer.js';
import { writeJson } from '../json/write-json.js';
import { guardLeaving } from '../router.js';
import { isAbort, say, textOf } from '../state/messages.js';
import { ConflictBox } from './conflict-box.js';
import { browserStorage, dropDraft, findDraft, keepDraft } from '../state/drafts.js';
import type { Draft } from '../state/drafts.js';
import { NewFiles } from './new-files.js';
import { checkContent, readObject, saveObject } from './object-access.js';
import type { EditedObject, NewFile, Target } from './object-access.js';
import { t } from './texts.js';

/** Pause in typing before the service checks the content, in milliseconds. */
const CHECK_MS = 400;

/** Pause in typing before the draft is kept, in milliseconds. */
const DRAFT_MS = 1000;

/** Errors in the content, and a precondition that failed. */
const [BAD_REQUEST, PRECONDITION_FAILED] = [400, 412];

export interface EditorProps {
    readonly title: string;
    readonly target: Target;
    readonly schema: JsonMap;
    readonly content: Json;
    readonly etag: string | null;
    readonly context: FormContext;
    readonly children?: ComponentChildren;
    /** True inside a dialog: the address of the page does not belong to it. */
    readonly isNested?: boolean;
    readonly onSaved: (object: EditedObject) => void;
    readonly onCancel: () => void;
}

/** What is edited, on which version it is based. */
interface Base {
    readonly content: Json;
    readonly etag: string | null;
}

/** Progress of saving; null while nothing is saved. */
interface Saving {
    readonly sent: number;
    readonly total: number | null;
    readonly controller: AbortController;
}

/** The editor. */
export function Editor({ title, target, schema, content, etag, context, children, isNested = false, onSaved, onCancel }: EditorProps): JSX.Element {

    const [base, setBase] = useState<Base>({ content, etag });
    const [value, setValue] = useState(content);
    const [json, setJson] = useState<string | null>(null);
    const [problems, setProblems] = useState(0);
    const [isTried, setTried] = useState(false);
    const [files, setFiles] = useState<readonly NewFile[]>([]);
    const [saving, setSaving] = useState<Saving | null>(null);
    const [message, setMessage] = useState<string | null>(null);
    const [conflict, setConflict] = useState<EditedObject | null>(null);
    const isDirty = value !== base.content && !isEqual(value, base.content) || files.length > 0;
    const isFaulty = json !== null && parsedOrNull(json) === null;
    const { errors, setErrors } = useCheck(target, value, isDirty);
    const { found, keptOn, forget } = useDraft(target, { value, base, isDirty });
    // What is missing is only said once the user wants to save.
    const shownErrors = useMemo(() => (isTried ? errors : errors.filter(({ pointer }) => pointer === '' || valueAt(value, parsePointer(pointer)) !== undefined)), [errors, isTried]);
    useGuard(isDirty && saving === null, isNested);

    const save = async (content_: Json = value, version: string | null = base.etag): Promise<void> => {

        if (saving) {
            return;
        }

        setTried(true);
        setMessage(isFaulty ? t('syntax') : problems > 0 ? t('problems') : null);
        if (isFaulty || problems > 0) {
            return;
        }

        const controller = new AbortController();
        const report = (sent: number, total: number | null): void => setSaving({ sent, total, controller });
        report(0, null);
        try {
            const saved = await saveObject(target, writeJson(content_), { ifMatch: version, files, onProgress: report, signal: controller.signal });
            forget();
            guardLeaving(null);
            say(t(target.kind === 'new' ? 'created' : 'saved'));
            onSaved(saved);
        }
        catch (error) {
            await fail(error);
        }
        finally {
            setSaving(null);
        }
    };

    const fail = async (error: unknown): Promise<void> => {

        if (isAbort(error)) {
            return;
        }

        if (error instanceof RepositoryError && error.status === PRECONDITION_FAILED && target.kind === 'object') {
            setConflict(await readObject(target.id));
        }
        else if (error instanceof RepositoryError && error.errors.length > 0) {
            setErrors(error.errors);
            setMessage(json === null ? null : t('invalid'));
        }
        else {
            setMessage(textOf(error));
        }
    };

    const edit = (next: Json): void => {

        setValue(next);
        setJson((text) => (text === null ? null : writeJson(next, 2)));
    };

    const take = (next: Json, options: { readonly save: boolean }): void => {

        if (conflict) {
            setBase({ content: conflict.content, etag: conflict.etag });
            setConflict(null);
            edit(next);
            if (options.save) {
                void save(next, conflict.etag);
            }
        }
    };

    const show = (view: 'form' | 'json'): void => {

        if (view === 'json') {
            setJson(json ?? writeJson(value, 2));
        }
        else if (isFaulty) {
            setMessage(t('syntax'));
        }
        else {
            setJson(null);
            setMessage(null);
        }
    };

    const onJson = (text: string): void => {

        setJson(text);
        const parsed = parsedOrNull(text);
        if (parsed) {
            setValue(parsed.value);
        }
    };

    const form = useKeys({ save: () => void save(), cancel: onCancel });

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
                <small class="edit-draft">{keptOn === null || !isDirty ? '' : keptOn === 0 ? t('draftTooLarge') : t('draftKept', { ago: formatAgo(keptOn) })}</small>
                <div class="row">
                    <button type="button" onClick={onCancel}>{t('cancel')}</button>
                    <button type="submit" class="primary" disabled={saving !== null} aria-keyshortcuts="Control+S Meta+S">{t(saving ? 'saving' : target.kind === 'new' ? 'create' : 'save')}</button>
                </div>
            </div>
            {found && <DraftBox draft={found} isOld={found.etag !== base.etag} onRestore={(text) => {

                forget();
                edit(parseJson(text));
            }} onDiscard={forget} />}
            {conflict && <ConflictBox base={base.content} mine={value} theirs={conflict} onKeep={() => setConflict(null)} onTake={take} />}
            {message !== null && <ErrorBox message={message} />}
            {children}
            {json === null ?
                <SchemaForm schema={schema} value={value} onChange={setValue} onProblems={setProblems} errors={shownErrors} context={context} label={t('content')} /> :
                <JsonView text={json} errors={shownErrors} onChange={onJson} />}
            <NewFiles files={files} isDisabled={saving !== null} onChange={setFiles} />
            {saving && files.length > 0 && (
                <div class="row">
                    <ProgressBar done={saving.sent} total={saving.total} label={t('sent', { sent: formatBytes(saving.sent), total: formatBytes(saving.total ?? 0) })} />
                    <button type="button" onClick={() => saving.controller.abort(new DOMException('stopped by the user', 'AbortError'))}>{t('stop')}</button>
                </div>
            )}
        </form>
    );
}

function JsonView({ text, errors, onChange }: { readonly text: string; readonly errors: readonly FormError[]; readonly onChange: (text: string) => void }): JSX.Element {

    return (
        <>
            <CodeEditor language="json" label={t('content')} height="tall" value={text} onChange={onChange} />
            <div role="status">
                {errors.map(({ pointer, message }) => <p key={pointer + message} class="form-error" dir="auto"><code>{pointer}</code> {message}</p>)}
            </div>
        </>
    );
}

function DraftBox({ draft: { savedOn, text }, isOld, onRestore, onDiscard }: {
    readonly draft: Draft; readonly isOld: boolean; readonly onRestore: (text: string) => void; readonly onDiscard: () => void;
}): JSX.Element {

    return (
        <div class="box">
            <p class="grow">{t('draftFound', { time: formatTime(savedOn) })}{isOld && ` ${t('draftOld')}`}</p>
            <button type="button" onClick={() => onRestore(text)}>{t('restore')}</button>
            <button type="button" onClick={onDiscard}>{t('discard')}</button>
        </div>
    );
}

function parsedOrNull(text: string): { readonly value: Json } | null {

    try {
        return { value: parseJson(text) };
    }
    catch {
        return null;
    }
}

const NONE: readonly FormError[] = [];

/** Lets the service check what the user edits, when the user pauses. The newest check wins. */
function useCheck(target: Target, value: Json, isDirty: boolean): { readonly errors: readonly FormError[]; readonly setErrors: (errors: readonly FormError[]) => void } {

    const [errors, setErrors] = useState(NONE);
    useEffect(() => {

        if (!isDirty) {
            setErrors(NONE);
            return undefined;
        }

        const controller = new AbortController();
        const timer = setTimeout(() => {

            checkContent(target, writeJson(value), controller.signal).then(() => !controller.signal.aborted && setErrors(NONE), (error: unknown) => {

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

/** Keeps what is edited as a draft, and finds the one of before. `keptOn` is 0 where the browser could not keep it. */
function useDraft(target: Target, { value, base, isDirty }: { readonly value: Json; readonly base: Base; readonly isDirty: boolean }): {
    readonly found: Draft | null; readonly keptOn: number | null; readonly forget: () => void;
} {

    const key = { user: caller.value.userId ?? '', target: target.kind === 'object' ? target.id : `new:${target.type}` };
    const [found, setFound] = useState(() => otherDraft(findDraft(browserStorage(), key), base.content));
    const [keptOn, setKeptOn] = useState<number | null>(null);
    useEffect(() => {

        if (!isDirty) {
            return undefined;
        }

        const timer = setTimeout(() => {

            const savedOn = Date.now();
            setKeptOn(keepDraft(browserStorage(), key, { savedOn, etag: base.etag, text: writeJson(value) }) ? savedOn : 0);
            setFound(null);
        }, DRAFT_MS);
        return () => clearTimeout(timer);
    }, [value, isDirty]);
    const forget = (): void => {

        dropDraft(browserStorage(), key);
        setFound(null);
    };

    return { found, keptOn, forget };
}

/** A draft that differs from what is stored. */
function otherDraft(draft: Draft | null, content: Json): Draft | null {

    const parsed = draft && parsedOrNull(draft.text);
    return parsed && !isEqual(parsed.value, content) ? draft : null;
}

/** Ctrl+S saves and Escape cancels, wherever the focus is; while a dialog is open, the keys are those of the editor inside, if there is one. */
function useKeys(actions: { readonly save: () => void; readonly cancel: () => void }): RefObject<HTMLFormElement | null> {

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
                latest.current.save();
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

/** Asks before changes are lost. */
function useGuard(isDirty: boolean, isNested: boolean): void {

    useEffect(() => {

        if (!isDirty) {
            return undefined;
        }

        const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
        if (!isNested) {
            guardLeaving(() => confirm(t('leave')));
        }

        addEventListener('beforeunload', stay);
        return () => {

            removeEventListener('beforeunload', stay);
            if (!isNested) {
                guardLeaving(null);
            }
        };
    }, [isDirty, isNested]);
}
