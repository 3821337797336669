import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import { UploadMemory } from '../../../../lib/stores/s3/upload-memory.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('memory of uploads', () => {

    it('is given in the order of calls, as soon as there is room', async () => {

        const memory = new UploadMemory(20, 8);
        const first = await memory.take(8);
        const second = await memory.take(8);
        const order: string[] = [];
        const third = memory.take(8).then((buffer) => {

            order.push('third');
            return buffer;
        });
        const fourth = memory.take(4).then((buffer) => {

            order.push('fourth');
            return buffer;
        });
        expect([memory.taken, memory.waiting]).to.equal([16, 2]);

        memory.give(first);
        const buffers = await Promise.all([third, fourth]);

        expect(order).to.equal(['third', 'fourth']);
        expect([memory.taken, memory.waiting]).to.equal([20, 0]);
        [second, ...buffers].forEach((buffer) => memory.give(buffer));
        expect(memory.taken).to.equal(0);
    });

    it('is given beyond the budget to one that is alone', async () => {

        const memory = new UploadMemory(20, 8);

        expect(await memory.take(64)).to.have.length(64);
        expect(memory.tryTake(1)).to.be.null();
    });

    it('is denied with 503 after a time, and then given to the next', async () => {

        const memory = new UploadMemory(20, 8, 20);
        const first = await memory.take(16);

        const error = await expect(memory.take(16)).to.reject(DoipError);

        expect([error.http, memory.waiting]).to.equal([503, 0]);
        memory.give(first);
        expect(await memory.take(16)).to.have.length(16);
    });
});
