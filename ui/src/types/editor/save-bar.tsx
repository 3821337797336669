/** The bar below the editor: what the service says about the draft, and the way to store it. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { RepositoryError } from '../../api/client.js';
import { ErrorBox } from '../../components/feedback.js';
import { useMounted } from '../../components/use-mounted.js';
import { Icon } from '../../components/icon.js';
import { t as ofEdit } from '../../edit/texts.js';
import { followRenamed, guardLeaving, route, to } from '../../router.js';
import { isSameVersion } from '../../api/entity-tag.js';
import { serverText } from '../../server-texts/index.js';
import { readDesign } from '../../state/design.js';
import { say, sayError, textOf } from '../../state/messages.js';
import { readTypeObject, type TypeObject } from '../model/type-object.js';
import { Conflict } from './conflict.js';
import { useIsTypedOn, type Diagnosis, type Draft } from './draft.js';
import { FitDialog } from './fit-dialog.js';
import { t } from './texts.js';
import type { SetAside } from './use-set-aside.js';
import { CHANGED, useStore } from './use-store.js';

interface SaveBarProps {
    readonly name: string;
    readonly draft: Draft;
    readonly diagnosis: Diagnosis;
    readonly aside: SetAside;
    /** True until the user has agreed that what type code shows is stored. */
    readonly mustAgree: boolean;
    readonly onSaved: () => void;
}

const NOT_FOUND = 404;

export function SaveBar({ name, draft, diagnosis, aside, mustAgree, onSaved }: SaveBarProps): JSX.Element | null {

    const [state, setState] = useState<{
        readonly isBusy: boolean; readonly error: string | null; readonly theirs: TypeObject | null
    }>({ isBusy: false, error: null, theirs: null });
    const [fit, setFit] = useState<'check' | 'save' | null>(null);
    const { base, version: over, content, isChanged, isValidJson, isSchemaChanged } = draft;
    const store = useStore();
    const isTypedOn = useIsTypedOn(draft);
    const isMounted = useMounted();
    const save = async (etag: string | null = over): Promise<void> => {

        setFit(null);
        if (!isValidJson) {
            setState({ ...state, error: t(draft.isValidSchema ? 'invalidRules' : 'invalidJson') });
            return;
        }

        if (mustAgree) {
            setState({ ...state, error: ofEdit('agreeFirst') });
            return;
        }

        setState({ isBusy: true, error: null, theirs: null });
        try {
            const version = await store({ id: base.id, content, etag });
            // It is stored, also when it cannot be read then, or somebody else has stored another one since, which what was typed meanwhile is not based on.
            const read = await readTypeObject(base.id).catch(() => null);
            const isKept = isTypedOn();
            const stored = read && (!isKept || isSameVersion(read.etag, version)) ? read : { ...base, content, etag: version ?? base.etag };
            aside.forget();
            draft.reset(stored, { keep: isKept });
            if (!isKept && isMounted()) {
                guardLeaving(null);
            }

            await readDesign();
            setState({ isBusy: false, error: null, theirs: null });
            const newName = typeof content['name'] === 'string' ? content['name'] : name;
            say(t('saved', { name: newName }));
            onSaved();
            if (newName !== name && isMounted()) {
                const tab = route.value.params.get('tab');
                followRenamed(to.type(newName, tab === null ? {} : { tab }));
            }
        }
        catch (error) {
            const isConflict = error instanceof RepositoryError && error.status === CHANGED;
            setState({ isBusy: false, error: isConflict ? null : error instanceof RepositoryError && error.status === NOT_FOUND ? t('gone') : textOf(error), theirs: null });
            if (isConflict) {
                readTypeObject(base.id).then((theirs) => setState({ isBusy: false, error: null, theirs }), sayError);
            }
        }
    };

    const takeTheirs = (theirs: TypeObject): void => {

        aside.keep(theirs.etag);
        draft.reset(theirs);
        setState({ isBusy: false, error: null, theirs: null });
    };

    const discard = (): void => {

        // It can be taken back.
        aside.keep();
        draft.reset(base);
        say(ofEdit('discarded'), 'info');
    };

    if (!isChanged && state.error === null) {
        return null;
    }

    return (
        <div class="save-area">
            {state.theirs && <Conflict mine={content} theirs={state.theirs} onTake={takeTheirs} onOverwrite={(theirs) => void save(theirs.etag)} />}
            {state.error !== null && <ErrorBox message={state.error} />}
            <div class="save-bar" role="region" aria-label={t('save')}>
                <div class="grow" role="status"><State draft={draft} diagnosis={diagnosis} /></div>
                {isSchemaChanged && isValidJson && <button type="button" onClick={() => setFit('check')}>{t('fit')}</button>}
                {isChanged && <button type="button" onClick={discard}>{t('discard')}</button>}
                <button type="button" class="primary" disabled={!isChanged || !isValidJson || state.isBusy} onClick={() => (isSchemaChanged && !mustAgree ? setFit('save') : void save())}>
                    <Icon name="save" />{t('save')}
                </button>
            </div>
            {fit && <FitDialog type={name} schema={content['schema'] ?? null} isBeforeSave={fit === 'save'} onSave={() => void save()} onClose={() => setFit(null)} />}
        </div>
    );
}

function State({ draft: { isChanged, isValidJson, isValidSchema }, diagnosis: { state, errors, failure } }: {
    readonly draft: Draft; readonly diagnosis: Diagnosis
}): JSX.Element | null {

    if (!isChanged) {
        return null;
    }

    if (!isValidJson) {
        return <span class="danger-text">{t(isValidSchema ? 'invalidRules' : 'invalidJson')}</span>;
    }

    switch (state) {
        case 'checking': {
            return <span class="muted">{t('checking')}</span>;
        }

        case 'valid': {
            return <span class="success-text">{t('noErrors')} <small>{t('unsaved')}</small></span>;
        }

        case 'invalid': {
            const [first] = errors;
            return <span class="danger-text">{t('errorCount', { count: errors.length })}: <bdi>{first?.pointer} {serverText(first?.message ?? '')}{first?.line !== undefined && ` (${t('lineColumn', { line: first.line, column: first.column ?? 1 })})`}</bdi></span>;
        }

        case 'failed': {
            return <span class="danger-text">{t('checkFailed', { error: failure ?? '' })}</span>;
        }

        default: {
            return <span class="muted">{t('unsaved')}</span>;
        }
    }
}
