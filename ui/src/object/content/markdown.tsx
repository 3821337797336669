/** Markdown, as HTML that cannot run anything or load anything from elsewhere. Loaded where there is some. */

import DOMPurify, { type Config } from 'dompurify';
import { Marked } from 'marked';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Longer texts are cut, in characters: they would hold the page. */
const MAX_LENGTH = 256 * 1024;

const OPTIONS: Config = {
    USE_PROFILES: { html: true }, FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'dialog', 'video', 'audio', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'name', 'class', 'srcset', 'autofocus', 'tabindex'], ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false
};

/** HTML in the text is shown as text: the browser would report its handlers of events as violations of the policy, before they are removed. */
const MARKED = new Marked({
    gfm: true, async: false, renderer: { html: ({ text }) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;') }
});

/** Level of the first heading of a text, as the title of the page is above it. */
const TOP_LEVEL = 2;
const LOWEST_LEVEL = 6;

/** Shows a text. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {

    const ref = useRef<HTMLDivElement>(null);
    useEffect(() => {

        const { current } = ref;
        if (current) {
            const html = MARKED.parse(text.slice(0, MAX_LENGTH), { async: false });
            const fragment = DOMPurify.sanitize(html, { ...OPTIONS, RETURN_DOM_FRAGMENT: true });
            tame(fragment);
            current.replaceChildren(fragment);
        }
    }, [text]);
    return <div class="markdown" dir="auto" ref={ref} />;
}

function tame(fragment: DocumentFragment): void {

    // Pictures of other origins would tell them who reads this, and nothing is beside the text: they become links.
    for (const image of fragment.querySelectorAll('img')) {
        const source = image.getAttribute('src') ?? '';
        if (!/^data:image\//i.test(source)) {
            const link = document.createElement('a');
            link.setAttribute('href', source);
            link.textContent = image.alt === '' ? source : image.alt;
            image.replaceWith(link);
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

/** Headings of the text go below those of the page, without gaps. */
function moveHeadings(headings: readonly Element[]): void {

    const levels = headings.map(({ tagName }) => Number(tagName.slice(1)));
    const highest = Math.min(...levels);
    let before = TOP_LEVEL - 1;
    headings.forEach((heading, i) => {

        before = Math.min((levels[i] ?? 1) - highest + TOP_LEVEL, before + 1, LOWEST_LEVEL);
        const moved = document.createElement(`h${before}`);
        moved.append(...heading.childNodes);
        heading.replaceWith(moved);
    });
}
