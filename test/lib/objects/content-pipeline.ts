/** What is checked of content before it is stored, and in which order. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Op } from '../../../lib/doip/operation-ids.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import type { TestGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`content on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await test.create('Schema', { name: 'Short', schema: { properties: { title: { maxLength: 5 } } } });
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        const MANY = 2_000_000;
        for (const [title, length, message] of [
            ['by its schema when it is not too long', 10, '/title: is too long: 10 characters, at most 5 allowed'],
            ['by its length before it is validated', MANY, 'content is longer than the allowed 1000000 bytes']
        ] as const) {
            it(`is rejected ${title}`, async () => {

                const { value } = await test.asAdmin(Op.create, { input: { type: 'Short', attributes: { content: { title: 'x'.repeat(length) } } } });

                expect<unknown>(value).to.include({ message });
            });
        }
    });
});
