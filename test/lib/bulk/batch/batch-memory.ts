import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { DoipError } from '../../../../lib/errors/errors.js';
import { badRequest, tooManyRequests, unavailable } from '../../../../lib/errors/errors.js';
import { BatchMemory } from '../../../../lib/bulk/batch/batch-memory.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A memory of which the first attempts fail, and some of the first waits are ended by an item in work. */
function watch({ error, failures, ended }: { error: DoipError; failures: number; ended: number }) {

    const seen = { attempts: 0, waits: 0, reserved: 0 };
    const memory = new BatchMemory({
        reserve: (bytes) => {

            if (++seen.attempts <= failures) {
                throw error;
            }

            seen.reserved += bytes;
        },
        release: (bytes) => {

            seen.reserved -= bytes;
        }
    }, () => Promise.resolve(++seen.waits <= ended));
    return { memory, seen };
}

describe('the memory of a batch', () => {

    it('is charged at once where there is room', () => {

        const { memory, seen } = watch({ error: badRequest('x'), failures: 0, ended: 0 });

        expect(memory.reserve(5)).to.be.undefined();
        memory.release(3);
        expect(seen).to.equal({ attempts: 1, waits: 0, reserved: 2 });
    });

    for (const error of [tooManyRequests('full', 1), unavailable('full', 1)]) {
        it(`is waited for as long as items end, and then for a few moments (${error.http})`, async () => {

            const busy = watch({ error, failures: 100, ended: 100 });
            await busy.memory.reserve(5);
            expect(busy.seen).to.equal({ attempts: 101, waits: 100, reserved: 5 });

            const idle = watch({ error, failures: 3, ended: 0 });
            await idle.memory.reserve(5);
            expect(idle.seen).to.equal({ attempts: 4, waits: 3, reserved: 5 });

            const full = watch({ error, failures: 100, ended: 10 });
            await expect(full.memory.reserve(5)!).to.reject('full');
            expect(full.seen).to.equal({ attempts: 17, waits: 17, reserved: 0 });
        });
    }

    it('is not waited for after the end of the request', () => {

        const { memory, seen } = watch({ error: badRequest('the request ended'), failures: 1, ended: 1 });

        expect(() => memory.reserve(5)).to.throw('the request ended');
        expect(seen).to.equal({ attempts: 1, waits: 0, reserved: 0 });
    });
});
