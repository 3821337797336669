/** The frame of pages for browsers: no scripts, frames, forms or requests to others. */

import { createHash } from 'node:crypto';
import { escapeMarkup } from '../../../lib/util/text/xml-escape.js';
import type { Headers, Reply } from './reply.js';
import { textReply } from './reply.js';

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; overflow-wrap: anywhere }
a { color: #1f4e79 }
summary { cursor: pointer }
details { margin: .25rem 0 }
details > :not(summary) { margin-left: 1.2rem }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0 }
pre { overflow-x: auto; font-size: .85rem }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #1b1b1b } a { color: #8cc2f2 } }
`;

/** The style above and no other. */
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const HEADERS: Headers = { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff' };
const MEDIA_TYPE = 'text/html; charset=utf-8';

/** Replies with a page. `main` is HTML; the title is text. */
export function pageReply(title: string, main: string, headers: Headers = {}): Reply {

    return textReply(begin(title) + main + END, { headers: { ...headers, ...HEADERS }, mediaType: MEDIA_TYPE });
}

/** Replies with a page in chunks of text, such as those of {@link pageText}. */
export function longPageReply(texts: AsyncIterable<string>): Reply {

    return { headers: HEADERS, body: { kind: 'texts', texts, mediaType: MEDIA_TYPE } };
}

/** The text of a page whose `main` comes in parts. */
export function *pageText(title: string, main: Iterable<string>): Generator<string> {

    yield begin(title);
    yield *main;
    yield END;
}

const END = `
</main>
</body>
</html>
`;

function begin(title: string): string {

    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeMarkup(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
`;
}
