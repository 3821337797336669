/**
 * A writer thread that dies on demand: the real one, but its thread ends when a batch has a step `crash`.
 * `crash` is noticed when the batch arrives, `crash late` when it has been written but not yet answered.
 */

import { isMainThread, parentPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { ToWriter } from '../../db/engines/sqlite/writer-worker.js';

function hasStep(message: ToWriter, sql: string): boolean {

    return message.kind === 'commit' && message.units.some(({ steps }) => steps.some((step) => step.sql === sql));
}

/** Puts itself between the port and the listener of the real writer. */
function dieOnDemand(port: MessagePort): void {

    const listen = port.on.bind(port);
    const intercept = (event: string, listener: (message: ToWriter) => void): MessagePort => listen(event, (message: ToWriter) => {

        if (hasStep(message, 'crash')) {
            process.exit(1);
        }

        if (hasStep(message, '/* crash late */ select 1')) {
            port.postMessage = () => process.exit(1);
        }

        listener(message);
    });
    port.on = intercept as MessagePort['on'];
}

// Lab loads every file below test; this one acts only as a thread of the test.
if (!isMainThread && parentPort) {
    dieOnDemand(parentPort);
    void import('../../db/engines/sqlite/writer-worker.js');
}
