/** Tabs, whose selection is part of the address. */

import type { JSX } from 'preact';

/** A tab. */
export interface Tab {
    readonly id: string;
    readonly label: string;
    readonly href: string;
    /** A number beside the label. */
    readonly count?: number | null;
    /** Says, of a number of errors, what it counts: it is marked as such. */
    readonly errorText?: string | undefined;
}

/** A row of tabs. They are links: each has an address, which can be opened elsewhere. */
export function Tabs({ tabs, selected, label }: { readonly tabs: readonly Tab[]; readonly selected: string; readonly label: string }): JSX.Element {

    return (
        <nav class="tabs" aria-label={label}>
            {tabs.map(({ id, label: text, href, count, errorText }) => (
                <a key={id} href={href} aria-current={id === selected ? 'page' : undefined}>
                    {text}
                    {typeof count === 'number' && errorText === undefined && <span class="count">{count}</span>}
                    {typeof count === 'number' && errorText !== undefined &&
                        <><span class="count danger" aria-hidden="true">{count}</span><span class="visually-hidden">{` ${errorText}`}</span></>}
                </a>
            ))}
        </nav>
    );
}
