/** The search field above a list. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Pause in typing before the list is read, in milliseconds. */
const PAUSE_MS = 250;

/** A field that reports its text after a pause in typing. */
export function ListSearch({ label, text, onSearch, children }: {
    readonly label: string; readonly text: string; readonly onSearch: (text: string) => void; readonly children?: JSX.Element | JSX.Element[];
}): JSX.Element {

    const [typed, setTyped] = useState(text);
    const reported = useRef(text);
    const latest = useRef(onSearch);
    latest.current = onSearch;
    useEffect(() => {

        const timer = setTimeout(() => {

            if (typed !== reported.current) {
                reported.current = typed;
                latest.current(typed);
            }
        }, PAUSE_MS);
        return () => clearTimeout(timer);
    }, [typed]);
    return (
        <div class="list-toolbar" role="search" aria-label={label}>
            <label class="grow">{label}<input type="search" value={typed} dir="auto" onInput={(event) => setTyped(event.currentTarget.value)} /></label>
            {children}
        </div>
    );
}
