import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { InputKind } from '../../../lib/doip/envelope.js';
import { bytesSegment, drain, jsonSegment } from '../../../lib/doip/segments.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { forEachDatabase, type TestDatabase } from '../../support/database.js';
import { envelope, startGateway, type TestGateway } from '../../support/gateway.js';

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

        it('tell of each element whether another one follows it', async () => {

            const names = ['a', 'b', 'c'];
            const { value } = await test.asAdmin('0.DOIP/Op.Create', { input: [
                jsonSegment({ type: 'Document', attributes: { content: {} } }),
                ...names.flatMap((id) => [jsonSegment({ id }), bytesSegment(Buffer.from(id))])
            ] });
            const { id: targetId } = value as { id: string };
            const followed: unknown[] = [];
            const { output } = await test.gateway.perform(envelope('0.DOIP/Op.Retrieve', { targetId, attributes: { includeElementData: true } }));
            for await (const segment of output) {
                if (segment.kind === 'bytes') {
                    followed.push(segment.isBeforeJson);
                    await drain(segment.body);
                }
            }

            expect(followed).to.equal([true, true, false]);
        });
    });

    describe(`the input of requests to the gateway on ${name}`, () => {

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

        const TOKEN = { token: 'x' };
        const SESSION = { sessionId: 'x', csrfToken: 'y' };
        const kinds: readonly [operation: string, authentication: JsonObject, of: string, isUnverified: boolean][] = [
            ['20.DOIP/Op.Auth.Token', TOKEN, 'login', true],
            ['Auth.Token', TOKEN, 'login', true],
            ['Auth.Introspect', {}, 'login', true],
            ['20.DOIP/Op.ChangePassword', TOKEN, 'login', false],
            ['Search', TOKEN, 'search', false],
            ['0.DOIP/Op.Search', {}, 'search', false],
            ['gateway/Op.StartupStatus', TOKEN, 'any', true],
            ['gateway/Op.Health', TOKEN, 'any', true],
            ['Create', TOKEN, 'any', false],
            ['of/nobody', TOKEN, 'any', false],
            ['', TOKEN, 'any', false],
            ['', SESSION, 'any', true],
            ['Create', SESSION, 'any', true],
            ['Create', { ...SESSION, ...TOKEN }, 'any', false]
        ];
        for (const [operation, authentication, of, isUnverified] of kinds) {
            it(`is of the kind ${of}${isUnverified ? ' without verified credentials' : ''}: ${operation || 'any'} with ${Object.keys(authentication).join()}`, () => {

                expect(test.gateway.inputKind(operation, authentication)).to.equal({ of, isUnverified } as InputKind);
            });
        }

        it('is that of a caller whose session is verified where the design has sessions', async () => {

            const { value } = await test.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'design' });
            const { attributes: { content } } = value as { attributes: { content: JsonObject } };
            const kindsWith = async (useLegacySessionsApi: boolean): Promise<boolean[]> => {

                const input = { attributes: { content: { ...content, useLegacySessionsApi } } };
                expect((await test.asAdmin('0.DOIP/Op.Update', { targetId: 'design', input })).status).to.equal('0.DOIP/Status.001');
                // The next request sees the design.
                await test.perform('0.DOIP/Op.Hello');
                return ['Create', 'Auth.Token'].map((operation) => test.gateway.inputKind(operation, SESSION).isUnverified);
            };

            expect(await kindsWith(true)).to.equal([false, true]);
            expect(await kindsWith(false)).to.equal([true, true]);
        });
    });
});
