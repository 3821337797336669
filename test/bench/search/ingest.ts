/**
 * What indexing costs those who write: durable creates for a while by a service, and by one whose index takes no part.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, UNIQUE } from '../load.js';
import { corpus } from './place.js';
import { BenchService } from './service.js';

/** Creates in a second. */
export interface IngestResult {
    readonly withIndex: number;
    readonly without: number;
}

const WITHOUT_INDEX = join(__dirname, 'without-index.js');

/** @param seconds of each of the two */
export async function measureIngest(seconds: number): Promise<IngestResult> {

    const without = await creates(seconds, [WITHOUT_INDEX]);
    return { without, withIndex: await creates(seconds, []) };
}

async function creates(seconds: number, preload: readonly string[]): Promise<number> {

    const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
    const service = await BenchService.start(folder, preload);
    try {
        const requests = Array.from(corpus(500), ({ content }) => ({
            method: 'POST' as const, path: '/objects?type=Document', body: JSON.stringify({ ...content, identifier: UNIQUE })
        }));
        const { perSecond } = await run({ url: service.url, requests, authorization: service.authorization }, seconds);
        return perSecond;
    }
    finally {
        await service.stop();
        rmSync(folder, { recursive: true });
    }
}
