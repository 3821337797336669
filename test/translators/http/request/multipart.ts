import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import { parseMediaType } from '../../../../translators/http/headers/content-type.js';
import type { Part } from '../../../../translators/http/request/multipart.js';
import { parseMultipart } from '../../../../translators/http/request/multipart.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const LIMITS = { parts: 100, partHeaderBytes: 1000 };
const FORM = 'multipart/form-data; boundary=XX';

interface ReadPart {
    headers: Record<string, string>;
    body: string;
    name?: string | undefined;
    filename?: string | undefined;
    mediaType?: string | undefined;
}

async function *chunked(bytes: Buffer, size: () => number): AsyncGenerator<Buffer> {

    let rest = bytes;
    while (rest.length > 0) {
        const length = size();
        yield rest.subarray(0, length);
        rest = rest.subarray(length);
    }
}

const whole = (text: string | Buffer): AsyncGenerator<Buffer> => chunked(Buffer.from(text), () => 1e9);

async function read(part: Part): Promise<ReadPart> {

    const chunks: Uint8Array[] = [];
    for await (const chunk of part.body) {
        expect(chunk.length).to.be.above(0);
        chunks.push(Uint8Array.from(chunk));
    }

    const { name, filename, mediaType } = part;
    return { headers: Object.fromEntries(part.headers), body: Buffer.concat(chunks).toString('latin1'), name, filename, mediaType };
}

async function readAll(source: AsyncIterable<Buffer>, type = FORM, limits = LIMITS): Promise<ReadPart[]> {

    const parts: ReadPart[] = [];
    for await (const part of parseMultipart(source, parseMediaType(type), limits)) {
        parts.push(await read(part));
    }

    return parts;
}

/** Works on the whole text at once, for comparison. */
function naive(bytes: Buffer, boundary: string): string[] {

    const pieces = ('\r\n' + bytes.toString('latin1')).split(`\r\n--${boundary}`);
    return pieces.slice(1, -1).map((piece) => piece.slice(piece.indexOf('\r\n\r\n') + 4));
}

async function messageOf(source: AsyncIterable<Buffer>, type = FORM, limits = LIMITS): Promise<string> {

    const error = await expect(readAll(source, type, limits)).to.reject(DoipError);
    expect(error.status).to.equal('0.DOIP/Status.101');
    return error.message;
}

describe('the multipart parser', () => {

    it('yields parts with names, file names, media types and bodies', async () => {

        const text = 'preamble\r\n--XX\r\nContent-Disposition: form-data; name="content"\r\n\r\n{"a":1}\r\n' +
            '--XX  \r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nab\r\n\r\n--X\r\n' +
            '--XX\r\n\r\n\r\n--XX--\r\nepilogue --XX';

        const parts = await readAll(whole(text));

        expect(parts.map(({ body }) => body)).to.equal(['{"a":1}', 'ab\r\n\r\n--X', '']);
        expect(parts[0]).to.include({ name: 'content', filename: undefined, mediaType: undefined });
        expect(parts[1]).to.include({ name: 'file', filename: 'a.txt', mediaType: 'text/plain' });
        expect(parts[2]?.headers).to.equal({});
    });

    it('reads a form without fields', async () => {

        expect(await readAll(whole('--XX--\r\n'))).to.equal([]);
        expect(await readAll(whole('--XX--'))).to.equal([]);
    });

    const names: [string, string, Partial<ReadPart>][] = [
        ['a raw UTF-8 file name', 'form-data; name="file"; filename="ü 😀.txt"', { name: 'file', filename: 'ü 😀.txt' }],
        ['an empty file name', 'form-data; name="file"; filename=""', { name: 'file', filename: '' }],
        ['an extended file name before the plain one', 'form-data; name=file; filename="x"; filename*=UTF-8\'\'%e2%82%ac.txt',
            { name: 'file', filename: '€.txt' }],
        ['an extended file name in Latin-1', 'form-data; name=a; filename*=iso-8859-1\'de\'%fc', { filename: 'ü' }],
        ['escaped quotes and backslashes', 'form-data; name="a\\"b\\\\c"', { name: 'a"b\\c' }],
        ['percent-encoded quotes, as browsers write them', 'form-data; name="a%22b%20"; filename="%22.txt"', { name: 'a"b%20', filename: '".txt' }],
        ['folders of both kinds', 'form-data; name="a/b"; filename="C:\\dir\\x/../y.txt"', { name: 'a/b', filename: 'y.txt' }],
        ['a semicolon inside quotes', 'form-data; name="a;b=c"; filename="x;y"', { name: 'a;b=c', filename: 'x;y' }],
        ['sloppy spacing and case', 'Form-Data ;NAME = x ;  FileName="y"', { name: 'x', filename: 'y' }],
        ['an attachment of multipart/mixed', 'attachment; name="E"; filename="f"', { name: 'E', filename: 'f' }],
        ['rubbish', 'form-data; ; =; "; name="a', { name: undefined, filename: undefined }]
    ];

    for (const [title, disposition, expected] of names) {
        it(`accepts ${title}`, async () => {

            const [part] = await readAll(whole(Buffer.from(`--XX\r\ncontent-disposition: ${disposition}\r\n\r\nx\r\n--XX--`)));

            expect(part).to.include(expected);
        });
    }

    it('joins continued headers and keeps the first of repeated ones', async () => {

        const [part] = await readAll(whole('--XX\r\nA: x\r\n  y\r\na: z\r\nB : \r\n\r\n\r\n--XX--'));

        expect(part?.headers).to.equal({ a: 'x y', b: '' });
    });

    const awkward = Buffer.from('pre\r\n--X\r\n--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n' +
        '\r\n\r\n-\r\n--\r\n--X\r\r\n--\r\n\r\n--XX\r\nx: y\r\n\r\n\r\n--XX\r\n\r\n\r\n\r\n--XX\r\n\r\n\xff\x00\xfe\r\n--XX--\r\n--XX--', 'latin1');
    const expectedBodies = naive(Buffer.from(awkward.toString('latin1').replace(/--XX--\r\n--XX--$/, '--XX--'), 'latin1'), 'XX');

    for (const size of [1, 2, 3, 5, 7, 11]) {
        it(`finds boundaries in chunks of ${size} bytes`, async () => {

            const parts = await readAll(chunked(awkward, () => size));

            expect(parts.map(({ body }) => body)).to.equal(expectedBodies);
        });
    }

    it('agrees with a naive parser however the bytes are split', async () => {

        let seed = 11;
        const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
        const alphabet = ['\r', '\n', '-', 'X', '\r\n', '\r\n--', '\r\n--X', 'a', 'bcdefgh', '\0'];
        const makePart = (): string => {

            const body = Array.from({ length: random(20) }, () => alphabet[random(alphabet.length)]).join('');
            return `--XX\r\n\r\n${body.replaceAll('\r\n--XX', '')}\r\n`;
        };

        for (let i = 0; i < 200; ++i) {
            const text = Array.from({ length: random(4) + 1 }, makePart).join('');
            const bytes = Buffer.from(text + '--XX--', 'latin1');
            const limit = random(12) + 1;
            const parts = await readAll(chunked(bytes, () => random(limit) + 1));

            expect(parts.map(({ body }) => body)).to.equal(naive(bytes, 'XX'));
        }
    });

    it('skips unread bodies', async () => {

        const text = Array.from({ length: 4 }, (_, i) => `--XX\r\nn: ${i}\r\n\r\n${'y'.repeat(100)}\r\n`).join('') + '--XX--';
        const seen: string[] = [];
        for await (const part of parseMultipart(chunked(Buffer.from(text), () => 9), parseMediaType(FORM), LIMITS)) {
            seen.push(part.headers.get('n') ?? '');
            for await (const chunk of part.body) {
                expect(chunk.length).to.be.above(0);
                break;
            }
        }

        expect(seen).to.equal(['0', '1', '2', '3']);
    });

    it('rejects a body that is read too late', async () => {

        const parts = parseMultipart(whole('--XX\r\n\r\na\r\n--XX\r\n\r\nb\r\n--XX--'), parseMediaType(FORM), LIMITS);
        const first = (await parts.next()).value as Part;
        await parts.next();

        await expect(read(first)).to.reject(Error, /must be read before the next part/);
    });

    it('pulls only on demand', async () => {

        let pulled = 0;
        const endless = async function *(): AsyncGenerator<Buffer> {

            yield Buffer.from('--XX\r\n\r\n');
            for (;;) {
                ++pulled;
                yield Buffer.alloc(1000);
            }
        };

        const parts = parseMultipart(endless(), parseMediaType(FORM), LIMITS);
        const part = (await parts.next()).value as Part;
        let taken = 0;
        for await (const chunk of part.body) {
            expect(chunk.length).to.equal(1000);
            if (++taken === 5) {
                break;
            }
        }

        expect(pulled).to.equal(5);
    });

    it('releases its source when it is left early', async () => {

        let released = false;
        const source = async function *(): AsyncGenerator<Buffer> {

            try {
                yield Buffer.from('--XX\r\n\r\nabc');
                yield Buffer.from('def\r\n--XX--');
            }
            finally {
                released = true;
            }
        };

        for await (const part of parseMultipart(source(), parseMediaType(FORM), LIMITS)) {
            expect(part.headers.size).to.equal(0);
            break;
        }

        expect(released).to.be.true();
    });

    const malformed: [string, string, RegExp][] = [
        ['an empty body', '', /does not contain its boundary/],
        ['a body without the boundary', 'hello\r\n--YY\r\n', /does not contain its boundary/],
        ['an end inside a part', '--XX\r\n\r\nabc', /ends within a part/],
        ['an end inside a boundary', '--XX\r\n\r\nabc\r\n--X', /ends within a part/],
        ['an end behind a boundary', '--XX\r\n\r\nabc\r\n--XX', /ends before its closing boundary/],
        ['an end inside of headers', '--XX\r\nA: b\r\n', /ends within the headers/],
        ['text behind a boundary', '--XXY\r\n\r\nabc\r\n--XX--', /text follows a boundary/],
        ['line feeds alone', '--XX\nA: b\n\nabc\n--XX--', /text follows a boundary/],
        ['a header without colon', '--XX\r\nAbc\r\n\r\nabc\r\n--XX--', /malformed header/],
        ['a header without name', '--XX\r\n: abc\r\n\r\nabc\r\n--XX--', /malformed header/],
        ['headers beyond the limit', `--XX\r\nA: ${'b'.repeat(2000)}\r\n\r\nabc\r\n--XX--`, /headers of a part are longer than the allowed 1000/]
    ];

    for (const [title, text, message] of malformed) {
        it(`rejects ${title}`, async () => {

            expect(await messageOf(whole(text))).to.match(message);
            expect(await messageOf(chunked(Buffer.from(text), () => 1))).to.match(message);
        });
    }

    it('rejects too many parts', async () => {

        expect(await messageOf(whole('--XX\r\n\r\n\r\n'.repeat(3) + '--XX--'), FORM, { parts: 2, partHeaderBytes: 100 }))
            .to.equal('the multipart body has more than the allowed 2 parts');
    });

    it('are read in a time by their length, with many blanks behind a boundary', async () => {

        const elapsed = processorTime();
        const blanks = ' \t'.repeat(8_000_000);

        expect(await readAll(chunked(Buffer.from(`--XX${blanks}\r\nA: b\r\n\r\nabc\r\n--XX--`), () => 65_536))).to.have.length(1);
        expect(elapsed()).to.be.below(1500);
    });

    for (const type of ['multipart/mixed', 'multipart/form-data; boundary=""', `multipart/mixed; boundary=${'b'.repeat(71)}`,
        'multipart/mixed; boundary="a\u00e9"', 'multipart/mixed; boundary="a "x']) {
        it(`rejects ${type.slice(0, 50)}`, async () => {

            expect(await messageOf(whole('--XX--'), type)).to.match(/boundary/);
        });
    }
});
