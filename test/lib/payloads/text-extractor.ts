import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { TextExtractor } from '../../../lib/payloads/text-extractor.js';
import type { TextLimits } from '../../../lib/payloads/text-extractor.js';
import { textFormat } from '../../../lib/payloads/readers/text-format.js';
import { makeDocx, makeEndlessPdf, makePdf, makeZip } from '../../support/documents.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;

const LIMITS: TextLimits = { characters: 10_000, objectCharacters: 10_000, bytes: 8 * MIB, milliseconds: 60_000, memory: 128 * MIB };

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** In pieces of some bytes, so that letters, tags and marks are cut in two. */
async function *inPieces(bytes: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {

    for (let start = 0; start < bytes.length; start += size) {
        yield bytes.subarray(start, start + size);
    }
}

function utf16(text: string): Buffer {

    return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
}

const TEXTS: readonly (readonly [title: string, mediaType: string | null, bytes: string | Buffer, text: string])[] = [
    ['plain text', 'text/plain', ' Ünder\n\tthe   sun ', 'Ünder the sun'],
    ['an empty file', 'text/plain', '', ''],
    ['plain text in the charset that is told', 'text/plain; charset=windows-1251', Buffer.from([0xcc, 0xe8, 0xf0]), 'Мир'],
    ['plain text in Shift_JIS', 'text/plain; charset=Shift_JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['plain text of an unknown charset as what it is', 'text/plain; charset=nobody-knows', 'grün', 'grün'],
    ['plain text that is not UTF-8', 'text/plain', Buffer.from('grün', 'latin1'), 'grün'],
    ['plain text in UTF-16 with a mark', 'text/plain', utf16('grün'), 'grün'],
    ['plain text with a mark, whatever is told', 'text/plain; charset=latin1', Buffer.from('\ufeffgrün'), 'grün'],
    ['HTML as a reader sees it', 'text/html', '<!DOCTYPE html><title>A map</title><style>p{}</style><p>of <b>Ber</b>lin<p>&amp; more<br>roads' +
        '<script>let x = "<p>hidden";</script><img alt="a river"><template>no</template>', 'A map of Berlin & more roads a river'],
    ['HTML in the charset it declares', 'text/html', Buffer.from('<html><head><meta charset="iso-8859-2"></head>\u00b1\u00b6', 'latin1'), 'ąś'],
    ['HTML that is not well-formed', 'text/html', '<p>one</b><td>two<a href="', 'one two'],
    ['XML', 'application/xml', '<?xml version="1.0"?><a x="no">one<b>two</b><![CDATA[three <4>]]>&#x41;</a>', 'one two three <4>A'],
    ['XML in the encoding it declares', 'text/xml', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>grün</a>', 'latin1'), 'grün'],
    ['XML whose entities would grow, without them', 'text/xml', '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><a>&c; end</a>', ']> &c; end'],
    ['names and values of JSON', 'application/json', '{"title":"A \\u00fcber","n":[1,true,null,{"x":"y"}]}', 'title A über n 1 true null x y'],
    ['numbers in JSON as they are there, and in their usual form', 'application/json', '{"a":[5.0, 1.10,-3,1e3],"b\\"\\\\":[9007199254740993\n,12345678901234567890123],"":-0.5}',
        'a 5 5.0 1.1 1.10 -3 1000 1e3 b"\\ 9007199254740993 12345678901234567890123 -0.5'],
    ['JSON of any form', 'application/json', ' { "" : [ ] , "b":{},"c" :[{},[[]],"\\n\\u00fc\\"{[,:"],"d":-0.5E-1 , "e":null} ', 'b c ü"{[,: d -0.05 -0.5E-1 e null'],
    ['JSON of any depth', 'application/json', `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`, '1 1.0'],
    ['a number of any length in JSON', 'application/json', `[1${'0'.repeat(2000)}.5]`, 'Infinity'],
    ['PDF', 'application/pdf', makePdf(['Hello world', 'second page']), 'Hello world second page'],
    ['PDF after other bytes', 'application/pdf', Buffer.concat([Buffer.from('\n\n'), makePdf(['late'])]), 'late'],
    ['Word documents, with notes', DOCX, makeDocx(['First</w:t><w:tab/><w:t>para', 'second &amp; last'], {
        'word/footnotes.xml': '<w:footnotes><w:p><w:r><w:t>a note</w:t></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p></w:footnotes>',
        'word/media/image1.png': Buffer.alloc(100)
    }), 'First para second & last a note'],
    ['unknown bytes that are text', null, 'just text', 'just text'],
    ['unknown bytes that are PDF', null, makePdf(['found out']), 'found out'],
    ['unknown bytes that are a Word document', null, makeDocx(['found out']), 'found out'],
    ['unknown bytes that are HTML', null, '<html><body>found <script>x</script>out', 'found out'],
    ['unknown bytes that are XML', null, '<?xml version="1.0"?><a>found</a>', 'found']
];

const NO_TEXTS: readonly (readonly [title: string, mediaType: string | null, bytes: string | Buffer, reason: RegExp])[] = [
    ['bytes that are no text', 'text/plain', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]), /no text/],
    ['bytes of no known kind', null, Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 1]), /no kind that holds text/],
    ['a zip file of no known kind', null, makeZip({ 'a.txt': 'text' }), /no kind that holds text/],
    ...['{"a":', '', ' ', '[', ']', '[}', '{]', '[1,]', '{"a":1,}', '[,1]', '{,}', '[1 2]', '1 2', '{"a"}', '{"a" 1}', '{1:2}', '{"a":1:2}', '[1:2]', '"a', '"\\x"', '"\n"',
        '01', '1.', '.5', '+1', '1e', '-', 'nul', 'truex', '1,2', '[1]]', '\'a\'', 'NaN'
    ].map((text) => [`broken JSON: ${text}`, 'application/json', text, /not JSON/] as const),
    ['JSON larger than the limit', 'application/json', Buffer.alloc(9 * MIB, '1'), /more than 8388608 bytes/],
    ['a PDF file that is none', 'application/pdf', 'no PDF', /not a PDF file/],
    ['a broken PDF file', 'application/pdf', makePdf(['text']).subarray(0, 200), /PDF/],
    ['a PDF file without end', 'application/pdf', makeEndlessPdf(), /PDF|seconds/],
    ['a Word document that is none', DOCX, 'no zip', /not a Word document/],
    ['a broken Word document', DOCX, makeDocx(['text']).subarray(0, 150), /not a Word document/],
    ['a zip file without a document', DOCX, makeZip({ 'a.txt': 'text' }), /no body/]
];

describe('the text extractor', () => {

    let extractor: TextExtractor;
    const { signal } = new AbortController();

    before(() => {

        extractor = new TextExtractor(LIMITS);
    });

    after(() => extractor.close());

    function read(mediaType: string | null, bytes: AsyncIterable<Uint8Array>, from = extractor, until = signal) {

        const format = textFormat({ mediaType, filename: null });
        expect(format).to.not.be.null();
        return from.read(format ?? { kind: 'unknown', charset: null }, () => bytes, until);
    }

    for (const [title, mediaType, bytes, text] of TEXTS) {
        it(`reads ${title}`, async () => {

            const all = Buffer.from(bytes);
            expect(await read(mediaType, inPieces(all, mediaType === null ? 4096 : 997))).to.equal({ text, reason: null });
            if (mediaType !== null) {
                // Charsets are told apart by the first piece, which is never so small in earnest.
                expect((await read(mediaType, inPieces(all, 64))).text).to.equal(text);
            }
        });
    }

    for (const [title, mediaType, bytes, reason] of NO_TEXTS) {
        it(`gives the reason why there is no text in ${title}`, async () => {

            const result = await read(mediaType, inPieces(Buffer.from(bytes), 65_536));
            expect(result.text).to.be.null();
            expect(result.reason).to.match(reason);
        });
    }

    it('stops at the limit, on a character boundary', async () => {

        let pieces = 0;
        const endless = async function *(): AsyncGenerator<Uint8Array> {

            for (;;) {
                ++pieces;
                yield Buffer.from('\u{1f600}'.repeat(500));
            }
        };

        const { text } = await read('text/plain', endless());
        expect(text).to.have.length(10_000);
        expect(text?.isWellFormed()).to.be.true();
        expect(pieces).to.be.below(20);
    });

    it('does not unpack a zip bomb', async () => {

        const bomb = makeDocx([], { 'word/document.xml': Buffer.concat([Buffer.from('<a>'), Buffer.alloc(64 * MIB, ' ')]) });
        expect(bomb.length).to.be.below(MIB);

        expect((await read(DOCX, inPieces(bomb, 65_536))).reason).to.match(/too large when it is unpacked/);
    });

    it('ends an extraction that takes too long, and continues with the next one', async () => {

        const slow = new TextExtractor({ ...LIMITS, milliseconds: 300, memory: 2048 * MIB });
        expect((await read('application/pdf', inPieces(makePdf(['x'], 200_000_000), 65_536), slow)).reason).to.match(/longer than 0.3 seconds/);

        await slow.close();
        expect((await read('text/plain', inPieces(Buffer.from('next')))).text).to.equal('next');
    });

    it('ends an extraction that needs too much memory, on or off the heap, and continues with the next one', async () => {

        const small = new TextExtractor({ ...LIMITS, memory: 48 * MIB, bytes: 64 * MIB });
        const withLongTexts = new TextExtractor({ ...LIMITS, characters: 1e9, memory: 48 * MIB });
        const heap = await read('application/xml', inPieces(Buffer.from(`<a>${'x'.repeat(100)}</a>`.repeat(700_000)), 262_144), withLongTexts);
        expect(heap.reason).to.match(/too much memory/);
        await withLongTexts.close();

        const beside = await read('application/pdf', inPieces(makePdf(['x'], 100_000_000), 65_536), small);
        expect(beside.text ?? '').to.be.empty();
        expect((await read('text/plain', inPieces(Buffer.from('next')), small)).text).to.equal('next');
        await small.close();
    });

    it('reads JSON whose value would need too much memory', async () => {

        const small = new TextExtractor({ ...LIMITS, memory: 48 * MIB, bytes: 64 * MIB });
        const { text } = await read('application/json', inPieces(Buffer.from(`[${'{"a":[]},'.repeat(3_000_000)}1]`), 262_144), small);
        expect(text?.slice(0, 7)).to.equal('a a a a');
        await small.close();
    });

    it('passes on errors of the bytes, and stops when it is aborted', async () => {

        const failing = async function *(): AsyncGenerator<Uint8Array> {

            yield Buffer.from('begun');
            throw new Error('the disk is gone');
        };

        await expect(read('text/plain', failing())).to.reject('the disk is gone');

        const controller = new AbortController();
        const stopping = async function *(): AsyncGenerator<Uint8Array> {

            yield Buffer.from('begun');
            controller.abort(new Error('the service stops'));
            yield Buffer.from('more');
        };

        await expect(read('text/plain', stopping(), extractor, controller.signal)).to.reject('the service stops');
        expect((await read('text/plain', inPieces(Buffer.from('next')))).text).to.equal('next');
    });

    it('processes many payloads in order', async () => {

        const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
        const results = await Promise.all(texts.map((text) => read('text/plain', inPieces(Buffer.from(text), 64))));
        expect(results.map(({ text }) => text)).to.equal(texts);
    });
});
