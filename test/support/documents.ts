/** Small files of formats that hold text, and broken and hostile ones. */

import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** A PDF file with one line of text on each page; `padding` blanks make a page large when it is unpacked. */
export function makePdf(pages: readonly string[], padding = 0): Buffer {

    const objects: Buffer[] = [];
    const add = (...parts: (string | Buffer)[]): number => objects.push(Buffer.concat(parts.map((part) => Buffer.from(part))));
    const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
    const tree = 2 + pages.length * 2;
    const kids = pages.map((text) => {

        const drawn = deflateSync(Buffer.from(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET\n${' '.repeat(padding)}`));
        const content = add(`<< /Length ${drawn.length} /Filter /FlateDecode >>\nstream\n`, drawn, '\nendstream');
        return add(`<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R ` +
            `/Resources << /Font << /F1 ${font} 0 R >> >> >>`);
    });
    add(`<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`);
    const root = add(`<< /Type /Catalog /Pages ${tree} 0 R >>`);
    return withTable(objects, root);
}

/** The file of some objects, with the table of their places. */
function withTable(objects: readonly Buffer[], root: number): Buffer {

    const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
    const places: number[] = [];
    const length = (): number => parts.reduce((sum, part) => sum + part.length, 0);
    objects.forEach((object, i) => {

        places.push(length());
        parts.push(Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
    });
    const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
    return Buffer.concat([...parts, Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}` +
        `trailer\n<< /Size ${objects.length + 1} /Root ${root} 0 R >>\nstartxref\n${length()}\n%%EOF\n`)]);
}

/** A PDF file whose tree of pages leads back to itself, with a count that no file could have. */
export function makeEndlessPdf(): Buffer {

    return withTable([
        Buffer.from('<< /Type /Pages /Kids [1 0 R 1 0 R 1 0 R] /Count 2000000000 >>'), Buffer.from('<< /Type /Catalog /Pages 1 0 R >>')
    ], 2);
}

/** A Word document with these paragraphs; `more` are further files in it. */
export function makeDocx(paragraphs: readonly string[], more: Readonly<Record<string, string | Buffer>> = {}): Buffer {

    const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('');
    return makeZip({
        '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
        ...more
    });
}

/** A zip file. */
export function makeZip(files: Readonly<Record<string, string | Buffer>>): Buffer {

    const [local, central]: [Buffer[], Buffer[]] = [[], []];
    let place = 0;
    for (const [name, content] of Object.entries(files)) {
        const bytes = Buffer.from(content);
        const packed = deflateRawSync(bytes);
        const facts = Buffer.alloc(22);
        facts.writeUInt16LE(8, 0);
        facts.writeUInt32LE(crc32(bytes), 6);
        facts.writeUInt32LE(packed.length, 10);
        facts.writeUInt32LE(bytes.length, 14);
        facts.writeUInt16LE(Buffer.byteLength(name), 18);
        const header = Buffer.concat([Buffer.from('PK\u0003\u0004\u0014\0\0\0', 'latin1'), facts, Buffer.from(name)]);
        const tail = Buffer.alloc(14);
        tail.writeUInt32LE(place, 10);
        central.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0\u0014\0\0\0', 'latin1'), facts, tail.subarray(0, 14), Buffer.from(name)]));
        local.push(header, packed);
        place += header.length + packed.length;
    }

    const end = Buffer.alloc(22);
    end.write('PK\u0005\u0006', 'latin1');
    end.writeUInt16LE(central.length, 8);
    end.writeUInt16LE(central.length, 10);
    end.writeUInt32LE(central.reduce((sum, entry) => sum + entry.length, 0), 12);
    end.writeUInt32LE(place, 16);
    return Buffer.concat([...local, ...central, end]);
}
