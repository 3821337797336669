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

/** So long at a time: the machine is not equally fast all the time, and both shall have the same of it. */
const ROUND_SECONDS = 10;

/** @param seconds of each of the two, in turns */
export async function measureIngest(seconds: number): Promise<IngestResult> {

    const rounds = Math.max(1, Math.round(seconds / ROUND_SECONDS));
    const services = [await Writing.start([WITHOUT_INDEX]), await Writing.start([])] as const;
    try {
        const rates: [number, number] = [0, 0];
        for (let round = 0; round < rounds; ++round) {
            rates[0] += await services[0].creates(seconds / rounds) / rounds;
            rates[1] += await services[1].creates(seconds / rounds) / rounds;
        }

        return { without: rates[0], withIndex: rates[1] };
    }
    finally {
        await Promise.all(services.map((service) => service.stop()));
    }
}

/** A service of its own that objects are created in. */
class Writing {

    readonly #folder: string;
    readonly #service: BenchService;
    readonly #requests = Array.from(corpus(500), ({ content }) => ({
        method: 'POST' as const, path: '/objects?type=Document', body: JSON.stringify({ ...content, identifier: UNIQUE })
    }));

    private constructor(folder: string, service: BenchService) {

        this.#folder = folder;
        this.#service = service;
    }

    static async start(preload: readonly string[]): Promise<Writing> {

        const folder = mkdtempSync(join(tmpdir(), 'doip-gateway-bench-'));
        return new Writing(folder, await BenchService.start(folder, preload));
    }

    /** Creates in a second. */
    async creates(seconds: number): Promise<number> {

        const { url, authorization } = this.#service;
        return (await run({ url, requests: this.#requests, authorization }, seconds)).perSecond;
    }

    async stop(): Promise<void> {

        await this.#service.stop();
        rmSync(this.#folder, { recursive: true });
    }
}
