/** The audit log has what rate limits and quotas reject: who, what, and the limit; many equal ones as their number. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';
import { basic, jsonOf } from '../support/rest.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PASSWORD = 'password of a user';
const REQUESTS = 8;

onEveryDatabase((name, start) => {

    describe(`limits in the audit log, ${name},`, () => {

        let service: RestService;
        let id: string;
        const headers = basic('limited', PASSWORD);

        before(async () => {

            service = await start({ AUDIT_DAYS: 1, QUOTA_USER_OBJECTS: 1, RATE_LIMIT_SECONDS: 86_400, RATE_LIMIT_USER_REQUESTS: REQUESTS });
            ({ id } = await service.create('User', { username: 'limited', password: PASSWORD }));
        });

        after(() => service.stop());

        const denied = async (): Promise<JsonObject[]> => {

            const line = 'GET /doip/gateway/Op.Audit.List?targetId=service&outcome=denied';
            return (jsonOf(await service.asAdmin(line))['entries'] as JsonObject[]).toReversed();
        };

        it('are entries of their user, with the limit as rule', async () => {

            const create = async (): Promise<number> => (await service.anonymously('POST /objects?type=Document', { headers, payload: '{}' })).statusCode;
            const statuses = [await create(), await create()];
            for (let i = statuses.length; i < REQUESTS + 20; ++i) {
                statuses.push((await service.anonymously('GET /objects/design', { headers })).statusCode);
            }

            await until(async () => (await denied()).length >= 2);
            const [first, second, ...others] = await denied();

            expect<unknown>([statuses.slice(0, 2), statuses.filter((status) => status === 429).length]).to.equal([[200, 507], 20]);
            expect<unknown>([first?.['user'], first?.['operation'], first?.['rule']]).to.equal(
                [id, '0.DOIP/Op.Create', `the quota of what ${id} has created is 1 objects, which this change would exceed`]);
            expect<unknown>([second?.['user'], second?.['operation'], second?.['object'], second?.['rule']]).to.equal(
                [id, '0.DOIP/Op.Retrieve', 'design', `a user may send at most ${REQUESTS} requests in 86400 seconds`]);
            // The rest of the twenty are one entry later.
            expect(others.length).to.be.at.most(1);
        });
    });
});
