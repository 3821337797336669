/** A batch tells of its faults in few lines. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Log } from '../../../../db/log.js';
import { ErrorLogLimiter } from '../../../../lib/bulk/batch/error-log-limiter.js';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

describe('the error log of a batch', () => {

    let lines: Record<string, unknown>[];
    let faults: ErrorLogLimiter;

    beforeEach(() => {

        lines = [];
        const log: Log = { info() {}, warn() {}, error: (fields, message) => void lines.push({ ...fields, message }) };
        faults = new ErrorLogLimiter(log);
    });

    it('has an error once with its cause, and at the end the number of further ones', () => {

        const lost = new Error('connection lost');
        const full = new Error('disk full');
        for (let position = 0; position < 1600; ++position) {
            faults.add(new Error('hidden', { cause: lost }), position);
        }

        faults.add(full, 1600);
        expect(lines).to.equal([
            { event: 'batch.item-failed', err: lost, position: 0, message: 'batch item failed' },
            { event: 'batch.item-failed', err: full, position: 1600, message: 'batch item failed' }
        ]);

        faults.end();
        expect(lines.slice(2)).to.equal([{ event: 'batch.items-failed', count: 1599, fault: 'connection lost', message: 'further batch items failed' }]);
    });

    it('counts distinct errors together', () => {

        for (let position = 0; position < 100; ++position) {
            faults.add(`fault ${position}`, position);
        }

        faults.end();
        expect(lines).to.have.length(11);
        expect(lines[10]).to.equal({ event: 'batch.items-failed', count: 90, fault: 'others', message: 'further batch items failed' });
    });

    it('stays empty without errors', () => {

        faults.end();
        expect(lines).to.equal([]);
    });
});
