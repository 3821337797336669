/** The frame of pages for browsers: no scripts, frames, forms or requests to others. */

import { escapeMarkup } from '../../../lib/util/text/xml-escape.js';
import type { Headers, Reply } from './reply.js';
import { textReply } from './reply.js';

const POLICY = 'default-src \'none\'; style-src \'unsafe-inline\'; img-src \'self\'; base-uri \'none\'; form-action \'none\'; frame-ancestors \'none\'';

/** Replies with a page. `main` is HTML; the title is text. */
export function pageReply(title: string, main: string, headers: Headers = {}): Reply {

    const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeMarkup(title)}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; overflow-wrap: anywhere }
a { color: #1f4e79 }
summary { cursor: pointer }
details { margin: .25rem 0 }
details > :not(summary) { margin-left: 1.2rem }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0 }
pre { overflow-x: auto; font-size: .85rem }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #1b1b1b } a { color: #8cc2f2 } }
</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
    return textReply(html, { headers: { ...headers, 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' }, mediaType: 'text/html; charset=utf-8' });
}
