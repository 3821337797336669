/** Threads that are started ahead of their clients. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAhead } from '../../../../lib/util/workers/spare-workers.js';
import { WorkerClient } from '../../../../lib/util/workers/worker-client.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const SERVER = join(__dirname, '../../../../lib/util/workers/worker-server.js');

/** Answers each call with the options and the number of its thread. */
const SCRIPT = `
    const { threadId } = require('node:worker_threads');
    const { receiveOptions, serveCalls } = require(${JSON.stringify(SERVER)});
    receiveOptions((options) => serveCalls(() => ({ options, threadId })));
`;

interface Call {
    readonly kind: 'ask';
}

interface Answers {
    readonly ask: { readonly options: unknown; readonly threadId: number };
}

describe('spare workers', () => {

    let folder: string;

    const script = (name: string, text: string): string => {

        const file = join(folder, name);
        writeFileSync(file, text);
        return file;
    };

    const ask = async (file: string, first: unknown): Promise<Answers['ask']> => {

        const client = new WorkerClient<Call, Answers>(file, () => {}, { first });
        try {
            return await client.call({ kind: 'ask' });
        }
        finally {
            await client.terminate();
        }
    };

    before(() => {

        folder = mkdtempSync(join(tmpdir(), 'spare-workers-'));
    });

    after(() => {

        rmSync(folder, { recursive: true });
    });

    it('serve the next client of their script, with its options, and no other', async () => {

        const file = script('serving.js', SCRIPT);

        startAhead(file);
        const first = await ask(file, { of: 'first' });
        const second = await ask(file, { of: 'second' });

        expect(first.options).to.equal({ of: 'first' });
        expect(second.options).to.equal({ of: 'second' });
        expect(second.threadId).to.be.above(first.threadId);
    });

    it('leave the error of a thread that cannot start to the client', async () => {

        const file = script('failing.js', 'throw new Error("no memory");');

        const reason = await new Promise<Error>((resolve) => {

            startAhead(file);
            new WorkerClient<Call, Answers>(file, resolve, { first: {} });
        });

        expect(reason.message).to.equal('no memory');
    });
});
