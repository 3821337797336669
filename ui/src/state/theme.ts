/** Light or dark: as the system, unless the user chose. */

import { signal } from '@preact/signals';
import { followStored, store, stored } from './storage.js';

export type Theme = 'system' | 'light' | 'dark';

const STORED = 'doip-gateway-theme';

export const theme = signal<Theme>(themeOf(stored(STORED)));

/** The theme by what is stored. */
function themeOf(text: string | null): Theme {

    return text === 'light' || text === 'dark' ? text : 'system';
}

/** Changes the theme, now and for later visits. */
export function setTheme(next: Theme): void {

    theme.value = next;
    store(STORED, next === 'system' ? null : next);
    applyTheme();
}

export function applyTheme(): void {

    document.documentElement.style.colorScheme = theme.value === 'system' ? 'light dark' : theme.value;
}

// Other pages of the browser look the same.
followStored(STORED, (text) => {

    theme.value = themeOf(text);
    applyTheme();
});
