/** Icons, drawn on a grid of 24 by 24 with strokes in the colour of the text. They say nothing to screen readers: the text beside them does. */

import type { JSX } from 'preact';

const PATHS = {
    add: 'M12 5v14M5 12h14',
    admin: 'M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6z',
    back: 'M15 5l-7 7 7 7',
    forward: 'M9 5l7 7-7 7',
    check: 'M5 13l4 4L19 7',
    close: 'M6 6l12 12M18 6L6 18',
    copy: 'M9 9h10v11H9zM5 15V4h10',
    delete: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6',
    down: 'M6 9l6 6 6-6',
    up: 'M6 15l6-6 6 6',
    download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
    edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
    error: 'M12 8v5M12 16v.5M12 3a9 9 0 100 18 9 9 0 000-18z',
    file: 'M6 3h8l4 4v14H6zM14 3v4h4',
    filter: 'M4 5h16l-6 8v6l-4-2v-4z',
    graph: 'M6 18a2 2 0 100-4 2 2 0 000 4zM18 20a2 2 0 100-4 2 2 0 000 4zM14 8a2 2 0 100-4 2 2 0 000 4zM7 14.500l6-7M15 8l2.500 8M8 16.500l8 1',
    history: 'M4 12a8 8 0 108-8 8 8 0 00-7 4M4 4v4h4M12 8v4l3 2',
    home: 'M4 11l8-7 8 7M6 10v10h12V10',
    info: 'M12 11v5M12 8v.5M12 3a9 9 0 100 18 9 9 0 000-18z',
    language: 'M12 3a9 9 0 100 18 9 9 0 000-18zM3 12h18M12 3c3 3 3.500 6 3.500 9s-.5 6-3.500 9c-3-3-3.500-6-3.500-9s.5-6 3.500-9z',
    link: 'M10 14a4 4 0 006 0l3-3a4 4 0 00-6-6l-1 1M14 10a4 4 0 00-6 0l-3 3a4 4 0 006 6l1-1',
    list: 'M8 6h12M8 12h12M8 18h12M4 6h.5M4 12h.5M4 18h.5',
    lock: 'M6 11h12v9H6zM8 11V8a4 4 0 018 0v3',
    menu: 'M4 6h16M4 12h16M4 18h16',
    moon: 'M20 14A8 8 0 1110 4a7 7 0 0010 10z',
    more: 'M5 12h.5M12 12h.5M19 12h.5',
    play: 'M7 4l13 8-13 8z',
    refresh: 'M20 12a8 8 0 10-2.500 5.800M20 5v6h-6',
    save: 'M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6',
    search: 'M10.500 4a6.500 6.500 0 100 13 6.500 6.500 0 000-13zM15.500 15.500L21 21',
    sort: 'M8 4v16M4 16l4 4 4-4M16 20V4M12 8l4-4 4 4',
    table: 'M4 5h16v14H4zM4 10h16M10 5v14',
    type: 'M4 7l8-4 8 4v10l-8 4-8-4zM4 7l8 4 8-4M12 11v10',
    upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
    user: 'M12 4a4 4 0 100 8 4 4 0 000-8zM4 21c0-4 4-6 8-6s8 2 8 6',
    users: 'M9 5a3.500 3.500 0 100 7 3.500 3.500 0 000-7zM2 20c0-3.500 3.500-5 7-5s7 1.500 7 5M16 5a3.500 3.500 0 010 7M18 15c2.500.5 4 2 4 5',
    warning: 'M12 4l9 16H3zM12 10v5M12 17v.5'
} as const;

export type IconName = keyof typeof PATHS;

/** An icon. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {

    return (
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d={PATHS[name]} />
        </svg>
    );
}
