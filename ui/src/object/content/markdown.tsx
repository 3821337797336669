/** Markdown, as HTML that cannot run anything or load anything from elsewhere. Loaded where there is some. */

import DOMPurify, { type Config } from 'dompurify';
import { marked } from 'marked';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Longer texts are cut, in characters: they would hold the page. */
const MAX_LENGTH = 256 * 1024;

const OPTIONS: Config = {
    USE_PROFILES: { html: true }, FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'dialog', 'video', 'audio', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'name', 'class', 'srcset', 'autofocus', 'tabindex'], ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false
};

/** Headings of the text are below those of the page. */
const DEEPER: Readonly<Record<string, string>> = { H1: 'h3', H2: 'h4', H3: 'h5', H4: 'h6', H5: 'h6' };

/** Shows a text. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {

    const ref = useRef<HTMLDivElement>(null);
    useEffect(() => {

        const { current } = ref;
        if (current) {
            const html = marked.parse(text.slice(0, MAX_LENGTH), { async: false, gfm: true });
            const fragment = DOMPurify.sanitize(html, { ...OPTIONS, RETURN_DOM_FRAGMENT: true });
            tame(fragment);
            current.replaceChildren(fragment);
        }
    }, [text]);
    return <div class="markdown" dir="auto" ref={ref} />;
}

function tame(fragment: DocumentFragment): void {

    // Pictures of other origins would tell them who reads this: they become links.
    for (const image of fragment.querySelectorAll('img')) {
        const source = image.getAttribute('src') ?? '';
        const isOwn = /^data:image\//i.test(source) || new URL(source, location.href).origin === location.origin;
        if (!isOwn) {
            const link = document.createElement('a');
            link.href = source;
            link.textContent = image.alt === '' ? source : image.alt;
            image.replaceWith(link);
        }
    }

    for (const link of fragment.querySelectorAll('a')) {
        link.rel = 'noopener noreferrer';
    }

    for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5')) {
        const deeper = document.createElement(DEEPER[heading.tagName] ?? 'h6');
        deeper.append(...heading.childNodes);
        heading.replaceWith(deeper);
    }

    for (const table of fragment.querySelectorAll('table')) {
        const frame = document.createElement('div');
        frame.className = 'scroll-x';
        frame.tabIndex = 0;
        table.replaceWith(frame);
        frame.append(table);
    }
}
