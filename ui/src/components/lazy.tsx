/** Screens that are loaded when they are first shown. */

import type { ComponentType, FunctionComponent, JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { defineTexts } from '../i18n/index.js';
import { ErrorBox, Loading } from './feedback.js';

const t = defineTexts({
    en: { failed: 'This part of the page could not be loaded. Is the service reachable?' },
    de: { failed: 'Dieser Teil der Seite konnte nicht geladen werden. Ist der Dienst erreichbar?' },
    fr: { failed: 'Cette partie de la page n’a pas pu être chargée. Le service est-il joignable ?' }
});

/** A component that loads another one. */
export interface LazyComponent<P> extends FunctionComponent<P> {
    /** Loads it, so that it is shown at once. */
    readonly load: () => Promise<void>;
}

/** Returns a component that loads another one, from its first rendering on. It is loaded once; a failure can be retried. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): LazyComponent<P> {

    let loaded: ComponentType<P> | null = null;
    const loadOnce = async (): Promise<ComponentType<P>> => {

        loaded ??= await load();
        return loaded;
    };

    function Lazy(props: P): JSX.Element {

        const [Inner, setInner] = useState<ComponentType<P> | null>(() => loaded);
        const [attempt, setAttempt] = useState(0);
        const [isFailed, setFailed] = useState(false);
        // Before the browser paints: what is loaded sends the requests that the user waits for.
        useLayoutEffect(() => {

            if (Inner) {
                return;
            }

            let isCurrent = true;
            setFailed(false);
            loadOnce().then((component) => isCurrent && setInner(() => component), () => isCurrent && setFailed(true));
            return () => {

                isCurrent = false;
            };
        }, [attempt]);
        if (Inner) {
            return <Inner {...props} />;
        }

        // A module that failed to load stays failed in the browser: only loading the page anew helps for good.
        return isFailed ? <ErrorBox message={t('failed')} onRetry={() => (attempt > 0 ? location.reload() : setAttempt(attempt + 1))} /> : <Loading />;
    }

    return Object.assign(Lazy, {
        load: async () => {

            await loadOnce();
        }
    });
}
