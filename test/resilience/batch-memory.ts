/** A batch upload may have any length: what it takes in memory does not grow with it. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TestDatabase } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { createSqlite } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { ADMIN_HEADERS } from '../support/rest.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const MIB = 1024 * 1024;
const BODY_BYTES = 400 * MIB;
/** After so much of the same, V8 has its heaps as large as it wants them for this work. */
const FIRST_BYTES = 64 * MIB;
/** What was gathered would be all of the body; how much of it V8 leaves to its collector for a while depends on the machine. */
const MAX_GROWTH = BODY_BYTES / 2;

interface BatchRecord {
    readonly success: boolean;
    readonly results: readonly { readonly position: number; readonly responseCode: number; readonly response: { readonly message?: string } }[];
}

const stored = (id: string): string => JSON.stringify({ id, type: 'Document', content: { name: id } });

/** What stands around the items, and between them. */
const FORMS: readonly [form: string, path: string, begin: string, between: string, end: string][] = [
    ['lines', '/batchUpload?format=ndjson', '', '\n', ''],
    ['an array', '/batchUpload', '[', ',\n', ']'],
    ['an object with results', '/doip?operationId=20.DOIP/Op.BatchUpload&targetId=service', '{"pageNum":0,"results":[', ', ', ']}']
];

/** What is refused, and with which code. Each is repeated until the body is long enough. */
const LINES: readonly [title: string, line: string, code: number][] = [
    ['items that are no objects', `"${'x'.repeat(256 * 1024)}"`, 400],
    ['objects of no known type', JSON.stringify({ id: 'test/refused', type: 'None', content: { text: 'ü'.repeat(64 * 1024) } }), 400],
    ['items that are longer than allowed', JSON.stringify({ id: 'test/long', type: 'Document', content: { name: 'x'.repeat(5 * MIB) } }), 413]
];

/** What is too long for memory is told by whatever reads the form; what is refused later does not depend on the form. */
const CASES = FORMS.flatMap((form, n) => LINES.filter((_, i) => i === LINES.length - 1 || i === n).map((line) => [form, line] as const));

describe('a batch upload of any size', { skip: process.platform !== 'linux' }, () => {

    let database: TestDatabase;
    let service: ServiceProcess;

    beforeEach(async () => {

        database = await createSqlite();
        service = await startProcess(database, { MAX_ITEM_BYTES: String(2 * MIB) });
    });

    afterEach(async () => {

        await service.stop();
        await database.dispose();
    });

    for (const [[form, path, begin, between, end], [title, line, code]] of CASES) {
        it(`uses constant memory: ${title}, in ${form}`, async () => {

            const bodyOf = (count: number): Generator<Buffer> => items(line, count, [begin, between, end]);

            const count = Math.ceil(BODY_BYTES / Buffer.byteLength(line));
            await upload(service, path, bodyOf(Math.ceil(FIRST_BYTES / Buffer.byteLength(line))));
            const before = await memory(service, 'VmRSS');

            const { bytes, record: { success, results } } = await upload(service, path, bodyOf(count));

            const growth = await memory(service, 'VmHWM') - before;
            expect(bytes).to.be.at.least(BODY_BYTES);
            expect(success).to.be.false();
            expect(results.toSorted((a, b) => a.position - b.position).map(({ responseCode }) => responseCode))
                .to.equal([200, ...Array.from({ length: count }, () => code), 200]);
            expect(growth, `the process grew by ${Math.round(growth / MIB)} MiB`).to.be.below(MAX_GROWTH);
        });
    }
});

/** An object, many times the line, and another object. */
function *items(line: string, count: number, [begin, between, end]: readonly [string, string, string]): Generator<Buffer> {

    const bytes = Buffer.from(`${line}${between}`);
    yield Buffer.from(`${begin}${stored('test/first')}${between}`);
    for (let i = 0; i < count; ++i) {
        yield bytes;
    }

    yield Buffer.from(`${stored('test/last')}${end}`);
}

/** Sends the pieces as they are made, as fast as the service takes them. */
async function upload({ url }: ServiceProcess, path: string, body: Iterable<Buffer>): Promise<{ bytes: number; record: BatchRecord }> {

    const sending = request(`${url}${path}`, { method: 'POST', headers: { ...ADMIN_HEADERS, 'content-type': 'application/json' } });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    let bytes = 0;
    await pipeline(Readable.from(body), async function *(chunks: AsyncIterable<Buffer>) {

        for await (const chunk of chunks) {
            bytes += chunk.length;
            yield chunk;
        }
    }, sending);
    const [response] = await answered;
    const text = (await response.toArray() as Buffer[]).map(String).join('');
    expect(response.statusCode, text.slice(0, 500)).to.equal(200);
    return { bytes, record: JSON.parse(text) as BatchRecord };
}

/** Bytes that the process has (`VmRSS`), and the most that it ever had (`VmHWM`). */
async function memory({ pid }: ServiceProcess, name: 'VmRSS' | 'VmHWM'): Promise<number> {

    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}
