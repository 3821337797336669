/** The results of a batch go to disk when they get long; the records that are made of them are the same either way. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Segment } from '../../../../lib/doip/envelope.js';
import type { BulkOutcome } from '../../../../lib/bulk/batch/batch-service.js';
import { bulkRecord } from '../../../../lib/bulk/batch/batch-record.js';
import type { RecordItem, RecordOutput } from '../../../../lib/doip/record-output.js';
import { SpillableList } from '../../../../lib/bulk/batch/spill-list.js';
import { TempFolder } from '../../../../lib/bulk/temp-folder.js';
import { readBytes } from '../../../../lib/doip/segments.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const MEBIBYTE = 1024 * 1024;

/** Lengths of the texts of results, and whether they go to disk. */
const LISTS: readonly [title: string, lengths: readonly number[], files: number][] = [
    ['none', [], 0],
    ['a mebibyte but for one character', [MEBIBYTE - 101, 100], 0],
    ['a mebibyte', [MEBIBYTE - 100, 100], 0],
    ['a character more than a mebibyte', [MEBIBYTE - 99, 100], 1],
    ['a mebibyte and some that stay in memory', [MEBIBYTE - 99, 100, 100, 100], 1],
    ['many long ones', Array.from({ length: 40 }, () => 200_000), 1],
    ['many as long as what is read at once', Array.from({ length: 40 }, () => 64 * 1024), 1],
    ['very many short ones', Array.from({ length: 30_000 }, (_, n) => 60 + n % 7), 1]
];

describe('the results of a batch', () => {

    let dataDir: string;

    before(async () => {

        dataDir = await mkdtemp(join(tmpdir(), 'result-list-'));
    });

    after(() => rm(dataDir, { recursive: true }));

    const spooled = async (): Promise<number> => (await readdir(join(dataDir, 'gateway-tmp')).catch(() => [])).length;

    for (const [title, lengths, files] of LISTS) {
        it(`give the same record in each form: ${title}`, async () => {

            const values = lengths.map(textOf);
            const forms: unknown[] = [];
            for (const form of [inBlocks, whole]) {
                const outcome = await outcomeOf(values);
                const meanwhile = await spooled();
                forms.push(await form(await bulkRecord(outcome)));

                expect(meanwhile).to.equal(files);
                await until(async () => await spooled() === 0);
            }

            for (const form of forms) {
                expect(JSON.stringify(form) === JSON.stringify({ results: values, success: true })).to.be.true();
            }
        });
    }

    it('leave no file behind when their record is closed before or while it is read', async () => {

        for (const segments of [0, 1]) {
            const record = await bulkRecord(await outcomeOf(Array.from({ length: 40 }, () => textOf(100_000))));
            const iterator = record[Symbol.asyncIterator]();
            for (let n = 0; n < segments; ++n) {
                await iterator.next();
            }

            expect(await spooled()).to.equal(1);
            await iterator.return(undefined);
            await until(async () => await spooled() === 0);
        }

        const record = await bulkRecord(await outcomeOf(Array.from({ length: 40 }, () => textOf(100_000))));
        await record.next();
        await record.close();
        await until(async () => await spooled() === 0);
    });

    async function outcomeOf(values: readonly string[]): Promise<BulkOutcome> {

        const results = new SpillableList(new TempFolder(dataDir));
        await Promise.all(values.map((value) => results.add(value)));
        return { success: true, results, error: null };
    }
});

/** A string whose JSON text has so many characters. */
function textOf(length: number): string {

    return 'x'.repeat(length - 2);
}

/** A record as its only segment has it, be that JSON or bytes. */
async function whole(record: AsyncIterable<Segment>): Promise<unknown> {

    const values: unknown[] = [];
    for await (const segment of record) {
        values.push(segment.kind === 'json' ? segment.value : JSON.parse((await readBytes(segment.body, Infinity)).toString()));
    }

    expect(values).to.have.length(1);
    return values[0];
}

async function inBlocks(record: RecordOutput): Promise<unknown> {

    const results: RecordItem[] = [];
    for (let block = await record.next(); block; block = await record.next()) {
        results.push(...block);
    }

    return { results, ...record.head };
}
