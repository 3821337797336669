/** The short form of `npm run resilience:uploads`. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { forEachDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { seeded } from '../../support/random.js';
import { uploadAtRandom } from '../../support/random-uploads.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Each takes longer on a server. */
const ROUNDS = { sqlite: 20, mysql: 10 };

forEachDatabase((name, create, dialect) => {

    describe(`randomly modified uploads on ${name}`, () => {

        it('are stored completely or rejected completely', async () => {

            const seed = Date.now() % 2 ** 31;
            const place = await create();
            const gateway = await startGateway(place);
            try {
                const { accepted, refused } = await uploadAtRandom(gateway, seeded(seed), ROUNDS[dialect]).catch((cause: unknown) => {

                    throw new Error(`seed ${seed}`, { cause });
                });
                expect(accepted + refused).to.equal(ROUNDS[dialect]);
            }
            finally {
                await gateway.stop();
                await place.dispose();
            }
        });
    });
});
