/** Loading of the demo data, which can be continued after a failure: also on the page of a service that has some of them. */

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { ErrorBox, ProgressBar } from '../components/feedback.js';
import { readCaller } from '../api/session.js';
import { store, stored } from '../state/storage.js';
import { go, to } from '../router.js';
import { readDesign } from '../state/design.js';
import { say, textOf } from '../state/messages.js';
import { t } from './texts.js';

/** Where the browser keeps that loading was begun, until it is complete. */
const STORED = 'doip-gateway-demo';

interface Loading {
    readonly done: number;
    readonly total: number;
}

/** Progress and failure outlive the screen, which changes with the first objects. */
const [progress, failure, isPart] = [signal<Loading | null>(null), signal<string | null>(null), signal(stored(STORED) !== null)];

/** True while some of the data are missing. */
export function isDemoPart(): boolean {

    return isPart.value;
}

function setPart(next: boolean): void {

    isPart.value = next;
    store(STORED, next ? 'begun' : null);
}

async function load(onChange: () => void): Promise<void> {

    failure.value = null;
    progress.value = { done: 0, total: 1 };
    setPart(true);
    try {
        const { loadDemo } = await import('./demo-data.js');
        await loadDemo((done, total) => {

            progress.value = { done, total };
        });
        setPart(false);
        await Promise.all([readDesign(), readCaller()]);
        say(t('demoDone'));
        go(to.search({ query: 'type:Work' }));
    }
    catch (error) {
        failure.value = textOf(error);
        onChange();
    }
    finally {
        progress.value = null;
    }
}

/** The button, and what became of it; `onChange` reads again what there is. */
export function Demo({ onChange }: { readonly onChange: () => void }): JSX.Element {

    const state = progress.value;
    return (
        <section class="card stack" aria-labelledby="demo">
            <h2 id="demo">{t(isPart.value ? 'demoPart' : 'demoTitle')}</h2>
            <p>{t(isPart.value ? 'demoPartText' : 'demoText')}</p>
            {failure.value !== null && <ErrorBox message={failure.value} />}
            {state ? <ProgressBar done={state.done} total={state.total} label={t('demoLoading')} /> : (
                <p class="row">
                    <button type="button" onClick={() => void load(onChange)}>{t(isPart.value ? 'demoMore' : 'demo')}</button>
                    {isPart.value && <button type="button" class="quiet" onClick={() => setPart(false)}>{t('demoLeave')}</button>}
                </p>
            )}
        </section>
    );
}
