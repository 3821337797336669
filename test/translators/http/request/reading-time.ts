/** The time of reading bodies grows linearly with their length, however they are made; and no reader of requests is left out. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import {
    readForm, readFully, readJsonBody, readJsonPart, readParts, readRawSegments, readSegments, readTextBody, readTextPart, type RequestWithBody
} from '../../../../translators/http/request/body.js';
import { readFieldsOrJson } from '../../../../translators/http/request/fields.js';
import { parseMediaType } from '../../../../translators/http/headers/content-type.js';
import { parseMultipart, type Part } from '../../../../translators/http/request/multipart.js';
import { DEFAULT_LIMITS } from '../../../../translators/http/request/translator-options.js';
import { expectLinear, HOSTILE_TEXTS } from '../../../support/growth.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Longer than every limit once it is eight times as long. */
const LENGTH = 6_000;

const LIMITS = { ...DEFAULT_LIMITS, jsonBytes: 1e9, jsonDepth: 1e9, jsonValues: 1e9, formBytes: 1e9, parameters: 1e9, parts: 1e9, partHeaderBytes: 1e9 };

/** Bytes of a chunk: many in each body. */
const CHUNK = 256;

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

const TEXTS: typeof HOSTILE_TEXTS = [
    ...HOSTILE_TEXTS,
    ...['\r\n-', '\r\n--', '\r\n--b', '\r\n--b\r\n\r\n', '--b', '\r\n\r\n', '\r\na:b', '\r\n '].map((unit) => [
        `${JSON.stringify(unit)} again and again`, (length: number) => unit.repeat(Math.ceil(length / unit.length))
    ] as const)
];

const READERS: readonly (readonly [what: string, read: (text: string) => Promise<unknown>])[] = [
    ['JSON', (text) => readJsonBody(requestOf(text), LIMITS)],
    ['bytes', (text) => readFully(requestOf(text), 1e9, LIMITS)],
    ['text', (text) => readTextBody(requestOf(text), LIMITS)],
    ['a form', (text) => readForm(requestOf(`a=${text}`, FORM), LIMITS)],
    ['the fields of a form', (text) => readFieldsOrJson(requestOf(`a=${text}`), LIMITS)],
    ['JSON or fields', (text) => readFieldsOrJson(requestOf(text), LIMITS)],
    ['segments of JSON', (text) => drained(readSegments(requestOf(text, 'application/json'), LIMITS))],
    ['segments of other bytes', (text) => drained(readRawSegments(requestOf(text, 'application/json'), LIMITS))],
    ['segments of a form in parts', (text) => drained(readSegments(requestOf(part(text), MULTIPART), LIMITS))],
    ['parts', (text) => drained(readParts(requestOf(part(text), MULTIPART), LIMITS))],
    ['parts behind a text', (text) => drained(readParts(requestOf(`${text}\r\n${part('a')}`, MULTIPART), LIMITS))],
    ['parts with a text behind', (text) => drained(readParts(requestOf(`${part('a')}${text}`, MULTIPART), LIMITS))],
    ['parts with a long boundary', (text) => drained(parseMultipart(Readable.from(chunksOf(text)), parseMediaType(`multipart/mixed; boundary=${text}`), LIMITS))],
    ['headers of a part', (text) => drained(readParts(requestOf(part('a', text), MULTIPART), LIMITS))],
    ['the name of a part', (text) => drained(readParts(requestOf(part('a', `Content-Disposition: form-data; name="${text}"`), MULTIPART), LIMITS))],
    ['the file name of a part', (text) => drained(readParts(requestOf(part('a', `Content-Disposition: form-data; name=a; filename*=utf-8''${text}`), MULTIPART), LIMITS))],
    ['the media type of a part', (text) => drained(readParts(requestOf(part('a', `Content-Type: ${text}`), MULTIPART), LIMITS))],
    ['JSON in a part', (text) => withPart(text, (each) => readJsonPart(each, LIMITS))],
    ['text in a part', (text) => withPart(text, (each) => readTextPart(each, LIMITS))]
];

function requestOf(text: string, mediaType = 'text/plain'): RequestWithBody {

    return { method: 'post', headers: { 'content-type': mediaType }, payload: Readable.from(chunksOf(text)) };
}

function chunksOf(text: string): Buffer[] {

    const bytes = Buffer.from(text);
    return Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, n) => bytes.subarray(n * CHUNK, (n + 1) * CHUNK));
}

function part(text: string, header = 'Content-Disposition: form-data; name="a"'): string {

    return `--b\r\n${header}\r\n\r\n${text}\r\n--b--\r\n`;
}

async function withPart(text: string, read: (part: Part) => Promise<unknown>): Promise<void> {

    for await (const each of readParts(requestOf(part(text), MULTIPART), LIMITS)) {
        await read(each);
    }
}

/** Reads segments or parts with their bytes. */
async function drained(source: AsyncIterable<object>): Promise<void> {

    for await (const each of source) {
        if ('body' in each) {
            for await (const chunk of each.body as AsyncIterable<Uint8Array>) {
                void chunk;
            }
        }
    }
}

describe('the reading time', () => {

    for (const [what, read] of READERS) {
        it(`of ${what} grows linearly with the body`, async () => {

            for (const [kind, text] of TEXTS) {
                await expectLinear(kind, read, text, LENGTH);
            }
        });
    }

    const translators = join(__dirname, '../../../../translators/http');
    const tests = [__filename, join(__dirname, '../../../lib/growth.js')].map((file) => readFileSync(file, 'utf8')).join('\n');
    for (const folder of ['request', 'headers']) {
        it(`is tested for each reader of ${folder}`, async () => {

            const files = readdirSync(join(translators, folder)).filter((file) => file.endsWith('.js'));
            const modules = await Promise.all(files.map(async (file) => await import(join(translators, folder, file)) as object));
            const exported = modules.flatMap((module) => Object.keys(module));
            const readers = exported.filter((name) => /^(?:parse|read)[A-Z]/.test(name));

            expect(readers.length).to.be.above(3);
            expect(readers.filter((name) => !new RegExp(`_js_\\d+\\.${name}\\b`).test(tests))).to.equal([]);
        });
    }
});
