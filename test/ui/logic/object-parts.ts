/** What the object screen computes: layouts of values, titles, differences of versions, kinds of files, tables, graphs, code to copy. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { countScalars, orderedNames, tableColumns } from '../../../ui/src/object/content/shape.js';
import { nameForFile, namesForFiles, parseTable, previewKind, type PreviewKind } from '../../../ui/src/object/files/kinds.js';
import { diffLines, withContext } from '../../../ui/src/object/history/diff.js';
import { snippetsFor } from '../../../ui/src/object/json/snippets.js';
import { mergedEntries } from '../../../ui/src/object/rights/merged-entries.js';
import { titleOfName } from '../../../ui/src/json/property-title.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { SchemaView, textIn } from '../../../ui/src/object/model/schema.js';
import { titleOf } from '../../../ui/src/object/model/title.js';
import { processorTime } from '../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

const marks = { same: ' ', changed: '~', added: '+', removed: '-' } as const;

function summary(left: string, right: string): string {

    return diffLines(left, right).map(({ kind }) => marks[kind]).join('');
}

describe('the entries of a right that two people change', () => {

    it('have what each has added and removed', () => {

        expect(mergedEntries(['a', 'b', 'c'], ['a', 'c', 'own'], ['a', 'b', 'theirs'])).to.equal(['a', 'theirs', 'own']);
        expect(mergedEntries([], ['same'], ['same'])).to.equal(['same']);
    });
});

describe('the difference of two texts', () => {

    it('of 300,000 lines each is found, although none is the same', () => {

        const lines = (text: string): string => Array.from({ length: 300_000 }, (_, i) => `${text} ${i}`).join('\n');

        expect(diffLines(lines('a'), lines('b')).length).to.equal(300_000);
    });

    const cases: readonly (readonly [left: string, right: string, expected: string])[] = [
        ['a\nb\nc', 'a\nb\nc', '   '], ['a\nb\nc', 'a\nx\nc', ' ~ '], ['a\nc', 'a\nb\nc', ' + '], ['a\nb\nc', 'a\nc', ' - '], ['a\nb\nc\nd', 'b\nx\nd', '- ~ '],
        ['a', 'b\nc', '~+'], ['', 'a', '~']
    ];
    for (const [left, right, expected] of cases) {
        it(`of ${JSON.stringify(left)} and ${JSON.stringify(right)} is by lines`, () => {

            expect(summary(left, right)).to.equal(expected);
        });
    }

    it('has all lines of both, in their order', () => {

        let seed = 7;
        const random = (): number => (seed = seed * 16807 % 2147483647) / 2147483647;
        for (let round = 0; round < 200; ++round) {
            const text = (): string => Array.from({ length: 1 + Math.floor(random() * 12) }, () => 'abcd'[Math.floor(random() * 4)]).join('\n');
            const [left, right] = [text(), text()];
            const rows = diffLines(left, right);

            expect(rows.flatMap((row) => (row.left ? [row.left.text] : [])).join('\n')).to.equal(left);
            expect(rows.flatMap((row) => (row.right ? [row.right.text] : [])).join('\n')).to.equal(right);
            expect(rows.every(({ kind, left: l, right: r }) => kind !== 'same' || l?.text === r?.text)).to.be.true();
        }
    });

    it('takes no long time for texts that have nothing in common', () => {

        const [left, right] = ['a', 'b'].map((letter) => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`).join('\n'));
        const elapsed = processorTime();

        expect(diffLines(left ?? '', right ?? '')).to.have.length(20_000);
        expect(elapsed()).to.be.below(5000);
    });

    it('leaves out equal lines that are far from any difference', () => {

        const lines = Array.from({ length: 20 }, (_, i) => String(i));
        const parts = withContext(diffLines(lines.join('\n'), lines.with(10, 'x').join('\n')));

        expect(parts.map((part) => ('rows' in part ? part.rows.length : -part.skipped.length))).to.equal([-7, 7, -6]);
    });
});

describe('the layout of a value', () => {

    it('is a table for objects with few short values', () => {

        expect(tableColumns([{ a: 1, b: 'x' }, { a: 2, c: null }])).to.equal(['a', 'b', 'c']);
        expect(tableColumns([{ a: 1 }])).to.be.null();
        expect(tableColumns([{ a: { b: 1 } }, { a: 2 }])).to.be.null();
        expect(tableColumns([{ a: 'x'.repeat(1000) }, { a: 2 }])).to.be.null();
        expect(tableColumns([1, 2])).to.be.null();
    });

    it('depends on the number of values, which is counted no further than needed', () => {

        expect(countScalars({ a: [1, 2, { b: 3 }], c: [] }, 100)).to.equal(4);
        expect(countScalars(Array.from({ length: 1000 }, () => 1), 10)).to.equal(10);
    });

    it('has the properties of the schema first', () => {

        expect([...orderedNames({ z: 1, b: 2, a: 3 }, ['a', 'b', 'c'])]).to.equal(['a', 'b', 'z']);
    });
});

describe('a schema, for showing values', () => {

    const view = new SchemaView({
        definitions: { name: { type: 'string', title: 'The name', cordra: { preview: { isPrimary: true } } }, loop: { $ref: '#/definitions/loop' } },
        allOf: [{ properties: { other: { title: 'Other' } } }],
        properties: {
            name: { $ref: '#/definitions/name' }, loop: { $ref: '#/definitions/loop' }, list: { type: 'array', items: { title: 'Item' }, cordra: { type: { handleReference: {} } } }
        }
    }, 'cordra');

    it('follows references and joins alternatives', () => {

        const titles = ['name', 'other', 'loop'].map((name) => textIn(view.member(view.root, name), 'title') ?? 'none');

        expect(titles).to.equal(['The name', 'Other', 'none']);
        expect(Object.keys(view.member(view.root, 'constructor'))).to.equal([]);
    });

    it('knows of a property what several parts say about it', () => {

        const part = (own: object): object => ({ properties: { place: { properties: { city: own } } } });
        const parts = new SchemaView({ allOf: [part({ title: 'City' }), part({ format: 'date', cordra: { preview: {} } }), part({ cordra: { type: { handleReference: {} } } })] } as JsonObject, 'cordra');
        const city = parts.member(parts.member(parts.root, 'place'), 'city');

        expect([textIn(city, 'title'), textIn(city, 'format'), Object.keys(city['cordra'] ?? {}).sort()]).to.equal(['City', 'date', ['preview', 'type']]);
    });

    it('knows references that an array describes for its entries', () => {

        const list = view.member(view.root, 'list');

        expect(Object.keys(view.reference(view.member(list, 0), list) ?? { none: true })).to.equal([]);
        expect(view.reference(view.member(view.root, 'name'), view.root)).to.be.null();
    });

    it('names the title of an object', () => {

        expect(titleOf({ title: 'no', name: 'yes' }, view, 'test/1')).to.equal('yes');
        expect(titleOf({ title: 'usual' }, view, 'test/1')).to.equal('usual');
        expect(titleOf({ name: ' ' }, view, 'test/1')).to.equal('test/1');
        expect(titleOf({ name: 'x'.repeat(65_536) }, view, 'test/1')).to.have.length(301);
    });

    it('makes titles of names', () => {

        expect(['firstName', 'DOI', 'created_at', 'x', '', 'Name'].map(titleOfName)).to.equal(['First name', 'DOI', 'Created at', 'X', '', 'Name']);
    });
});

describe('a schema of parts that refer to others', () => {

    it('is joined in a moment, although they are reached on exponentially many ways', () => {

        const part = (i: number): { anyOf: { $ref: string }[] } => ({ anyOf: [{ $ref: `#/definitions/part${i}` }, { $ref: `#/definitions/part${i}` }] });
        const definitions: Record<string, JsonObject> = { part0: { properties: { last: { title: 'Last' } } } };
        for (let i = 1; i <= 30; ++i) {
            definitions[`part${i}`] = part(i - 1);
        }

        const elapsed = processorTime();
        const view = new SchemaView({ definitions, ...part(30) }, 'cordra');

        expect(textIn(view.member(view.root, 'last'), 'title')).to.equal('Last');
        expect(elapsed()).to.be.below(1000);
    });
});

describe('a file', () => {

    const kinds: readonly (readonly [mediaType: string | undefined, filename: string, kind: PreviewKind])[] = [
        ['image/png', 'a', 'image'], ['image/svg+xml', 'a', 'image'], ['text/html; charset=utf-8', 'a', 'code'], ['application/pdf', 'a', 'pdf'], ['text/plain', 'a.csv', 'table'],
        ['application/ld+json', 'a', 'text'], [undefined, 'README.md', 'markdown'], ['application/octet-stream', 'a.png', 'none'], ['application/octet-stream', 'a.html', 'code'],
        [undefined, 'a.constructor', 'none'], ['video/mp4', 'a.txt', 'video']
    ];
    for (const [mediaType, filename, kind] of kinds) {
        it(`of the type ${String(mediaType)} named ${filename} is shown as ${kind}`, () => {

            expect(previewKind({ name: 'x', filename, size: 1, ...mediaType === undefined ? {} : { mediaType } })).to.equal(kind);
        });
    }

    it('that is a table is read with quotes, and whatever separates its values', () => {

        expect(parseTable('a,b\r\n"1,""x""\n",2\n\n3')).to.equal([['a', 'b'], ['1,"x"\n', '2'], ['3']]);
        expect(parseTable('a;b,c;d\n1;2;3')).to.equal([['a', 'b,c', 'd'], ['1', '2', '3']]);
        expect(parseTable(`a,b\n${'1,2\n'.repeat(5000)}`)).to.have.length(201);
        expect(parseTable('')).to.equal([]);
    });

    it('gets a name that is no field of the request', () => {

        expect(nameForFile('content')).to.equal('content-file');
        expect(nameForFile('a.txt')).to.equal('a.txt');
    });

    it('gets a name of its own among files of several folders', () => {

        expect(namesForFiles(['a.txt', 'b.txt', 'a.txt', '2-a.txt', 'a.txt', 'content', 'content-file']))
            .to.equal(['a.txt', 'b.txt', '2-a.txt', '2-2-a.txt', '3-a.txt', 'content-file', '2-content-file']);
    });
});

describe('code to copy', () => {

    it('quotes ids for each language', () => {

        const [curl, javascript, python] = snippetsFor('test/a\'b"c', { base: 'https://example.org', path: '/objects/test/a\'b%22c' });

        expect(curl?.code).to.equal('curl -u USERNAME \'https://example.org/objects/test/a\'\\\'\'b%22c?full\'');
        expect(javascript?.code).to.contain('repository.get("test/a\'b\\"c")');
        expect(python?.code).to.contain('requests.get("https://example.org/objects/test/a\'b%22c"');
    });
});
