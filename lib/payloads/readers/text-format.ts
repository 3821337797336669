/**
 * Determines which elements contain text, and in what format, from what clients declare: media type first, then the file name.
 */

/** Kind of reader; `unknown` is detected from the first bytes. */
export type TextKind = 'plain' | 'json' | 'html' | 'xml' | 'pdf' | 'docx' | 'unknown';

/** Format of the text of an element. */
export interface TextFormat {
    readonly kind: TextKind;
    /** From the media type, in lower case. */
    readonly charset: string | null;
}

const WORD_DOCUMENT = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

const BY_TYPE: Readonly<Record<string, TextKind>> = {
    'text/html': 'html', 'application/xhtml+xml': 'html',
    'text/xml': 'xml', 'application/xml': 'xml',
    'text/json': 'json', 'application/json': 'json',
    'application/pdf': 'pdf', 'application/x-pdf': 'pdf',
    [`${WORD_DOCUMENT}.document`]: 'docx', [`${WORD_DOCUMENT}.template`]: 'docx',
    'application/vnd.ms-word.document.macroenabled.12': 'docx',
    'application/x-ndjson': 'plain', 'application/ndjson': 'plain', 'application/jsonl': 'plain', 'application/json-seq': 'plain',
    'application/yaml': 'plain', 'application/x-yaml': 'plain', 'application/toml': 'plain', 'application/csv': 'plain',
    'application/javascript': 'plain', 'application/x-javascript': 'plain', 'application/ecmascript': 'plain', 'application/sql': 'plain',
    'application/x-sh': 'plain', 'application/x-tex': 'plain', 'application/x-latex': 'plain', 'application/x-subrip': 'plain'
};

/** Types below `text/` that need a reader of their own. */
const NOT_PLAIN: ReadonlySet<string> = new Set(['text/rtf', 'text/richtext', 'text/enriched']);

const BY_EXTENSION: ReadonlyMap<string, TextKind> = new Map<string, TextKind>(Object.entries({
    html: 'html', htm: 'html', xhtml: 'html',
    xml: 'xml', svg: 'xml', rdf: 'xml', xsd: 'xml', xsl: 'xml', xslt: 'xml', rss: 'xml', tei: 'xml',
    json: 'json', jsonld: 'json', geojson: 'json',
    pdf: 'pdf', docx: 'docx', docm: 'docx', dotx: 'docx',
    txt: 'plain', text: 'plain', md: 'plain', markdown: 'plain', rst: 'plain', adoc: 'plain', csv: 'plain', tsv: 'plain', log: 'plain',
    yaml: 'plain', yml: 'plain', toml: 'plain', ini: 'plain', properties: 'plain', jsonl: 'plain', ndjson: 'plain', tex: 'plain', bib: 'plain',
    js: 'plain', mjs: 'plain', cjs: 'plain', ts: 'plain', py: 'plain', r: 'plain', java: 'plain', c: 'plain', h: 'plain', cpp: 'plain',
    go: 'plain', rs: 'plain', rb: 'plain', sh: 'plain', sql: 'plain', css: 'plain', srt: 'plain', vtt: 'plain', ttl: 'plain', nt: 'plain'
} satisfies Record<string, TextKind>));

/** Media types without information. */
const UNSPECIFIC: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/unknown']);

/** Returns the format of an element; null when it is not known to contain text. */
export function textFormat({ mediaType, filename }: { readonly mediaType: string | null; readonly filename: string | null }): TextFormat | null {

    const type = (mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const kind = UNSPECIFIC.has(type) ? kindOfName(filename) : kindOfType(type);
    return kind && { kind, charset: charsetOf(mediaType ?? '') };
}

/** Returns the format as a short key for the stored text; at most 60 bytes. */
export function formatKey({ kind, charset }: TextFormat): string {

    return charset === null ? kind : `${kind};${charset}`;
}

function kindOfType(type: string): TextKind | null {

    if (Object.hasOwn(BY_TYPE, type)) {
        return BY_TYPE[type] ?? null;
    }

    if (type.endsWith('+xml')) {
        return 'xml';
    }

    if (type.endsWith('+json')) {
        return 'json';
    }

    return type.startsWith('text/') && !NOT_PLAIN.has(type) ? 'plain' : null;
}

function kindOfName(filename: string | null): TextKind | null {

    const extension = /\.([^./\\]+)$/.exec(filename ?? '')?.[1];
    return extension === undefined ? 'unknown' : BY_EXTENSION.get(extension.toLowerCase()) ?? null;
}

function charsetOf(mediaType: string): string | null {

    const found = /;\s*charset\s*=\s*"?([\w.:+-]{1,40})"?/i.exec(mediaType);
    return found?.[1]?.toLowerCase() ?? null;
}
