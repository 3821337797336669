/** The page of the web UI: it names the files of the bundle, and has a nonce for styles that scripts add. */

import { randomBytes } from 'node:crypto';
import { escapeMarkup } from '../../lib/util/text/xml-escape.js';
import { implementation } from '../../lib/util/version.js';
import type { Headers } from '../http/response/reply.js';
import type { Bundle } from './bundle.js';

/** Where the page is, and what it tells its scripts. */
export interface PageSetting {
    /** Prefix of the paths of REST. */
    readonly base: string;
    /** Path of the files, below the prefix. */
    readonly path: string;
    /** Name of the extension keyword in the schemas of types. */
    readonly keyword: string;
}

/** A page with its headers. */
export interface Page {
    readonly html: string;
    readonly headers: Headers;
}

/** Bytes of a nonce, which nobody guesses. */
const NONCE_BYTES = 18;

/** Makes the page, for one response: its nonce is of one use. */
export function makePage(bundle: Bundle, { base, path, keyword }: PageSetting): Page {

    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    const url = (name: string): string => escapeMarkup(`${base}${path}/${name}`);
    const { name, version } = implementation;
    const config = JSON.stringify({ base, keyword, name, version });
    const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="doip-gateway" content="${escapeMarkup(config)}">
<title>${escapeMarkup(name)}</title>
<link rel="icon" href="${escapeMarkup(base)}/favicon.ico" type="image/svg+xml">
<script async src="${url(bundle.first)}"></script>
<link rel="stylesheet" href="${url(bundle.style)}">
<script type="module" src="${url(bundle.script)}"></script>
${bundle.imports.map((each) => `<link rel="modulepreload" href="${url(each)}">\n`).join('')}<style id="nonce" nonce="${nonce}"></style>
</head>
<body>
<div id="app"></div>
<noscript><main><h1>${escapeMarkup(name)}</h1><p>This page needs JavaScript. Without it: <a href="${escapeMarkup(base)}/docs">the interface for programs</a>,
<a href="${escapeMarkup(base)}/search?query=*:*&amp;pageSize=10">ten objects as JSON</a>.</p></main></noscript>
</body>
</html>
`;
    return { html, headers: headersOf(nonce) };
}

function headersOf(nonce: string): Headers {

    const policy = [
        'default-src \'none\'', 'script-src \'self\'', `style-src 'self' 'nonce-${nonce}'`, 'img-src \'self\' blob: data:', 'media-src \'self\' blob:',
        'frame-src \'self\' blob:', 'connect-src \'self\'', 'base-uri \'none\'', 'form-action \'none\'', 'frame-ancestors \'none\'',
        'require-trusted-types-for \'script\'', 'trusted-types dompurify'
    ].join('; ');
    return {
        'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Opener-Policy': 'same-origin',
        'Permissions-Policy': 'camera=(), geolocation=(), microphone=()', 'Cache-Control': 'no-store'
    };
}
