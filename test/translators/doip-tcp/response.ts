import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { DoipRequest, DoipResponse, Segment } from '../../../lib/doip/envelope.js';
import { MessageWriter } from '../../../lib/doip/framing/message-writer.js';
import { RecordOutput } from '../../../lib/doip/record-output.js';
import { json, jsonSegment, sequence } from '../../../lib/doip/segments.js';
import { Status, StatusTable } from '../../../lib/errors/status.js';
import { writeResponse } from '../../../translators/doip-tcp/response.js';

export const lab = Lab.script();
const { describe, it } = lab;

const STATUSES = new StatusTable();

const REQUEST = { attributes: { element: 'scan' } } as unknown as DoipRequest;

const response = (output: AsyncIterable<Segment>, more: Partial<DoipResponse> = {}): DoipResponse =>
    ({ requestId: null, status: Status.ok, attributes: {}, output, ...more });

/** What is written for a response. */
async function written(of: DoipResponse): Promise<string> {

    const stream = new PassThrough();
    const received: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => received.push(chunk));
    await writeResponse(new MessageWriter(stream), of, { request: REQUEST, statuses: STATUSES });
    await finished(stream.end());
    return Buffer.concat(received).toString();
}

/** Bytes that tell whether they were released. */
function watched(...chunks: string[]): { readonly body: AsyncIterable<Uint8Array>; isReleased: () => boolean } {

    let isReleased = false;
    async function *bytes(): AsyncGenerator<Uint8Array> {

        try {
            yield *chunks.map((chunk) => Buffer.from(chunk));
        }
        finally {
            isReleased = true;
        }
    }

    return { body: bytes(), isReleased: () => isReleased };
}

describe('a response of native DOIP', () => {

    const shapes: readonly [title: string, of: () => DoipResponse | Promise<DoipResponse>, text: string][] = [
        ['without output', () => response(sequence()), '{"status":"0.DOIP/Status.001"}\n#\n#\n'],
        ['with one value', () => response(json({ a: 1 })), '{"status":"0.DOIP/Status.001","output":{"a":1}}\n#\n#\n'],
        ['with one value that is streamed', () => response(sequence(jsonSegment([1]))), '{"status":"0.DOIP/Status.001","output":[1]}\n#\n#\n'],
        ['with null', () => response(json(null)), '{"status":"0.DOIP/Status.001"}\n#\nnull\n#\n#\n'],
        ['with null that is streamed', () => response(sequence(jsonSegment(null))), '{"status":"0.DOIP/Status.001"}\n#\nnull\n#\n#\n'],
        ['with several values', () => response(sequence(jsonSegment(1), jsonSegment('#\n'))),
            '{"status":"0.DOIP/Status.001"}\n#\n1\n#\n"#\\n"\n#\n#\n'],
        ['with bytes', () => response(sequence({ kind: 'bytes', body: watched('ab', 'c').body, mediaType: 'text/plain' })),
            '{"status":"0.DOIP/Status.001","attributes":{"mediaType":"text/plain","filename":"scan"}}\n#\n@\n2\nab\n1\nc\n#\n#\n'],
        ['with empty chunks', () => response(sequence({ kind: 'bytes', body: watched('', 'a', '').body })),
            '{"status":"0.DOIP/Status.001","attributes":{"mediaType":"application/octet-stream","filename":"scan"}}\n#\n@\n1\na\n#\n#\n'],
        ['with a record', async () => response(await RecordOutput.open({
            before: { pageNum: 0, size: 2 }, after: { facets: [] }, blocks: (async function *() {

                yield ['a'];
                yield ['b'];
            })()
        })), '{"status":"0.DOIP/Status.001"}\n#\n{"size":2,"results":["a","b"],"pageNum":0,"facets":[]}\n#\n#\n'],
        ['with a list', async () => response(await RecordOutput.open({
            isList: true, after: {}, blocks: (async function *() {

                yield [{ a: '\n' }];
                yield ['b'];
            })()
        }), { requestId: 'r', attributes: { b: 1 } }),
        '{"requestId":"r","status":"0.DOIP/Status.001","attributes":{"b":1},"output":[{"a":"\\n"},"b"]}\n#\n#\n'],
        ['with an empty list', async () => response(await RecordOutput.open({ isList: true, after: {}, blocks: (async function *() {})() })),
            '{"status":"0.DOIP/Status.001","output":[]}\n#\n#\n'],
        ['that is an error without a message', () => response(sequence(), { requestId: 'r', status: Status.notFound, attributes: { message: 7 } }),
            `{"requestId":"r","status":"0.DOIP/Status.104","attributes":{"message":"${STATUSES.info(Status.notFound).reason}"}}\n#\n#\n`]
    ];
    for (const [title, of, text] of shapes) {
        it(`${title} is framed`, async () => {

            expect(await written(await of())).to.equal(text);
        });
    }

    it('cuts bytes into chunks that any client can read', async () => {

        const text = await written(response(sequence({ kind: 'bytes', body: watched('x'.repeat(600_000)).body })));
        expect(text.match(/^\d+$/gm)).to.equal(['262144', '262144', '75712']);
    });

    it('releases its bytes when the client is gone before or while they are written', async () => {

        for (const limit of [0, 3]) {
            const { body, isReleased } = watched('a', 'b', 'c');
            const stream = new PassThrough();
            let count = 0;
            const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
            stream.write = ((...args: unknown[]) => {

                if (count++ === limit) {
                    stream.destroy(new Error('gone'));
                }

                return write(...args);
            }) as typeof stream.write;
            stream.on('error', () => undefined);
            const failing = writeResponse(new MessageWriter(stream), response(sequence({ kind: 'bytes', body })), { request: REQUEST, statuses: STATUSES });
            await expect(failing).to.reject();
            expect(isReleased()).to.be.true();
        }
    });
});
