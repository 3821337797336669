/** Screens of the editor: a new object (`#create/<Type>`), and an object that exists (`#objects/<id>?edit`). */

import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { RepositoryError } from '../api/client.js';
import { isCallerKnown } from '../api/session.js';
import { Dialog } from '../components/dialog.js';
import { Empty, ErrorBox, Loading, Unreadable } from '../components/feedback.js';
import { useCallerRound } from '../components/use-caller-round.js';
import { useResource } from '../components/use-resource.js';
import { initialContent } from '../form/schema-form.js';
import type { FormContext, ReferenceOption } from '../form/schema-form.js';
import type { Json, JsonMap } from '../json/exact-number.js';
import { go, goBack, to } from '../router.js';
import type { ScreenProps } from '../shell/app.js';
import { design, servicePrefix, uiConfig } from '../state/design.js';
import type { NewNames } from '../state/drafts.js';
import { labelOf } from '../state/labels.js';
import { textOf } from '../state/messages.js';
import { editContext, formSchema } from './edit-context.js';
import { Editor } from './editor.js';
import type { EditorProps } from './editor.js';
import { readObject } from './object-access.js';
import type { EditedObject, Target } from './object-access.js';
import { ResolvedBox } from './resolved-box.js';
import { t } from './texts.js';

/** An object that is created to refer to it, and who waits for it. */
interface Creation {
    readonly type: string;
    readonly finish: (option: ReferenceOption | null) => void;
}

/** The context of a form, and the dialog for objects that are created on the way. */
function useEditContext(): { readonly context: FormContext; readonly dialog: JSX.Element | null } {

    const [creation, setCreation] = useState<Creation | null>(null);
    // Another design may have other schemas, so that the form begins anew with them.
    const context = useMemo(() => editContext((type) => new Promise((resolve) => {

        setCreation({
            type, finish: (option) => {

                setCreation(null);
                resolve(option);
            }
        });
    })), [design.value]);
    return { context, dialog: creation && <CreateInDialog {...creation} /> };
}

function CreateInDialog({ type, finish }: Creation): JSX.Element {

    const closer = useRef<(() => void) | null>(null);
    return (
        <Dialog title={t('newObject', { type })} size="large" onClose={() => (closer.current ? closer.current() : finish(null))}>
            <NewObject type={type} isNested closer={closer} onSaved={({ id }) => finish({ id, label: labelOf(id).value?.label ?? id, type })} onCancel={() => finish(null)} />
        </Dialog>
    );
}

/** A new object; with `from`, the id of another one, it begins with the content of that. */
export function Create({ route: { name: type, params } }: ScreenProps): JSX.Element {

    const from = params.get('from') ?? '';
    const { value: original, error, reload } = useResource(async (signal) => (from === '' ? null : readObject(from, signal)), [from]);
    if (from !== '' && original === null) {
        return error ? <ErrorBox message={textOf(error)} onRetry={reload} /> : <Loading />;
    }

    return <NewObject type={type} original={original} onSaved={({ id }) => go(to.object(id), { replace: true })} onCancel={() => goBack(to.home)} />;
}

interface NewObjectProps extends Pick<EditorProps, 'isNested' | 'closer' | 'onSaved' | 'onCancel'> {
    readonly type: string;
    /** The object with whose content it begins; null for the content of its type. */
    readonly original?: EditedObject | null;
}

function NewObject({ type, original = null, isNested = false, closer, onSaved, onCancel }: NewObjectProps): JSX.Element {

    const { context, dialog } = useEditContext();
    const [names, setNames] = useState<NewNames>({ handle: '', suffix: '' });
    const schema = formSchema(type);
    const content = useMemo(() => (schema ? original?.content ?? initialContent(schema, context) : null), [schema, context, original]);
    const target = useMemo((): Target => ({ kind: 'new', type, ...names }), [type, names]);
    if (!design.value || !isCallerKnown.value) {
        return <Loading />;
    }

    if (!schema || content === null) {
        return <Empty isPage={!isNested} title={t('noType', { type })} />;
    }

    const { allowUserToSpecifySuffixOnCreate: hasSuffix = false, allowUserToSpecifyHandleOnCreate: hasHandle = false } = uiConfig.value;
    return (
        <>
            <Editor title={t('newObject', { type })} etag={null} {...{ target, schema, content, context, isNested, onSaved, onCancel, ...closer ? { closer } : {} }}
                onNames={({ handle, suffix }) => setNames({ handle: hasHandle ? handle : '', suffix: hasSuffix && !hasHandle ? suffix : '' })}>
                {original?.isResolved === true && <ResolvedBox />}
                {hasHandle && <label>{t('handle')}<input type="text" dir="auto" autocomplete="off" value={names.handle} onInput={({ currentTarget }) => setNames({ handle: currentTarget.value.trim(), suffix: '' })} /></label>}
                {hasSuffix && !hasHandle && (
                    <label>{t('suffix')}
                        <input type="text" dir="auto" autocomplete="off" value={names.suffix} onInput={({ currentTarget }) => setNames({ handle: '', suffix: currentTarget.value.trim() })} />
                        {servicePrefix() !== '' && <small>{t('suffixHint', { prefix: servicePrefix() })}</small>}
                    </label>
                )}
            </Editor>
            {dialog}
        </>
    );
}

const NOT_FOUND = new Set([403, 404]);

/** An object that exists. */
export function EditObject({ route: { name: id } }: ScreenProps): JSX.Element {

    // Of somebody who logs in, the service tells whether what is shown is what is stored; what was typed stays.
    const { value: object, error, retryOn, reload } = useResource((signal) => readObject(id, signal), [id, useCallerRound()], { isPersistent: true });
    if (error && !object) {
        const isMissing = error instanceof RepositoryError && NOT_FOUND.has(error.status);
        return isMissing ? <Empty isPage title={t('noObject')} /> : <><h1 dir="auto">{t('editObject', { name: id })}</h1><Unreadable {...{ error, retryOn, reload }} /></>;
    }

    // The drafts are those of the caller.
    return object && design.value && isCallerKnown.value ? <ExistingObject object={object} schema={formSchema(object.type) ?? {}} /> : <Loading />;
}

function ExistingObject({ object, schema }: { readonly object: EditedObject; readonly schema: JsonMap }): JSX.Element {

    const { id, type, content, etag, isResolved, payloads } = object;
    const { context, dialog } = useEditContext();
    const target = useMemo((): Target => ({ kind: 'object', id }), [id]);
    const opened: Json = content;
    return (
        <>
            <Editor title={t('editObject', { name: labelOf(id).value?.label ?? id })} {...{ target, schema, context, etag, isResolved, payloads }} content={opened}
                onSaved={() => go(to.object(id), { replace: true })} onCancel={() => go(to.object(id), { replace: true })}>
                {uiConfig.value.hideTypeInObjectEditor === true ? null : <p class="muted">{t('type')}: <bdi>{type}</bdi></p>}
            </Editor>
            {dialog}
        </>
    );
}
