/** Searches of many callers at the same time, through a real service. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { TestDatabase } from '../support/database.js';
import { createSqlite } from '../support/database.js';
import type { ServiceProcess } from '../support/process.js';
import { startProcess } from '../support/process.js';
import { ADMIN_HEADERS } from '../support/rest.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OBJECTS = 3000;
const FLOOD = 24;
/** On a busy machine many of the flood may be answered before the other search has been sent: the best of some attempts shows what it waits for. */
const ATTEMPTS = 5;

const facets = encodeURIComponent(JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ field: `/${'abcd'[i % 4]}`, maxBuckets: 1 }))));

describe('24 concurrent searches of an anonymous caller', () => {

    let database: TestDatabase;
    let service: ServiceProcess;

    before(async () => {

        database = await createSqlite();
        // On a busy machine the last of them waits for longer than a search may take by default.
        service = await startProcess(database, { LOG_LEVEL: 'fatal', SEARCH_TIMEOUT_SECONDS: '100' });
        const items = Array.from({ length: OBJECTS }, (_, i) => ({
            id: `test/${i}`, type: 'Document', content: Object.fromEntries([...'abcd'].map((field, n) => [field, `word${i % (OBJECTS - n)} common`]))
        }));
        const response = await fetch(`${service.url}/batchUpload`, { method: 'POST', headers: ADMIN_HEADERS, body: JSON.stringify(items) });
        await response.arrayBuffer();
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

    const search = async (query: string, headers: Record<string, string> = {}): Promise<number> => {

        const response = await fetch(`${service.url}/search?pageSize=0&query=${query}&facets=${facets}`, { headers });
        await response.arrayBuffer();
        return response.status;
    };

    /** How many of a flood are answered while a search of another caller waits. */
    const passing = async (attempt: number): Promise<number> => {

        let answered = 0;
        const flood = Array.from({ length: FLOOD }, (_, i) => search(`common -word${attempt * FLOOD + i}`).then((status) => {

            ++answered;
            return status;
        }));
        while (answered === 0) {
            await new Promise((resolve) => setTimeout(resolve, 5));
        }

        const before = answered;
        const status = await search(`common -other${attempt}`, ADMIN_HEADERS);
        const passed = answered - before;
        const statuses = new Set(await Promise.all(flood));

        expect(status).to.equal(200);
        expect([...statuses]).to.equal([200]);
        return passed;
    };

    it('delay a search of another caller by a few of them at most', { timeout: 900_000 }, async () => {

        expect(await search('warm', ADMIN_HEADERS)).to.equal(200);
        let least = Infinity;
        for (let attempt = 0; attempt < ATTEMPTS && least >= FLOOD / 3; ++attempt) {
            least = Math.min(least, await passing(attempt));
        }

        expect(least).to.be.below(FLOOD / 3);
    });
});
