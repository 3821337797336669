import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { formatKey, textFormat } from '../../../../lib/payloads/readers/text-format.js';

export const lab = Lab.script();
const { describe, it } = lab;

const CASES: readonly (readonly [mediaType: string | null, filename: string | null, key: string | null])[] = [
    ['text/plain', null, 'plain'],
    ['text/plain; charset=ISO-8859-1', null, 'plain;iso-8859-1'],
    ['TEXT/Markdown;Charset="UTF-8"', null, 'plain;utf-8'],
    ['text/csv', 'a.pdf', 'plain'],
    ['text/html;charset=utf-8', null, 'html;utf-8'],
    ['application/xhtml+xml', null, 'html'],
    ['image/svg+xml', null, 'xml'],
    ['application/tei+xml', null, 'xml'],
    ['application/ld+json', null, 'json'],
    ['application/json', null, 'json'],
    ['application/x-ndjson', null, 'plain'],
    ['application/pdf', null, 'pdf'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', null, 'docx'],
    ['image/png', 'notes.txt', null],
    ['application/zip', 'a.docx', null],
    ['text/rtf', null, null],
    ['constructor', null, null],
    [null, 'notes.TXT', 'plain'],
    ['application/octet-stream', 'thesis.pdf', 'pdf'],
    ['application/octet-stream', 'photo.jpg', null],
    ['application/octet-stream', 'a.constructor', null],
    [null, 'LICENSE', 'unknown'],
    ['', null, 'unknown'],
    [null, null, 'unknown']
];

describe('the text format of an element', () => {

    for (const [mediaType, filename, key] of CASES) {
        it(`is ${key} for ${mediaType} and ${filename}`, () => {

            const format = textFormat({ mediaType, filename });
            expect(format && formatKey(format)).to.equal(key);
        });
    }

    it('is stored in few bytes, for any input', () => {

        const format = textFormat({ mediaType: `text/plain;charset=${'x'.repeat(10_000)}`, filename: null });
        expect(format ? formatKey(format).length : NaN).to.be.below(60);
    });
});
