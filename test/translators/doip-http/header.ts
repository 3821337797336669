import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { doipHeader } from '../../../translators/doip-http/response.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

describe('the header Doip-Response', () => {

    it('is ASCII', () => {

        expect(doipHeader('ü😀', 's', { message: '\u007f€' })).to.equal('{"requestId":"\\u00fc\\ud83d\\ude00","status":"s","attributes":{"message":"\\u007f\\u20ac"}}');
    });

    it('has a limited length', () => {

        const long: JsonObject[] = [{ message: 'ü'.repeat(5000), x: 1 }, { x: 'y'.repeat(5000) }, { message: '\u0000'.repeat(5000) }];
        for (const attributes of long) {
            const text = doipHeader('r', 's', attributes);

            expect(text.length).to.be.below(4097);
            expect<unknown>(JSON.parse(text)).to.include({ requestId: 'r', status: 's' });
        }

        expect<unknown>(JSON.parse(doipHeader('r'.repeat(5000), 's', {}))).to.equal({ status: 's' });
    });
});
