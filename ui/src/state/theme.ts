/** Light or dark: as the system, unless the user chose. */

import { signal } from '@preact/signals';
import { store, stored } from './storage.js';

export type Theme = 'system' | 'light' | 'dark';

const STORED = 'doip-gateway-theme';

const initial = stored(STORED);

export const theme = signal<Theme>(initial === 'light' || initial === 'dark' ? initial : 'system');

/** Changes the theme, now and for later visits. */
export function setTheme(next: Theme): void {

    theme.value = next;
    store(STORED, next === 'system' ? null : next);
    applyTheme();
}

export function applyTheme(): void {

    document.documentElement.style.colorScheme = theme.value === 'system' ? 'light dark' : theme.value;
}
