/** Loads many types from a file. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { RepositoryError, requestJson } from '../../api/client.js';
import { Confirm } from '../../components/confirm.js';
import { ErrorBox } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { isLost } from '../../components/use-once.js';
import { JsonSyntaxError } from '../../json/parse-json.js';
import { jsonErrorText } from '../../json/texts.js';
import { readUtf8 } from '../../json/utf8.js';
import { writeJson } from '../../json/write-json.js';
import { t as ofObject } from '../../object/texts.js';
import { readDesign } from '../../state/design.js';
import { say, textOf } from '../../state/messages.js';
import { readTypeFile } from '../model/type-file.js';
import { t } from '../texts.js';
import { isHidden, isSamePlan, objectOf, planOf, type LoadPlan } from './load-plan.js';

/** HTTP status where somebody else has stored one of the types since they were read. */
const CHANGED = 412;

/** Types that are listed. */
const MAX_LISTED = 500;

export function LoadDialog({ onClose, onLoaded }: { readonly onClose: () => void; readonly onLoaded: () => void }): JSX.Element {

    const [plan, setPlan] = useState<LoadPlan | null>(null);
    const [error, setError] = useState<string | null>(null);
    const readings = useRef(0);
    const read = async (chosen: File | undefined): Promise<void> => {

        setPlan(null);
        setError(null);
        const own = ++readings.current;
        const isCurrent = (): boolean => own === readings.current;
        try {
            const text = chosen && await readUtf8(chosen);
            const found = text === undefined ? null : await planOf(readTypeFile(text));
            if (isCurrent()) {
                setPlan(found);
                setError(found?.types.length === 0 ? t('noTypesFound') : null);
            }
        }
        catch (failure) {
            if (isCurrent()) {
                const reason = failure instanceof JsonSyntaxError ? jsonErrorText(failure) : textOf(failure);
                setError(failure instanceof RepositoryError ? reason : t('loadFailed', { error: reason }));
            }
        }
    };

    const isUnanswered = useRef(false);
    const store = async (): Promise<void> => {

        if (!plan) {
            return;
        }

        // What others have stored since the file was read, or a request of this page whose response was lost.
        const now = await planOf(plan.file);
        const types = now.types.filter(({ state }) => state !== 'unchanged');
        const showOther = (other: LoadPlan): never => {

            setPlan((shown) => (shown === plan ? other : shown));
            throw new Error(t('otherTypes'));
        };

        if (types.length > 0 && !isSamePlan(plan, now)) {
            showOther(now);
        }

        if (types.length > 0) {
            const text = writeJson({ results: types.map(objectOf) });
            await requestJson({ method: 'POST', path: '/uploadObjects', body: { mediaType: 'application/json', open: () => text, isReplayable: true } }).catch(async (failure: unknown) => {

                if (failure instanceof RepositoryError && failure.status === CHANGED) {
                    showOther(await planOf(plan.file));
                }

                isUnanswered.current = isUnanswered.current || isLost(failure);
                throw failure;
            });
            await readDesign();
        }

        say(t('loaded', { count: isUnanswered.current ? plan.types.length : types.length }));
        onLoaded();
    };

    const types = plan?.types ?? [];
    const others = plan?.file.others ?? 0;
    const isBlocked = types.some(isHidden);
    return (
        <Confirm title={t('loadTitle')} action={t('store')} isReady={types.length > 0 && !isBlocked} onConfirm={store} onClose={onClose}>
            <p class="muted">{t('loadHint')} {t('allOrNone')}</p>
            <label>{t('choose')} <input type="file" required accept=".json,.ndjson,.jsonl,application/json" onChange={(event) => void read(event.currentTarget.files?.[0])} /></label>
            {error !== null && <ErrorBox message={error} />}
            {types.length > 0 && (
                <>
                    <h3>{t('found')}</h3>
                    <ul class="member-list">
                        {types.slice(0, MAX_LISTED).map(({ type: { name }, state }) => <li key={name}><span dir="auto">{name}</span><span class="badge plain">{t(state)}</span></li>)}
                    </ul>
                    {types.length > MAX_LISTED && <p>{t('moreTypes', { count: types.length - MAX_LISTED })}</p>}
                    {isBlocked && <p class="box warning"><Icon name="warning" />{ofObject('resolved')}</p>}
                    {others > 0 && <p>{t('others', { count: others })}</p>}
                </>
            )}
        </Confirm>
    );
}
