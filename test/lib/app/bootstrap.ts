import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const TYPES = ['CordraDesign', 'Document', 'Group', 'Schema', 'User'];

forEachDatabase((name, create) => {

    describe(`a fresh service on ${name}`, () => {

        let database: TestDatabase;

        beforeEach(async () => {

            database = await create();
        });

        afterEach(() => database.dispose());

        it('gets a design and types, which stay deleted once they are deleted', async () => {

            const first = await startGateway(database);
            const before = await first.perform('gateway/Op.Schemas.List');
            const { status } = await first.asAdmin('gateway/Op.Schemas.Delete', { attributes: { type: 'Document' } });
            await first.stop();
            const second = await startGateway(database);
            const after = await second.perform('gateway/Op.Schemas.List');
            await second.stop();

            expect(Object.keys(before.value as object).sort()).to.equal(TYPES);
            expect(status).to.equal('0.DOIP/Status.001');
            expect(Object.keys(after.value as object)).to.not.include('Document');
        });

        it('is seeded by the configuration; later the design takes precedence, and differences are logged', async () => {

            const lines: Record<string, unknown>[] = [];
            const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
            const first = await startGateway(database, { prefix: '20.500.1', baseUri: 'https://one.example/', log });
            const seeded = [...lines];
            await first.stop();
            const second = await startGateway(database, { prefix: '20.500.2', baseUri: 'https://two.example/', log });
            const { id } = await second.create('Document', {});
            await second.stop();

            expect(seeded).to.equal([]);
            expect(id).to.startWith('20.500.1/');
            expect(lines.map(({ event }) => event)).to.equal(['design.prefix-differs', 'design.base-uri-differs']);
        });
    });
});
