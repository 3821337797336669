/** Markdown, as HTML that cannot run anything or load anything from elsewhere. Loaded where there is some. */

import DOMPurify, { type Config } from 'dompurify';
import { Marked } from 'marked';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** Longer texts are cut, in characters: they would hold the page. */
const MAX_LENGTH = 256 * 1024;

const OPTIONS: Config = {
    USE_PROFILES: { html: true }, FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'dialog', 'video', 'audio', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'name', 'class', 'srcset', 'autofocus', 'tabindex'], ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false
};

/** Time for one text, in milliseconds. Some texts take quadratic time, or nest deeper than the stack: a person may have written them to that end. */
const MAX_MS = 3000;

let deadline = 0;

/** Called for each part of a text; leaves it to the default. */
function checkTime(): false {

    if (performance.now() > deadline) {
        throw new Error('the text takes too long');
    }

    return false;
}

/** HTML in the text is shown as text: the browser would report its handlers of events as violations of the policy, before they are removed. */
const MARKED = new Marked({
    gfm: true, async: false, tokenizer: { space: checkTime, escape: checkTime, list: checkTime }, renderer: { html: ({ text }) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;') }
});

/** Level of the first heading of a text, as the title of the page is above it. */
const TOP_LEVEL = 2;
const LOWEST_LEVEL = 6;

/** Returns the HTML of a text; null if it takes too long, or is nested too deeply. */
function htmlOf(text: string): string | null {

    deadline = performance.now() + MAX_MS;
    try {
        return MARKED.parse(text.slice(0, MAX_LENGTH), { async: false });
    }
    catch {
        return null;
    }
}

/** Shows a text; as it is where it cannot be read as Markdown. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {

    const ref = useRef<HTMLDivElement>(null);
    const html = useMemo(() => htmlOf(text), [text]);
    useEffect(() => {

        const { current } = ref;
        if (current && html !== null) {
            const fragment = DOMPurify.sanitize(html, { ...OPTIONS, RETURN_DOM_FRAGMENT: true });
            tame(fragment);
            current.replaceChildren(fragment);
        }
    }, [html]);
    return html === null ? <div class="text" dir="auto">{text.slice(0, MAX_LENGTH)}</div> : <div class="markdown" dir="auto" ref={ref} />;
}

function tame(fragment: DocumentFragment): void {

    // Pictures of other origins would tell them who reads this, and nothing is beside the text: they become links.
    for (const image of fragment.querySelectorAll('img')) {
        const source = image.getAttribute('src') ?? '';
        if (!/^data:image\//i.test(source)) {
            const text = image.alt === '' ? source : image.alt;
            image.replaceWith(isOfWeb(source) ? linkTo(source, text) : text);
        }
    }

    for (const link of fragment.querySelectorAll('a')) {
        link.rel = 'noopener noreferrer';
    }

    moveHeadings([...fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')]);

    for (const table of fragment.querySelectorAll('table')) {
        const frame = document.createElement('div');
        frame.className = 'scroll-x';
        frame.tabIndex = 0;
        table.replaceWith(frame);
        frame.append(table);
    }
}

/** True for addresses of http and https, also relative ones. */
function isOfWeb(address: string): boolean {

    return address !== '' && URL.canParse(address, document.baseURI) && /^https?:$/.test(new URL(address, document.baseURI).protocol);
}

function linkTo(address: string, text: string): HTMLElement {

    const link = document.createElement('a');
    link.setAttribute('href', address);
    link.textContent = text;
    return link;
}

/** Headings of the text go below those of the page, without gaps. */
function moveHeadings(headings: readonly Element[]): void {

    const levels = headings.map(({ tagName }) => Number(tagName.slice(1)));
    const highest = levels.reduce((least, each) => Math.min(least, each), LOWEST_LEVEL);
    let before = TOP_LEVEL - 1;
    headings.forEach((heading, i) => {

        before = Math.min((levels[i] ?? 1) - highest + TOP_LEVEL, before + 1, LOWEST_LEVEL);
        const moved = document.createElement(`h${before}`);
        moved.append(...heading.childNodes);
        heading.replaceWith(moved);
    });
}
