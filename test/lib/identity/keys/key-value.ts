/** Values of API keys. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { claimsKey, isKeyValue, newKeyValue } from '../../../../lib/identity/keys/key-value.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the value of an API key', () => {

    it('begins with a prefix for scanners and is never the same', () => {

        const values = Array.from({ length: 1000 }, newKeyValue);

        expect(new Set(values).size).to.equal(1000);
        expect(values.every((value) => /^doipkey_[0-9a-f]{56}$/.test(value) && claimsKey(value) && isKeyValue(value))).to.be.true();
    });

    it('has no digit that can be changed, left out or added unnoticed', () => {

        const value = newKeyValue();
        const changed = Array.from({ length: 56 }, (_, i) => {

            const at = 8 + i;
            return value.slice(0, at) + (value[at] === '0' ? '1' : '0') + value.slice(at + 1);
        });

        for (const wrong of [...changed, value.slice(0, -1), `${value}0`, value.toUpperCase(), `${value}\n`, ` ${value}`, 'doipkey_', '']) {
            expect(isKeyValue(wrong), wrong).to.be.false();
        }
    });
});
