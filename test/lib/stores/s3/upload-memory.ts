import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import { UploadMemory, type MemoryUser } from '../../../../lib/stores/s3/upload-memory.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** An upload of a caller, which notes that it gave way. */
class Upload implements MemoryUser {

    hasGivenWay = false;
    filling: MemoryUser['filling'] = null;
    readonly caller: string | null;

    constructor(caller: string | null) {

        this.caller = caller;
    }

    giveWay(): void {

        this.hasGivenWay = true;
    }

    /** Since some milliseconds a buffer gets bytes. */
    fills(ms: number, bytes: number): this {

        this.filling = { since: performance.now() - ms, bytes };
        return this;
    }
}

const JOB = new Upload(null);

describe('memory of uploads', () => {

    it('is given in the order of calls, as soon as there is room', async () => {

        const memory = new UploadMemory(20, 8);
        const first = await memory.take(8, JOB);
        const second = await memory.take(8, JOB);
        const order: string[] = [];
        const third = memory.take(8, JOB).then((buffer) => {

            order.push('third');
            return buffer;
        });
        const fourth = memory.take(4, JOB).then((buffer) => {

            order.push('fourth');
            return buffer;
        });
        expect([memory.taken, memory.waiting]).to.equal([16, 2]);

        memory.give(first, JOB);
        const buffers = await Promise.all([third, fourth]);

        expect(order).to.equal(['third', 'fourth']);
        expect([memory.taken, memory.waiting]).to.equal([20, 0]);
        [second, ...buffers].forEach((buffer) => memory.give(buffer, JOB));
        expect(memory.taken).to.equal(0);
    });

    it('is given beyond the budget to one that is alone', async () => {

        const memory = new UploadMemory(20, 8);

        expect(await memory.take(64, JOB)).to.have.length(64);
        expect(memory.tryTake(1, JOB)).to.be.null();
    });

    it('is denied with 503 after a time, and then given to the next', async () => {

        const memory = new UploadMemory(20, 8, { waitMs: 20 });
        const first = await memory.take(16, JOB);

        const error = await expect(memory.take(16, JOB)).to.reject(DoipError);

        expect([error.http, memory.waiting]).to.equal([503, 0]);
        memory.give(first, JOB);
        expect(await memory.take(16, JOB)).to.have.length(16);
    });

    it('is given to other callers while one that has a half of it waits', async () => {

        const memory = new UploadMemory(40, 8);
        const [ann, bob] = [new Upload('ann'), new Upload('bob')];
        const another = new Upload('ann');
        const first = await memory.take(16, ann);
        const waiting = memory.take(8, another);

        expect([memory.tryTake(8, another), memory.waiting]).to.equal([null, 1]);
        expect(await memory.take(16, bob)).to.have.length(16);
        expect(await memory.take(8, JOB)).to.have.length(8);
        expect([memory.taken, memory.waiting]).to.equal([40, 1]);
        memory.give(first, ann);
        expect(await waiting).to.have.length(8);
    });

    it('is given to one caller beyond its half when it has none', async () => {

        expect(await new UploadMemory(20, 8).take(16, new Upload('ann'))).to.have.length(16);
    });

    it('is left by the slowest upload while others wait, and by no fast one', async () => {

        const memory = new UploadMemory(24, 8, { slowMs: 20 });
        const uploads = [new Upload('ann').fills(1000, 20_000), new Upload('bob').fills(1000, 10_000), new Upload('cid').fills(1000, 100_000)];
        const buffers = await Promise.all(uploads.map((upload) => memory.take(8, upload)));
        const waiting = memory.take(8, new Upload('dan'));

        await until(() => uploads.some(({ hasGivenWay }) => hasGivenWay));
        memory.give(buffers[1] ?? Buffer.alloc(0), uploads[1] ?? JOB);

        expect(await waiting).to.have.length(8);
        expect(uploads.map(({ hasGivenWay }) => hasGivenWay)).to.equal([false, true, false]);
    });
});
