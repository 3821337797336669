/** What a worker forwards: nothing of clients that have gone, of which it knows no address. */

import type { Request } from '@hapi/hapi';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createForwarder } from '../../../lib/http-server/forwarder.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a forwarder', () => {

    for (const isGone of [false, true]) {
        it(`${isGone ? 'leaves alone' : 'takes'} the request of a client that ${isGone ? 'has gone' : 'is there'}`, () => {

            const asked: Request[] = [];
            const forward = createForwarder({ socketPath: '/nowhere', secret: 'x' }, {
                connectionOf(request) {

                    asked.push(request);
                    throw new Error('enough');
                },
                isLeaving: () => false,
                onFailure: () => undefined
            });
            const request = { raw: { req: { socket: { destroyed: isGone } }, res: {} } } as unknown as Request;

            try {
                forward(request);
            }
            catch (error) {
                expect((error as Error).message).to.equal('enough');
            }

            expect(asked.length).to.equal(isGone ? 0 : 1);
        });
    }
});
