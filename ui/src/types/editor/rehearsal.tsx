/** Runs the hooks of the type on an object: an update of it with its own content, in a dry run. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { objectPath, repository, textIn } from '../../api/client.js';
import { ErrorBox } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { ObjectPicker } from '../../components/object-picker.js';
import { isJsonMap, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { textOf } from '../../state/messages.js';
import { Differences } from './conflict.js';
import { differences } from '../model/differences.js';
import { t } from './texts.js';

interface Outcome {
    readonly before: JsonMap;
    readonly after: JsonMap;
    readonly ms: number;
}

export function Rehearsal({ type, isCodeChanged }: { readonly type: string; readonly isCodeChanged: boolean }): JSX.Element {

    const [id, setId] = useState('');
    const [isBusy, setBusy] = useState(false);
    const [outcome, setOutcome] = useState<Outcome | null>(null);
    const [error, setError] = useState<string | null>(null);
    const run = async (event: Event): Promise<void> => {

        event.preventDefault();
        setBusy(true);
        setOutcome(null);
        setError(null);
        try {
            setOutcome(await rehearse(id));
        }
        catch (failure) {
            setError(textOf(failure));
        }

        setBusy(false);
    };

    return (
        <section class="stack">
            <h2>{t('rehearsal')}</h2>
            <p class="muted">{t('rehearsalHint')}</p>
            {isCodeChanged && <div class="box warning"><Icon name="warning" /><p>{t('rehearsalUnsaved')}</p></div>}
            <form class="acl-add" onSubmit={(event) => void run(event)}>
                <div><label for="rehearsal-object">{t('rehearsalObject')}</label><ObjectPicker id="rehearsal-object" label={null} types={[type]} value={id} onChange={setId} /></div>
                <button type="submit" disabled={id === '' || isBusy}><Icon name="play" />{t('run')}</button>
            </form>
            {error !== null && <><p>{t('ranError')}</p><ErrorBox message={error} /></>}
            {outcome && (
                <div class="stack" role="status">
                    <p>{t('ranWell', { ms: outcome.ms })} {differences(outcome.before, outcome.after).length === 0 ? t('ranSame') : t('ranChanges')}</p>
                    {differences(outcome.before, outcome.after).length > 0 && <Differences before={outcome.before} after={outcome.after} names={[t('before'), t('after')]} />}
                </div>
            )}
        </section>
    );
}

async function rehearse(id: string): Promise<Outcome> {

    const path = objectPath(id);
    const text = await textIn(await repository.request({ method: 'GET', path }));
    const started = performance.now();
    const response = await repository.request({ method: 'PUT', path, query: { dryRun: true }, body: { mediaType: 'application/json', open: () => text, isReplayable: true }, isRead: true });
    const after = parseJson(await textIn(response));
    const before = parseJson(text);
    return { before: isJsonMap(before) ? before : {}, after: isJsonMap(after) ? after : {}, ms: Math.round(performance.now() - started) };
}
