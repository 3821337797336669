import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Joi from 'joi';
import { defineOperation, result } from '../../../lib/core/operation.js';
import { OperationRegistry, type OperationResolver } from '../../../lib/core/registry.js';
import { ANONYMOUS, SERVICE } from '../../../lib/model/caller.js';

export const lab = Lab.script();
const { describe, it } = lab;

const good = defineOperation({
    id: '20.500.1/Op.Count', aliases: ['Count'], summary: 'count things', target: 'object', authorise: 'reader',
    handler: async () => result.empty()
});

describe('the registry of operations', () => {

    it('finds an operation by id and by alias', () => {

        const registry = new OperationRegistry();

        registry.register(good);

        expect(registry.get('20.500.1/Op.Count')?.summary).to.equal('count things');
        expect(registry.get('Count')?.id).to.equal('20.500.1/Op.Count');
        expect(registry.get('count')).to.be.undefined();
    });

    const refused: [string, object, RegExp][] = [
        ['an id that is no handle', { id: 'Count' }, /Count.*prefix\/suffix/],
        ['an id with a blank', { id: '20.1/Op Count' }, /prefix\/suffix/],
        ['no rule', { authorise: undefined }, /20\.500\.1\/Op\.Count: "authorise" is required/],
        ['an unknown rule', { authorise: 'everybody' }, /"authorise"/],
        ['no handler', { handler: undefined }, /"handler" is required/],
        ['no summary', { summary: undefined }, /"summary" is required/],
        ['an unknown target', { target: 'thing' }, /"target"/],
        ['an unknown method', { methods: ['PUT'] }, /"methods/],
        ['an unknown member', { authorize: 'reader' }, /"authorize" is not allowed/],
        ['a reader of the service', { target: 'service' }, /authorise 'reader' needs target 'object'/],
        ['a check of rights while the database is away', { target: 'service', authorise: 'caller', availableWhenDown: true }, /availableWhenDown needs/],
        ['an object as target while the database is away', { authorise: 'anyone', availableWhenDown: true }, /availableWhenDown needs/],
        ['a schema for an input it does not take', { inputSchema: Joi.object() }, /inputSchema needs input/],
        ['an id of the service', { id: '0.DOIP/Op.Count' }, /belongs to the service/],
        ['another id of the service', { id: '20.DOIP/Op.Count' }, /belongs to the service/],
        ['a one-letter alias', { aliases: ['C'] }, /aliases/]
    ];
    for (const [title, change, message] of refused) {
        it(`rejects ${title} and names it`, () => {

            const registry = new OperationRegistry();

            expect(() => registry.register({ ...good, ...change })).to.throw(Error, message);
            expect(registry.all()).to.be.empty();
        });
    }

    it('rejects a second operation with the same id or alias', () => {

        const registry = new OperationRegistry();
        registry.register(good);

        expect(() => registry.register(good)).to.throw(/already registered/);
        expect(() => registry.register({ ...good, id: '20.500.1/Op.Other' })).to.throw(/alias Count is already registered/);
    });

    it('replaces a built-in operation on request', () => {

        const registry = new OperationRegistry();
        const builtIn = { ...good, id: '0.DOIP/Op.Retrieve', aliases: ['Retrieve'] };
        registry.register(builtIn, { override: true });

        registry.register({ ...builtIn, summary: 'another way' }, { override: true });

        expect(registry.get('Retrieve')?.summary).to.equal('another way');
        expect(registry.all()).to.have.length(1);
    });

    it('rejects operations after it was sealed', () => {

        const registry = new OperationRegistry();
        registry.seal();

        expect(() => registry.register(good)).to.throw(/before the gateway starts/);
    });

    it('asks resolvers for unknown operations, and lists theirs without duplicates', async () => {

        const registry = new OperationRegistry();
        registry.register(good);
        registry.addResolver({
            resolve: async (id, targetId) => (id === 'hello' && targetId === 'test/1' ? { ...good, id: 'x/hello' } : undefined),
            list: async (_targetId, { isAdmin }) => (isAdmin ? ['hello', 'secret', 'Count'] : ['hello', 'Count'])
        });

        expect((await registry.find('hello', 'test/1', null))?.id).to.equal('x/hello');
        expect(await registry.find('hello', 'test/2', null)).to.be.undefined();
        expect(await registry.listDynamic('test/1', ANONYMOUS)).to.equal([{ id: 'hello' }]);
        expect(await registry.listDynamic('test/1', SERVICE)).to.equal([{ id: 'hello' }, { id: 'secret' }]);
    });

    it('takes the last resort of a resolver where no other one has an operation', async () => {

        const registry = new OperationRegistry();
        const resolving = (ids: readonly string[], more: object): OperationResolver => ({
            resolve: async (id) => (ids.includes(id) ? { ...good, ...more } : undefined), list: async () => []
        });
        registry.addResolver(resolving(['hello', 'other'], { id: 'x/first', isLastResort: true }));
        registry.addResolver(resolving(['hello', 'other'], { id: 'x/second', isLastResort: true }));
        registry.addResolver(resolving(['hello'], { id: 'x/third' }));

        const found = await Promise.all(['hello', 'other', 'none'].map((id) => registry.find(id, 'test/1', null)));
        expect(found.map((operation) => operation?.id)).to.equal(['x/third', 'x/first', undefined]);
    });
});
