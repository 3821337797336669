/** What the service says, which is English, in the language of the user. The table of a language is loaded with it. */

import { effect, signal } from '@preact/signals';
import { language, type Language } from '../i18n/index.js';

type Translate = (message: string) => string;

const TABLES: Readonly<Partial<Record<Language, () => Promise<{ readonly translate: Translate }>>>> = {
    de: async () => await import('./de.js'), fr: async () => await import('./fr.js')
};

const loaded = signal<Readonly<Partial<Record<Language, Translate>>>>({});

effect(() => {

    const name = language.value;
    const load = loaded.peek()[name] ? undefined : TABLES[name];
    load?.().then(({ translate }) => {

        loaded.value = { ...loaded.peek(), [name]: translate };
    }, () => undefined);
});

/** A message of the service in the language of the user; as it is before the table is loaded, and where the table does not know it. */
export function serverText(message: string): string {

    return loaded.value[language.value]?.(message) ?? message;
}
