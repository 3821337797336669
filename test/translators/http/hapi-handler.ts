import { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { bodyBytes } from '../../../translators/http/request/body.js';
import { discardBody } from '../../../translators/http/hapi-handler.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A request whose body arrives after its head, as node's own has it. */
function requestWith(): { request: Request; body: Readable } {

    const body = Object.assign(new Readable({ read() {} }), { complete: false });
    return { body, request: { method: 'post', headers: {}, payload: body, raw: { req: body } } as unknown as Request };
}

describe('an unread request body', () => {

    it('is discarded', async () => {

        const { request, body } = requestWith();
        const discarded = discardBody(request);
        body.push('all');
        body.push(null);
        await discarded;

        expect(body.readableEnded).to.be.true();
    });

    it('is discarded after its reader has stopped', async () => {

        const { request, body } = requestWith();
        const reader = bodyBytes(request);
        body.push('first');
        expect(String((await reader.next()).value)).to.equal('first');

        const discarded = discardBody(request);
        body.push('rest');
        body.push(null);
        await discarded;

        expect(body.readableEnded).to.be.true();
    });
});
