/** A process waits for the end of its threads, even when nothing else keeps it alive. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const lab = Lab.script();
const { describe, it } = lab;

const PORT = join(__dirname, '../../../../lib/util/workers/worker-client.js');

/** Its answer waits at the door when the thread is ended. */
const PROGRAM = `
    const { WorkerClient } = require(${JSON.stringify(PORT)});
    const worker = 'data:text/javascript,' + encodeURIComponent(\`
        import { parentPort } from 'node:worker_threads';
        parentPort.on('message', ({ id }) => parentPort.postMessage({ id, ok: true, value: 1 }));
    \`);
    const port = new WorkerClient(new URL(worker), () => {});
    port.call({ kind: 'first' }).then(() => {

        port.call({ kind: 'second' }).catch(() => {});
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        port.terminate().then(() => console.log('ended'));
    });
`;

describe('the worker client', () => {

    it('keeps the process alive until a terminated thread has ended, even after an answer', async () => {

        const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM]);

        expect(stdout.trim()).to.equal('ended');
    });
});
