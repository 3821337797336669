import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { forEachDatabase, type TestDatabase } from '../../support/database.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, open) => {

    describe(`objects through the gateway on ${name}`, () => {

        let database: TestDatabase;
        let test: TestGateway;

        before(async () => {

            database = await open();
            test = await startGateway(database);
        });

        after(async () => {

            await test.stop();
            await database.dispose();
        });

        it('are created, read, updated and deleted', async () => {

            const created = await test.create('Document', { name: 'x' });
            const read = await test.perform('0.DOIP/Op.Retrieve', { targetId: created.id });
            const updated = await test.asAdmin('0.DOIP/Op.Update', {
                targetId: created.id, input: { attributes: { content: { id: created.id, name: 'y' } } }
            });
            const deleted = await test.asAdmin('0.DOIP/Op.Delete', { targetId: created.id });
            const gone = await test.perform('0.DOIP/Op.Retrieve', { targetId: created.id });

            expect(read.value).to.equal(created);
            expect(read.attributes).to.equal({ type: 'Document', permission: 'READ' });
            expect(updated.value).to.include({ id: created.id, type: 'Document' });
            expect(deleted).to.include({ status: '0.DOIP/Status.001', output: [] });
            expect(gone.status).to.equal('0.DOIP/Status.104');
        });

        it('have ids that are compared byte for byte, up to 255 bytes', async () => {

            const ids = ['test/x', 'test/X', 'test/x ', 'test/ä', 'test/a\u0308', `test/${'ü'.repeat(125)}`];
            for (const id of ids) {
                await test.create('Document', { description: id }, { id });
            }

            for (const id of ids) {
                const { value } = await test.perform('0.DOIP/Op.Retrieve', { targetId: id, attributes: { jsonPointer: '/description' } });
                expect(value).to.equal(id);
            }

            const { status } = await test.perform('0.DOIP/Op.Retrieve', { targetId: 'test/Ä' });
            expect(status).to.equal('0.DOIP/Status.104');
        });

        it('return their content unchanged, in the order of the schema', async () => {

            const content = {
                name: 'ü€𝄞 "quoted" \\ \u0000', n: [0, -1, 1.5, 1e21, 1e-7, 9007199254740991], deep: { a: [{ b: null }], '': true }, 'a/b~c': 'x'
            };
            const { id } = await test.create('Document', content);

            const { value } = await test.perform('0.DOIP/Op.Retrieve', { targetId: id });
            const { attributes } = value as { attributes: { content: Record<string, unknown> } };

            expect<unknown>(attributes.content).to.include({ id, ...content } as Record<string, unknown>);
        });

        it('keep the bytes of their elements', async () => {

            const { value } = await test.asAdmin('0.DOIP/Op.Create', { input: [
                jsonSegment({ type: 'Document', attributes: { content: { name: 'scanned' } } }),
                jsonSegment({ id: 'scan', type: 'text/plain', filename: 'a.txt' }),
                bytesSegment(Buffer.from('0123456789'))
            ] });
            const { id } = value as { id: string };

            const whole = await test.perform('0.DOIP/Op.Retrieve', { targetId: id, attributes: { element: 'scan' } });
            const part = await test.perform('0.DOIP/Op.Retrieve', {
                targetId: id, attributes: { element: 'scan', range: { start: 2, end: 4 } }
            });

            expect(whole.value).to.equal('0123456789');
            expect(whole.attributes).to.include({ mediaType: 'text/plain', filename: 'a.txt', size: 10 });
            expect(part.value).to.equal('234');
            expect(part.attributes.range).to.equal({ start: 2, end: 4, size: 10 });
        });
    });
});
