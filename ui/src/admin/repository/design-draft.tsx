/** The draft of the design object, which its sections share, and the bar that stores it. */

import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { RepositoryError } from '../../api/client.js';
import { isSameVersion } from '../../api/entity-tag.js';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { useGuard } from '../../components/use-guard.js';
import { useResource } from '../../components/use-resource.js';
import { ResolvedBox } from '../../edit/resolved-box.js';
import { t as ofEdit } from '../../edit/texts.js';
import { isJsonMap, type JsonMap } from '../../json/exact-number.js';
import { serverText } from '../../server-texts/index.js';
import { design, readDesign } from '../../state/design.js';
import { say, sayError, textOf } from '../../state/messages.js';
import { Conflict } from '../../types/editor/conflict.js';
import { useDiagnosis, useDraft, useIsTypedOn, type Diagnosis, type Draft } from '../../types/editor/draft.js';
import { AsideBoxes } from '../../types/editor/aside-boxes.js';
import { useSetAside, type SetAside } from '../../types/editor/use-set-aside.js';
import { CHANGED, useStore } from '../../types/editor/use-store.js';
import { DESIGN, readTypeObject, type TypeObject } from '../../types/model/type-object.js';
import { t } from './texts.js';

/** Reads the design object and shows what edits it. */
export function WithDesign({ title, children }: {
    readonly title: string; readonly children: (draft: Draft, diagnosis: Diagnosis) => ComponentChildren
}): JSX.Element {

    const { value, error, reload } = useResource((signal) => readDesignObject(signal), []);
    return (
        <>
            <h1>{title}</h1>
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {!value && !error && <Loading />}
            {value && <DesignEditor stored={value}>{children}</DesignEditor>}
        </>
    );
}

/** Reads the design object, and then what the service says, which applies where the object says nothing: with rules that were removed, not those any more. */
async function readDesignObject(signal?: AbortSignal): Promise<TypeObject> {

    const stored = await readTypeObject(DESIGN, signal);
    await readDesign();
    return stored;
}

/** What applies while the design object has no such member: what the service says. */
export function effective({ content }: Draft, member: string): JsonMap {

    const own = content[member];
    const served = design.value?.[member];
    return isJsonMap(own) ? own : isJsonMap(served) ? served : {};
}

function DesignEditor({ stored, children }: {
    readonly stored: TypeObject; readonly children: (draft: Draft, diagnosis: Diagnosis) => ComponentChildren
}): JSX.Element {

    const draft = useDraft(stored);
    const diagnosis = useDiagnosis(draft);
    const aside = useSetAside(draft);
    useGuard(draft.isChanged || aside.isOnlyHere, () => /^#admin\/(?:design|rights|handles)\?/.test(location.hash) || confirm(t('unsaved')));
    const [isAgreed, setAgreed] = useState(false);
    const { isResolved, etag } = draft.base;
    return (
        <>
            {isResolved && <ResolvedBox isAgreed={isAgreed} onAgree={setAgreed} />}
            <AsideBoxes aside={aside} etag={etag} />
            {children(draft, diagnosis)}
            <DesignBar {...{ draft, diagnosis, aside }} mustAgree={isResolved && !isAgreed} />
        </>
    );
}

function DesignBar({ draft, diagnosis: { state, errors, failure }, aside, mustAgree }: {
    readonly draft: Draft; readonly diagnosis: Diagnosis; readonly aside: SetAside; readonly mustAgree: boolean
}): JSX.Element | null {

    const { base, version: over, content, isChanged, isValidJson } = draft;
    const [outcome, setOutcome] = useState<{
        readonly isBusy: boolean; readonly error: string | null; readonly theirs: TypeObject | null
    }>({ isBusy: false, error: null, theirs: null });
    const store = useStore();
    const isTypedOn = useIsTypedOn(draft);
    const save = async (etag: string | null): Promise<void> => {

        if (!isValidJson) {
            // What was there before the error is not what the user wants to store.
            setOutcome({ ...outcome, error: t('invalidJson') });
            return;
        }

        if (mustAgree) {
            setOutcome({ ...outcome, error: ofEdit('agreeFirst') });
            return;
        }

        setOutcome({ isBusy: true, error: null, theirs: null });
        try {
            const version = await store({ id: DESIGN, content, etag });
            // It is stored, also when it cannot be read then, or somebody else has stored another one since, which what was typed meanwhile is not based on.
            const read = await readTypeObject(DESIGN).catch(() => null);
            const isKept = isTypedOn();
            const stored = read && (!isKept || isSameVersion(read.etag, version)) ? read : { ...base, content, etag: version ?? base.etag };
            aside.forget();
            draft.reset(stored, { keep: isKept });
            await readDesign();
            setOutcome({ isBusy: false, error: null, theirs: null });
            say(t('saved'));
        }
        catch (error) {
            const isConflict = error instanceof RepositoryError && error.status === CHANGED;
            setOutcome({ isBusy: false, error: isConflict ? null : textOf(error), theirs: null });
            if (isConflict) {
                readDesignObject().then((theirs) => setOutcome({ isBusy: false, error: null, theirs }), sayError);
            }
        }
    };

    const takeTheirs = (theirs: TypeObject): void => {

        aside.keep(theirs.etag);
        draft.reset(theirs);
        setOutcome({ isBusy: false, error: null, theirs: null });
    };

    const discard = (): void => {

        if (isChanged) {
            // It can be taken back.
            aside.keep();
            say(ofEdit('discarded'), 'info');
        }

        draft.reset(base);
    };

    if (!isChanged && !outcome.error) {
        return null;
    }

    return (
        <div class="save-area">
            {outcome.theirs && <Conflict mine={content} theirs={outcome.theirs} onTake={takeTheirs} onOverwrite={({ etag }) => void save(etag)} />}
            {outcome.error !== null && <ErrorBox message={outcome.error} />}
            {errors.length > 0 && <div role="status"><ul class="errors">{errors.map(({ pointer, message }) => <li key={pointer + message} dir="auto"><code>{pointer}</code> {serverText(message)}</li>)}</ul></div>}
            <div class="save-bar" role="region" aria-label={t('save')}>
                <span class="grow muted" role="status">{!isValidJson ? t('invalidJson') : state === 'checking' ? t('checking') : state === 'valid' ? t('valid') : state === 'invalid' ? t('errors', { count: errors.length }) : state === 'failed' ? t('failed', { error: failure ?? '' }) : t('unsaved')}</span>
                <button type="button" onClick={discard}>{t('discard')}</button>
                <button type="button" class="primary" disabled={outcome.isBusy || !isChanged || !isValidJson} onClick={() => void save(over)}><Icon name="save" />{t('save')}</button>
            </div>
        </div>
    );
}
