import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { forEachDatabase } from '../../support/database.js';

export const lab = Lab.script();
const { describe, it } = lab;

const PROGRAM = join(__dirname, '../../support/memory-program.js');

forEachDatabase((name, create) => {

    describe(`large blobs on ${name}`, () => {

        it('are stored and read in constant memory', async () => {

            const place = await create();
            await place.open();

            const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(place.options), '400']);

            expect(Number(stdout)).to.be.below(80);
            await place.dispose();
        });
    });
});
