import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Segment } from '../../../../lib/doip/envelope.js';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import { badRequest, DoipError } from '../../../../lib/errors/errors.js';
import { bytesSegment, jsonSegment, sequence } from '../../../../lib/doip/segments.js';
import { readObjectInput, storing } from '../../../../lib/objects/input/object-input.js';
import type { InputReaderOptions } from '../../../../lib/objects/input/object-input.js';
import type { StagedElement, ObjectInput } from '../../../../lib/model/object-input.js';

export const lab = Lab.script();
const { describe, it } = lab;

interface Seen {
    readonly asked: (string | undefined)[];
    readonly staged: string[];
    readonly discarded: string[];
    readonly options: InputReaderOptions;
}

/** Options that keep staged bytes as text and note what happens. */
function watch(refuse?: string): Seen {

    const seen = { asked: [] as (string | undefined)[], staged: [] as string[], discarded: [] as string[] };
    return {
        ...seen,
        options: {
            limits: { idBytes: 255, nameBytes: 255, aclEntries: 10, elements: 3, contentBytes: 1000 },
            beforeBytes: ({ type }) => {

                seen.asked.push(type);
                if (refuse) {
                    throw badRequest(refuse);
                }
            },
            async stage(body): Promise<StagedElement> {

                const chunks: Uint8Array[] = [];
                for await (const chunk of body) {
                    chunks.push(chunk);
                }

                const text = Buffer.concat(chunks).toString();
                seen.staged.push(text);
                return {
                    store: 'test', blobId: seen.staged.length, size: text.length, hash: null,
                    discard: async () => {

                        seen.discarded.push(text);
                    }
                };
            }
        }
    };
}

const part = (value: JsonValue) => jsonSegment(value);
const bytes = (text: string, facts = {}) => bytesSegment(Buffer.from(text), facts);
const read = (seen: Seen, ...segments: Segment[]) => readObjectInput(sequence(...segments), seen.options);

describe('the input of Create and Update', () => {

    it('may be one digital object', async () => {

        const input = await read(watch(), part({
            id: 'test/1', type: 'Document',
            attributes: { content: { name: 'x' }, acl: { readers: [] }, userMetadata: { a: 1 }, elementsToDelete: ['old'] }
        }));

        expect(input.id).to.equal('test/1');
        expect(input.type).to.equal('Document');
        expect<unknown>(input.content).to.equal({ name: 'x' });
        expect(input.acl).to.equal({ readers: [] });
        expect<unknown>(input.userMetadata).to.equal({ a: 1 });
        expect(input.elementsToDelete).to.equal(['old']);
    });

    it('may have its parts in any order, with the content last', async () => {

        const seen = watch();

        const input = await read(seen, part({ type: 'Document' }), part({ id: 'scan', type: 'image/png', filename: 'a.png' }),
            bytes('PNG'), part({ attributes: { acl: { writers: ['x'] } } }), part({ attributes: { content: { n: 1 } } }));

        expect<unknown>(input.content).to.equal({ n: 1 });
        expect(input.acl).to.equal({ writers: ['x'] });
        expect(input.elements.get('scan')).to.include({ mediaType: 'image/png', filename: 'a.png' });
        expect(seen.staged).to.equal(['PNG']);
        expect(seen.asked).to.equal(['Document']);
    });

    it('describes an element in the object, the header or the bytes', async () => {

        const seen = watch();

        const input = await read(seen,
            part({ type: 'D', elements: [{ id: 'a', type: 'text/x', attributes: { filename: 'listed.txt' } }] }),
            part({ id: 'a' }), bytes('1'),
            part({ id: 'b' }), bytes('2', { mediaType: 'text/y', filename: 'carried.txt' }));

        expect(input.elements.get('a')).to.include({ mediaType: 'text/x', filename: 'listed.txt' });
        expect(input.elements.get('b')).to.include({ mediaType: 'text/y', filename: 'carried.txt' });
    });

    it('keeps the bytes of a JSON element unchanged', async () => {

        const seen = watch();

        await read(seen, part({ type: 'D' }), part({ id: 'j' }), bytes('{ "a":1.0 }', { mediaType: 'application/json' }));

        expect(seen.staged).to.equal(['{ "a":1.0 }']);
    });

    it('may be required to list every element with bytes', async () => {

        const seen = watch();
        const strict = (...segments: Segment[]) => readObjectInput(sequence(...segments), { ...seen.options, mustDeclare: true });

        await strict(part({ elements: [{ id: 'a' }] }), part({ id: 'a' }), bytes('1'));

        await expect(strict(part({ elements: [{ id: 'a' }] }), part({ id: 'b' }), bytes('2'))).to.reject(DoipError, 'No such element b');
        await expect(strict(part({}), part({ id: 'b' }), bytes('2'))).to.reject(DoipError, /^Unexpected input segments/);
        expect(seen.staged).to.equal(['1']);
    });

    it('holds no later part in memory before access is decided', async () => {

        const read: string[] = [];
        const unread = (name: string): Segment => ({
            kind: 'bytes', mediaType: 'application/json',
            body: (async function *() {

                read.push(name);
                yield Buffer.from('{"type":"Other","attributes":{"content":{}}}');
            })()
        });
        const [closed, denied, open] = [watch('no such type'), watch(), watch()];

        await expect(readObjectInput(sequence(part({ type: 'D' }), unread('closed')), closed.options)).to.reject('no such type');
        await expect(readObjectInput(sequence(part({}), unread('denied')), {
            ...denied.options, beforeType: () => Promise.reject(badRequest('nothing is open'))
        })).to.reject('nothing is open');
        await readObjectInput(sequence(part({ type: 'D' }), unread('open')), { ...open.options, beforeType: () => Promise.reject(badRequest('known')) });

        expect(read).to.equal(['open']);
        expect([closed.asked, denied.asked, open.asked]).to.equal([['D'], [], ['D', 'Other']]);
    });

    it('reads later parts within the limits of their carrier', async () => {

        let charged = 0;
        const limits = {
            jsonBytes: 100, jsonDepth: 4, jsonValues: 8,
            memory: {
                reserve: (count: number) => {

                    charged += count;
                },
                release: () => undefined
            }
        };
        const json = (text: string): Segment => bytes(text, { mediaType: 'application/json', limits });

        await read(watch(), part({ type: 'D' }), json('{"attributes":{"content":{}}}'));
        expect(charged).to.equal(29);
        for (const [text, message] of [
            [`{"attributes":{"content":{"a":"${'x'.repeat(100)}"}}}`, /^the input is longer than the allowed 100 bytes/],
            ['{"attributes":{"content":{"a":[1,1,1,1,1]}}}', /^JSON holds more than the allowed 8 values/],
            ['{"attributes":{"content":{"a":[[1]]}}}', /nested deeper than the allowed 4 levels/]
        ] as const) {
            await expect(read(watch(), part({ type: 'D' }), json(text))).to.reject(DoipError, message);
        }
    });

    it('may contain later parts of the object as bytes', async () => {

        const input = await read(watch(), part({ type: 'D' }),
            bytes('{"attributes":{"content":{"a":1}}}', { mediaType: 'application/json' }));

        expect<unknown>(input.content).to.equal({ a: 1 });
    });

    it('may have content beside the attributes', async () => {

        expect<unknown>((await read(watch(), part({ type: 'D', content: { a: 1 } }))).content).to.equal({ a: 1 });
    });

    it('is not staged without the required rights', async () => {

        const seen = watch('you may not');

        await expect(read(seen, part({ type: 'D' }), part({ id: 'a' }), bytes('1'))).to.reject(DoipError, 'you may not');

        expect(seen.staged).to.be.empty();
    });

    const refused: [string, Segment[], RegExp][] = [
        ['an object that is an array', [part([])], /expected a digital object/],
        ['content that is a string', [part({ attributes: { content: 'x' } })], /Invalid content/],
        ['attributes that are an array', [part({ attributes: [] })], /attributes must be a JSON object/],
        ['an id that is a number', [part({ id: 1 })], /id must be a string/],
        ['elements that are an object', [part({ elements: {} })], /elements must be an array/],
        ['an element that is a string', [part({ elements: ['a'] })], /array of objects/],
        ['an element that is listed twice', [part({ elements: [{ id: 'a' }, { id: 'a' }] })], /Duplicate payload a/],
        ['an element that is sent twice', [part({}), part({ id: 'a' }), bytes('1'), part({ id: 'a' }), bytes('2')], /Duplicate payload a/],
        ['a header without bytes', [part({}), part({ id: 'a' })], /element a has a header but no bytes/],
        ['a header without a name', [part({}), part({ type: 'x/y' }), bytes('1')], /Payload missing name/],
        ['bytes without a header', [part({}), bytes('1')], /expected JSON input/],
        ['elementsToDelete that is a string', [part({ attributes: { elementsToDelete: 'a' } })], /must be an array/],
        ['user metadata that is a number', [part({ attributes: { userMetadata: 1 } })], /Invalid userMetadata/],
        ['too many elements', [part({ elements: ['a', 'b', 'c', 'd'].map((id) => ({ id })) })], /at most 3 payloads/]
    ];
    for (const [title, segments, message] of refused) {
        it(`is rejected with ${title}, and leaves no bytes behind`, async () => {

            const seen = watch();

            await expect(read(seen, ...segments)).to.reject(DoipError, message);

            expect(seen.discarded).to.equal(seen.staged);
        });
    }

    it('discards its bytes when storing fails or is a dry run, and keeps them otherwise', async () => {

        const seen = watch();
        const input: ObjectInput = await read(seen, part({ type: 'D' }), part({ id: 'a' }), bytes('1'));

        await storing(input, false, async () => 'stored');
        expect(seen.discarded).to.be.empty();

        await storing(input, true, async () => 'rehearsed');
        expect(seen.discarded).to.equal(['1']);

        await expect(storing(input, false, async () => {

            throw new Error('no');
        })).to.reject('no');
        expect(seen.discarded).to.equal(['1', '1']);
    });
});
