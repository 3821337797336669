/** That scripts give way to everything else. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readdirSync, readFileSync } from 'node:fs';
import { testPool } from '../../../support/scripts.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Niceness of the threads of this process, by their numbers. */
function niceness(): ReadonlyMap<number, number> {

    return new Map(readdirSync('/proc/self/task').map((id) => {

        const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
        return [Number(id), Number(fields[16])] as const;
    }));
}

describe('the threads for scripts', () => {

    it('have a lower priority than all other threads', { skip: process.platform !== 'linux' }, async () => {

        const before = niceness();
        const pool = testPool();
        try {
            await pool.returned('exports.run = () => 1');

            const after = niceness();
            const own = after.get(process.pid) ?? NaN;
            const lowered = [...after].filter(([id, nice]) => nice > (before.get(id) ?? own));
            expect<unknown>(own).to.equal(before.get(process.pid));
            expect(lowered).to.have.length(1);
            expect(before.has(lowered[0]?.[0] ?? 0)).to.be.false();
        }
        finally {
            await pool.close();
        }
    });
});
