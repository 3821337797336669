/**
 * Texts in the languages of the user interface. Each part of it defines its own texts beside its code, in all languages:
 *
 * ```ts
 * const t = defineTexts({ en: { found: '{count} objects' }, de: { found: '{count} Objekte' }, fr: { found: '{count} objets' } });
 * t('found', { count: 3 });
 * ```
 *
 * A text may have the forms of a plural, which the parameter `count` selects: `{ one: '{count} object', other: '{count} objects' }`.
 */

import { computed, signal } from '@preact/signals';
import { followStored, store, stored } from '../state/storage.js';

export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français' } as const;

export type Language = keyof typeof LANGUAGES;

/** A text, or its forms by category of the plural. */
export type Text = string | { readonly one: string; readonly other: string };

type Parameters = Readonly<Record<string, string | number>>;

const STORED = 'doip-gateway-language';

function initialLanguage(): Language {

    const { navigator } = globalThis as { readonly navigator?: { readonly languages?: readonly string[] } };
    const wanted = [stored(STORED) ?? '', ...navigator?.languages ?? []].map((tag) => tag.slice(0, 2).toLowerCase());
    return wanted.find((tag): tag is Language => tag in LANGUAGES) ?? 'en';
}

/** The language in use. */
export const language = signal<Language>(initialLanguage());

/** Changes the language, now and for later visits. */
export function setLanguage(next: Language): void {

    language.value = next;
    store(STORED, next);
}

// Other pages of the browser speak the same language.
followStored(STORED, () => {

    language.value = initialLanguage();
});

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

// To make one of these takes as long as it takes to format fifty values with it.
const plurals = computed(() => new Intl.PluralRules(language.value));
const numbers = computed(() => new Intl.NumberFormat(language.value));
const times = computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }));
const days = computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' }));
const spans = computed(() => new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }));
const sizes = computed(() => UNITS.map((unit, step) =>
    new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: step === 0 ? 0 : 1 })));

/** Returns a function for the texts of a part of the user interface. What it returns follows the language. */
export function defineTexts<K extends string>(texts: Readonly<Record<Language, Readonly<Record<K, Text>>>>): (key: K, parameters?: Parameters) => string {

    return (key, parameters = {}) => filled(texts[language.value][key], parameters);
}

/** A text with parameters in the places of their names, in the form for the parameter `count`. */
export function filled(text: Text, parameters: Parameters): string {

    const form = typeof text === 'string' ? text : text[plurals.value.select(Number(parameters['count'])) === 'one' ? 'one' : 'other'];
    return form.replace(/\{(\w+)\}/g, (whole, name: string) => {

        const value = parameters[name];
        return value === undefined ? whole : typeof value === 'number' ? formatNumber(value) : value;
    });
}

/** A number as the language writes it. */
export function formatNumber(value: number): string {

    return numbers.value.format(value);
}

/** A point in time, in milliseconds since 1970. */
export function formatTime(time: number): string {

    return times.value.format(time);
}

/** The day that begins at a point in time in UTC, in milliseconds since 1970. */
export function formatDay(time: number): string {

    return days.value.format(time);
}

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
    ['year', 31_557_600], ['month', 2_629_800], ['week', 604_800], ['day', 86_400], ['hour', 3600], ['minute', 60]
];

/** How long ago a time is, such as “2 hours ago”. */
export function formatAgo(time: number, now = Date.now()): string {

    const seconds = (time - now) / 1000;
    const [unit, length] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
    return spans.value.format(Math.round(seconds / length), unit);
}

/** A size, such as “1.2 MB”. */
export function formatBytes(bytes: number): string {

    const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1000)));
    return sizes.value[step]?.format(bytes / 1000 ** step) ?? String(bytes);
}
