import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jsonOf } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

onEveryDatabase((name, start) => {

    describe(`relationships by REST on ${name}`, () => {

        let service: RestService;

        before(async () => {

            service = await start({ MAX_RELATED_OBJECTS: 2 });
            await service.create('Schema', {
                name: 'Card',
                schema: { type: 'object', properties: { to: { type: 'array', items: { type: 'string', cordra: { type: { handleReference: {} } } } } } }
            });
            await service.create('Card', {}, 'handle=test/a%20b');
            await service.create('Card', { to: ['test/a b'] }, 'handle=test/c');
            await service.create('Card', { to: ['test/c'] }, 'handle=test/d');
            await service.create('Card', { to: ['test/a b', 'test/c', 'test/d'] }, 'handle=test/e');
        });

        after(() => service.stop());

        it('are objects and their references', async () => {

            const response = await service.anonymously('GET /relationships/test/c');
            const { nodes, edges, results } = jsonOf(response) as { nodes: unknown; edges: unknown; results: Record<string, object> };
            const object = jsonOf(await service.anonymously('GET /objects/test/a%20b?full')) as { metadata: { createdOn: number } };

            expect(response.statusCode).to.equal(200);
            expect(nodes).to.equal(['test/c', 'test/d', 'test/e', 'test/a b'].map((id) => ({ id, label: id })));
            expect(edges).to.equal([
                { from: 'test/d', to: 'test/c', style: 'arrow', jsonPointer: '/to/0' },
                { from: 'test/e', to: 'test/c', style: 'arrow', jsonPointer: '/to/1' },
                { from: 'test/c', to: 'test/a b', style: 'arrow', jsonPointer: '/to/0' }
            ]);
            expect(Object.keys(results)).to.equal(['test/c', 'test/d', 'test/e', 'test/a b']);
            expect(results['test/a b']).to.equal({
                id: 'test/a b', type: 'Card', json: {}, createdOn: object.metadata.createdOn, createdBy: 'admin'
            });
        });

        for (const flag of ['outboundOnly', 'outboundOnly=true']) {
            it(`are those that an object references with ${flag}`, async () => {

                const { nodes } = jsonOf(await service.anonymously(`GET /relationships/test/c?${flag}`));

                expect(nodes).to.equal(['test/c', 'test/a b'].map((id) => ({ id, label: id })));
            });
        }

        it('are found by an id with escapes', async () => {

            const { edges } = jsonOf(await service.anonymously('GET /relationships/test/a%20b?outboundOnly=false')) as { edges: unknown[] };

            expect(edges).to.have.length(2);
        });

        it('are truncated at the configured number', async () => {

            const cut = jsonOf(await service.anonymously('GET /relationships/test/e'));
            const whole = jsonOf(await service.anonymously('GET /relationships/test/d'));

            expect([cut['truncated'], whole['truncated']]).to.equal([true, undefined]);
            expect((cut['nodes'] as unknown[]).length).to.equal(3);
        });

        it('are not those that type code hides, whatever it shows instead', async () => {

            const reference = (members: object): object => ({ type: 'string', cordra: { type: { handleReference: members } } });
            await service.create('Schema', {
                name: 'Veiled',
                schema: { type: 'object', properties: { to: reference({}), late: reference({ prepend: 'test/' }), show: { type: 'string' } } },
                javascript: `exports.onObjectResolution = (object) => {

                    const { to, late, show } = object.content;
                    object.content = JSON.parse(show.replace('TO', to).replace('LATE', late));
                    return object;
                };`
            });
            const edges = async (id: string): Promise<unknown> => {

                const { edges: found } = jsonOf(await service.anonymously(`GET /relationships/${id}`)) as { edges: { from: string; jsonPointer: string }[] };
                return found.filter(({ from }) => from === 'test/veiled').map(({ jsonPointer }) => jsonPointer);
            };

            await service.create('Card', {}, 'handle=test/x');
            const SHOWN: readonly (readonly [content: object, pointers: readonly string[]])[] = [
                [{ to: 'TO', late: 'LATE' }, ['/to', '/late']],
                [{ to: 'TO', late: 'test/LATE' }, ['/to', '/late']],
                [{ to: '', late: '' }, []],
                [{ to: 'x', late: '/x' }, []],
                [{ to: ['TO'], late: null }, []],
                [{}, []]
            ];
            await service.create('Veiled', { to: 'test/x', late: 'x', show: '{}' }, 'handle=test/veiled');
            for (const [content, pointers] of SHOWN) {
                await service.asAdmin('PUT /objects/test/veiled', { payload: JSON.stringify({ to: 'test/x', late: 'x', show: JSON.stringify(content) }) });

                expect([await edges('test/x'), await edges('test/veiled')], JSON.stringify(content)).to.equal([pointers, pointers]);
            }
        });

        it('need an object that the caller may read', async () => {

            await service.create('Card', {}, 'handle=test/hidden');
            await service.asAdmin('PUT /acls/test/hidden', { payload: '{"readers":[]}' });
            const lines = ['GET /relationships/test/hidden', 'GET /relationships/test/none', 'GET /relationships', 'GET /relationships/'];
            const answers = await Promise.all(lines.map((line) => service.anonymously(line)));

            expect(answers.map(({ statusCode }) => statusCode)).to.equal([401, 404, 400, 400]);
            expect(answers.every((answer) => typeof jsonOf(answer)['message'] === 'string')).to.be.true();
        });
    });
});
