/** What scripts write through `context.directIo`. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestPool } from '../../../support/scripts.js';
import { testPool } from '../../../support/scripts.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the output of context.directIo', () => {

    let pool: TestPool;

    before(() => {

        pool = testPool();
    });

    after(() => pool.close());

    const written = async (body: string): Promise<string | null> => {

        const { output } = await pool.run(`exports.run = (object, { directIo }) => { ${body} };`, { directIo: { input: null } });
        return output && output.bytes.length > 0 ? Buffer.concat(output.bytes).toString() : null;
    };

    it('may be empty, which differs from none', async () => {

        expect(await written('directIo.writeOutputUint8Array(new Uint8Array(0))')).to.equal('');
        expect(await written('directIo.writeOutputBytes([])')).to.equal('');
        expect(await written('directIo.writeOutputString("")')).to.equal('');
        expect(await written('directIo.setOutputMediaType("text/plain")')).to.be.null();
    });

    it('is JSON when it is declared as such', async () => {

        expect(await written('directIo.writeOutputJson(undefined)')).to.equal('null');
        expect(await written('directIo.writeOutputJson([undefined])')).to.equal('[null]');
    });

    it('is rejected when bytes are expected and another value is given', async () => {

        for (const value of ['"text"', '12345678', '{ length: 3 }', 'null']) {
            expect(await pool.failure(`exports.run = (object, { directIo }) => directIo.writeOutputBytes(${value});`, { directIo: { input: null } }))
                .to.include({ kind: 'error', message: 'TypeError: bytes must be a Uint8Array' });
        }
    });
});
