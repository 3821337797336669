/**
 * Uploads that are changed at random are stored as a whole or not at all.
 *
 *     npm run resilience:uploads                      1,000 uploads on SQLite, and on MySQL where TEST_MYSQL_URL names a server
 *     npm run resilience:uploads -- --rounds 100 --seed 5
 */

import { parseArgs } from 'node:util';
import { DIALECTS } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { seeded } from '../../support/random.js';
import { uploadAtRandom } from '../../support/random-uploads.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' }, seed: { type: 'string', default: String(Date.now() % 2 ** 31) } } });

async function main(): Promise<void> {

    for (const { name, create } of DIALECTS) {
        console.log(`${name}: ${values.rounds} uploads, seed ${values.seed}`);
        const place = await create();
        const gateway = await startGateway(place);
        try {
            const { accepted, refused } = await uploadAtRandom(gateway, seeded(Number(values.seed)), Number(values.rounds));
            console.log(`${name}: ${accepted} stored as a whole, ${refused} refused as a whole`);
        }
        finally {
            await gateway.stop();
            await place.dispose();
        }
    }
}

main().catch((error: unknown) => {

    console.error(error);
    process.exitCode = 1;
});
