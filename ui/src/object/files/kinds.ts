/** How files are previewed, and tables in text. Pure, for tests. */

import type { Payload } from '../../../../lib/client/web/index.js';

export type PreviewKind = 'image' | 'pdf' | 'audio' | 'video' | 'markdown' | 'table' | 'text' | 'code' | 'none';

const BY_MEDIA_TYPE: readonly (readonly [pattern: RegExp, kind: PreviewKind])[] = [
    [/^image\/(?:png|jpe?g|gif|webp|avif|svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)\b/, 'image'], [/^application\/pdf\b/, 'pdf'], [/^audio\//, 'audio'], [/^video\//, 'video'],
    [/^text\/(?:x-)?markdown\b/, 'markdown'], [/^text\/(?:csv|tab-separated-values)\b/, 'table'],
    [/^(?:text\/html|application\/xhtml\+xml)\b/, 'code'], [/^text\//, 'text'], [/^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|x-ndjson|x-sh|toml|sql)\b/, 'text']
];

const BY_ENDING: Readonly<Record<string, PreviewKind>> = {
    png: 'image', jpg: 'image', jpeg: 'image', gif: 'image', webp: 'image', avif: 'image', pdf: 'pdf', mp3: 'audio', wav: 'audio', ogg: 'audio', flac: 'audio', mp4: 'video', webm: 'video',
    md: 'markdown', markdown: 'markdown', csv: 'table', tsv: 'table', txt: 'text', log: 'text', json: 'text', xml: 'text', yml: 'text', yaml: 'text', html: 'code', htm: 'code'
};

/** The kind of a file by its media type, or by the ending of its name where the type says nothing. */
export function previewKind({ name, filename, mediaType = '' }: Payload): PreviewKind {

    const type = mediaType.toLowerCase();
    const [, kind] = BY_MEDIA_TYPE.find(([pattern]) => pattern.test(type)) ?? [];
    const isVague = type === '' || type.startsWith('application/octet-stream') || type.startsWith('text/plain');
    const ending = /\.(\w{1,10})$/.exec(filename ?? name)?.[1]?.toLowerCase() ?? '';
    const byEnding = Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
    // The browser goes by the media type: what is sent as a stream of bytes is no picture to it.
    const isText = byEnding === 'markdown' || byEnding === 'table' || byEnding === 'text' || byEnding === 'code';
    return isVague && isText ? byEnding : kind ?? 'none';
}

/** Rows of a table that are shown, and columns. */
const MAX_ROWS = 200;
const MAX_COLUMNS = 50;

/** Reads comma-, semicolon- or tab-separated values; more rows than are shown are left out. */
export function parseTable(text: string): readonly (readonly string[])[] {

    const [head = ''] = text.split('\n', 1);
    const separator = [',', ';', '\t'].map((each) => [each, head.split(each).length] as const).reduce((best, each) => (each[1] > best[1] ? each : best))[0];
    const rows: string[][] = [];
    let [row, cell, isQuoted] = [[] as string[], '', false];
    const endRow = (): void => {

        row.push(cell);
        if (row.length > 1 || row[0] !== '') {
            rows.push(row.slice(0, MAX_COLUMNS));
        }

        [row, cell] = [[], ''];
    };

    for (let i = text.charCodeAt(0) === 0xfeff ? 1 : 0; i < text.length && rows.length <= MAX_ROWS; ++i) {
        const each = text[i] ?? '';
        if (isQuoted) {
            const isDoubled = each === '"' && text[i + 1] === '"';
            isQuoted = each !== '"' || isDoubled;
            cell += isQuoted ? each : '';
            i += isDoubled ? 1 : 0;
        }
        else if (each === '"' && cell === '') {
            isQuoted = true;
        }
        else if (each === separator) {
            row.push(cell);
            cell = '';
        }
        else if (each === '\n') {
            endRow();
        }
        else if (each !== '\r') {
            cell += each;
        }
    }

    if (rows.length <= MAX_ROWS && (cell !== '' || row.length > 0)) {
        endRow();
    }

    return rows.slice(0, MAX_ROWS + 1);
}

/** Names that fields of the request have. */
const RESERVED = new Set(['content', 'json', 'acl', 'userMetadata', 'payloadToDelete', 'type', 'full', 'dryRun', 'jsonPointer', 'requestContext', 'access_token']);

/** The name in the object for a file that is added. */
export function nameForFile(filename: string): string {

    return RESERVED.has(filename) ? `${filename}-file` : filename;
}

/** The names in the object for files that are added together: those of different folders may have the same. */
export function namesForFiles(filenames: readonly string[]): readonly string[] {

    const used = new Set<string>();
    return filenames.map(nameForFile).map((name) => {

        let own = name;
        for (let i = 2; used.has(own); ++i) {
            own = `${i}-${name}`;
        }

        used.add(own);
        return own;
    });
}
