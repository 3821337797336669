import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { initialDesign, initialTypes } from '../../../lib/types/seed-content.js';
import { TypeRegistry } from '../../../lib/types/type-registry.js';
import { FACTS, faultsOf, registryOf } from '../../support/types.js';
import { processorTime } from '../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

const NUMBER: JsonObject = { properties: { n: { type: 'number' } } };
const TEXT: JsonObject = { properties: { n: { type: 'string' } } };
const USES_B: JsonObject = { properties: { b: { $ref: 'B' } } };

function accepts(registry: TypeRegistry, name: string, content: JsonObject): boolean {

    return faultsOf(() => registry.get(name)!.process({ ...FACTS, content })).length === 0;
}

describe('the type registry', () => {

    it('contains the built-in and the stored types', () => {

        const registry = registryOf({ A: NUMBER, 'B C': TEXT });

        expect(registry.names()).to.equal(['Schema', 'CordraDesign', 'A', 'B C']);
        expect(Object.keys(registry.schemas())).to.equal(['Schema', 'CordraDesign', 'A', 'B C']);
        expect<unknown>(registry.schemas()['A']).to.equal(NUMBER);
        expect<unknown>(registry.schemaIds()).to.equal({ 'test/type-A': 'A', 'test/type-B C': 'B C' });
        expect(registry.get('Gone')).to.be.undefined();
        expect(registry.get('constructor')).to.be.undefined();
        expect(registry.get('Schema')?.schemaId).to.be.null();
    });

    it('keeps the built-in types, and the first of two types with one name', () => {

        const schemas = [
            { id: 'x/1', content: { name: 'Schema', schema: {} } }, { id: 'x/2', content: { name: 'A', schema: NUMBER } },
            { id: 'x/3', content: { name: 'A', schema: TEXT } }, { id: 'x/4', content: { name: 5, schema: {} } }, { id: 'x/5', content: { name: 'Odd' } }
        ];
        const registry = TypeRegistry.build({ design: {}, schemas, extensionKeyword: 'cordra', prefix: 'test' });

        expect(registry.names()).to.equal(['Schema', 'CordraDesign', 'A']);
        expect<unknown>(registry.schemaIds()).to.equal({ 'x/2': 'A' });
        expect(registry.get('Schema')?.schemaId).to.be.null();
    });

    it('stays unchanged when a newer one is built', () => {

        const before = registryOf({ A: USES_B, B: NUMBER });
        const after = registryOf({ A: USES_B, B: TEXT }, {}, before);

        expect(accepts(after, 'A', { b: { n: 'x' } })).to.be.true();
        expect(accepts(before, 'A', { b: { n: 1 } })).to.be.true();
        expect(accepts(before, 'A', { b: { n: 'x' } })).to.be.false();
        expect(accepts(after, 'A', { b: { n: 1 } })).to.be.false();
    });

    it('resolves references to types that are added, changed and removed', () => {

        let registry = registryOf({ A: USES_B });
        expect(accepts(registry, 'A', { b: { n: 1 } })).to.be.false();

        registry = registryOf({ A: USES_B, B: NUMBER }, {}, registry);
        expect(accepts(registry, 'A', { b: { n: 1 } })).to.be.true();

        registry = registryOf({ A: USES_B, B: TEXT }, {}, registry);
        expect(accepts(registry, 'A', { b: { n: 1 } })).to.be.false();
        expect(accepts(registry, 'A', { b: { n: 'x' } })).to.be.true();

        registry = registryOf({ A: USES_B, B: { $id: 'https://example.org/b', type: 'object' } }, {}, registry);
        expect(accepts(registry, 'A', { b: { n: 5 } })).to.be.true();

        registry = registryOf({ A: USES_B }, {}, registry);
        expect(accepts(registry, 'A', { b: { n: 1 } })).to.be.false();
    });

    it('resolves references by id to schemas that are added', () => {

        const byId = { properties: { b: { $ref: 'https://example.org/b' } } };
        const before = registryOf({ A: byId });
        expect(accepts(before, 'A', { b: { n: 1 } })).to.be.false();

        const after = registryOf({ A: byId, B: { $id: 'https://example.org/b', ...NUMBER } }, {}, before);
        expect(accepts(after, 'A', { b: { n: 1 } })).to.be.true();
        expect(accepts(after, 'A', { b: { n: 'x' } })).to.be.false();
    });

    const bases: [title: string, baseUri: string, reference: string][] = [
        ['a base URI', 'https://s.example/b.json', 'https://s.example/b.json#/definitions/n'],
        ['a base URI that ends in a number sign', 'https://s.example/b.json#', 'https://s.example/b.json#/definitions/n'],
        ['a base URI with an empty fragment in the reference', 'https://s.example/b.json#', 'https://s.example/b.json#'],
        ['a base URI of no web', 'urn:example:b', 'urn:example:b#/definitions/n'],
        ['a place beside its own base URI', 'https://s.example/b.json', 'b.json#/definitions/n'],
        ['its name all the same', 'https://s.example/b.json', 'B#/definitions/n'],
        ['its path all the same', 'https://s.example/b.json', '/cordra/schemas/B.schema.json#/definitions/n']
    ];
    for (const [title, baseUri, reference] of bases) {
        it(`finds a type by ${title}, whichever comes first`, () => {

            const a = { id: 'x/a', content: { name: 'A', baseUri: 'https://s.example/a.json#', schema: { properties: { b: { $ref: reference } } } } };
            const schema = { type: 'number', definitions: { n: { type: 'number' } } };
            const b = { id: 'x/b', content: { name: 'B', baseUri, schema } };
            const build = (...schemas: (typeof a | typeof b)[]): TypeRegistry => TypeRegistry.build({ design: {}, schemas, extensionKeyword: 'cordra', prefix: 'test' });

            for (const registry of [build(a, b), build(b, a)]) {
                expect(accepts(registry, 'A', { b: 1 })).to.be.true();
                expect(accepts(registry, 'A', { b: 'x' })).to.be.false();
            }

            expect(accepts(build(a), 'A', {})).to.be.false();
        });
    }

    for (const reference of ['Author', 'Author.schema.json', '/cordra/schemas/Author', 'file:///cordra/schemas/Author', 'file:///cordra/schemas/Author.schema.json']) {
        for (const [title, id] of [
            ['without $schema', { $id: 'Author' }], ['of draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'Author' }],
            ['of draft 4', { $schema: 'http://json-schema.org/draft-04/schema#', id: 'Author' }]
        ] as const) {
            it(`finds a type by its name, though the schema of another one ${title} has it as its id: ${reference}`, () => {

                const types = { Writer: { ...id, required: ['w'] }, Author: { required: ['a'] }, Book: { properties: { by: { $ref: reference } } } };
                const { Author: _author, ...others } = types;

                expect(accepts(registryOf(types), 'Book', { by: { a: 1 } })).to.be.true();
                expect(accepts(registryOf(types), 'Book', { by: { w: 1 } })).to.be.false();
                expect(accepts(registryOf(types, {}, registryOf(others)), 'Book', { by: { w: 1 } })).to.be.false();
            });
        }
    }

    it('finds a schema by an id like the name of a type, where there is no such type', () => {

        const registry = registryOf({ Writer: { $id: 'Author', required: ['w'] }, Book: { properties: { by: { $ref: 'Author' } } } });

        expect(accepts(registry, 'Book', { by: { w: 1 } })).to.be.true();
        expect(accepts(registry, 'Book', { by: { a: 1 } })).to.be.false();
    });

    it('finds a schema by the id of its draft only', () => {

        const uri = 'https://s.example/b';
        const found = (schema: JsonObject): boolean => accepts(registryOf({ A: { properties: { b: { $ref: uri } } }, B: schema }), 'A', { b: {} });
        const [draft4, draft7] = [{ $schema: 'http://json-schema.org/draft-04/schema#' }, { $schema: 'http://json-schema.org/draft-07/schema#' }];

        expect([{ $id: uri }, { id: uri }, { ...draft4, id: uri }, { ...draft7, $id: uri }].map(found)).to.equal([true, true, true, true]);
        expect([{ ...draft4, $id: uri }, { ...draft7, id: uri }].map(found)).to.equal([false, false]);
    });

    it('lets types refer to each other by their URIs', () => {

        const type = (name: string, other: string): { id: string; content: JsonObject } => ({
            id: `x/${name}`,
            content: { name, schema: { $id: `https://s.example/${name}`, properties: { n: { type: 'number' }, other: { $ref: `https://s.example/${other}` } } } }
        });
        const schemas = [type('A', 'B'), type('B', 'A')];
        const registry = TypeRegistry.build({ design: {}, schemas, extensionKeyword: 'cordra', prefix: 'test' });
        const alone = TypeRegistry.build({ design: {}, schemas: schemas.slice(0, 1), extensionKeyword: 'cordra', prefix: 'test' });

        expect(accepts(registry, 'A', { other: { n: 1, other: { n: 2 } } })).to.be.true();
        expect(accepts(registry, 'A', { other: { n: 1, other: { n: 'x' } } })).to.be.false();
        expect(faultsOf(() => alone.get('Schema')!.process({ ...FACTS, content: schemas[1]!.content }))).to.equal([]);
        expect(() => alone.get('A')!.process({ ...FACTS, content: {} })).to.throw(/type A cannot be used, .*schema https:\/\/s\.example\/B, which does not exist/);
    });

    it('reuses the compiled schemas of unchanged types', () => {

        const marked: JsonObject = { 'cordra': { mark: 1 }, 'net.cnri.repository': { old: 2 }, 'properties': { c: { $ref: 'C' } } };
        const before = registryOf({ A: marked, B: NUMBER, C: {} });
        const after = registryOf({ A: structuredClone(marked), B: TEXT, C: {} }, {}, before);
        const changed = registryOf({ A: structuredClone(marked), B: TEXT, C: NUMBER }, {}, after);
        // Annotations carry the very object that linking made.
        const made = (registry: TypeRegistry): unknown => registry.get('A')!.annotate({})[0]?.keyword;

        expect(made(before)).to.shallow.equal(made(after));
        expect(made(changed)).to.not.shallow.equal(made(before));
        expect(made(changed)).to.equal(made(before));
    });

    it('follows the prefix of the design at once', () => {

        const schema = { items: {}, properties: { r: { cordra: { type: { handleReference: { prependHandleMintingConfigPrefix: true } } } } } };
        const before = registryOf({ A: schema });
        const after = registryOf({ A: schema }, { handleMintingConfig: { prefix: '20.500.123/' } }, before);
        const idOf = (registry: TypeRegistry): string | undefined =>
            registry.get('A')!.process({ ...FACTS, content: { r: 'x' } }).references[0]?.id;

        expect(idOf(before)).to.equal('test/x');
        expect(idOf(after)).to.equal('20.500.123/x');
    });

    it('is built quickly, even for a thousand types', () => {

        const types = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`T${i}`, { $id: `https://example.org/${i}`, ...NUMBER, $defs: { x: TEXT } }]));
        const elapsed = processorTime();
        const registry = registryOf(types);

        expect(elapsed()).to.be.below(10_000);
        expect(registry.names().length).to.equal(1002);
    });

    it('reads the extension keyword by its configured name', () => {

        const schema = { properties: { id: { ext: { type: { autoGeneratedField: 'handle' } } }, by: { 'net.cnri.repository': { type: { autoGeneratedField: 'createdBy' } } },
            no: { cordra: { type: { autoGeneratedField: 'handle' } } } } };
        const schemas = [{ id: 'x/1', content: { name: 'A', schema } }, ...initialTypes('ext').map((content, i) => ({ id: `x/t${i}`, content }))];
        const registry = TypeRegistry.build({ design: {}, schemas, extensionKeyword: 'ext', prefix: 'test' });

        expect<unknown>(registry.get('A')!.process({ ...FACTS, content: { by: '' } }).content).to.equal({ id: 'test/1', by: 'test/creator' });
        expect<unknown>(registry.get('User')!.process({ ...FACTS, content: { username: 'ann', password: 'x' } }).roles.username).to.equal({ pointer: '/username', value: 'ann' });
        expect<unknown>(registry.get('Schema')!.process({ ...FACTS, content: { name: 'N', schema: {} } }).content.identifier).to.equal('test/1');
    });

    describe('for access rules', () => {

        const acl = (who: string): JsonObject => ({ defaultAclRead: [who], defaultAclWrite: [], aclCreate: [] });

        it('has those of a new service', () => {

            const { accessRules } = registryOf({ User: NUMBER, Document: NUMBER });

            expect(accessRules.system).to.equal({ defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] });
            expect(accessRules.entryOf('User')).to.equal({ defaultAclRead: ['public'], defaultAclWrite: ['self'], aclCreate: [] });
            expect(accessRules.entryOf('Document')).to.be.undefined();
            expect([...accessRules.typeNames()]).to.equal(['Schema', 'CordraDesign', 'User', 'Document']);
        });

        it('has those of a new service when the design has none', () => {

            const { accessRules } = TypeRegistry.build({ design: {}, schemas: [], extensionKeyword: 'cordra', prefix: 'test' });

            expect(accessRules.system.aclCreate).to.equal(['authenticated']);
        });

        it('grants nothing that the design omits', () => {

            const { accessRules } = registryOf({}, { authConfig: {} });

            expect(accessRules.system).to.equal({ defaultAclRead: [], defaultAclWrite: [], aclCreate: [] });
        });

        it('does not apply rules for all types to changes of types and the design', () => {

            const open = { defaultAclRead: ['test/reader'], defaultAclWrite: ['public'], aclCreate: ['public'], aclModules: ['public'] };

            const { accessRules } = registryOf({}, { authConfig: { defaultAcls: open } });

            for (const type of ['Schema', 'CordraDesign']) {
                expect(accessRules.entryOf(type)).to.equal({ defaultAclRead: ['test/reader'], defaultAclWrite: [], aclCreate: [] });
            }

            expect(registryOf({}, { authConfig: { schemaAcls: { Schema: open } } }).accessRules.entryOf('Schema')).to.equal(open);
        });

        it('prefers those of the Schema object to those of the design', () => {

            const design = { authConfig: { schemaAcls: { A: acl('design'), B: acl('design'), Gone: acl('design') }, defaultAcls: acl('system') } };
            const { accessRules } = registryOf({ A: { schema: {}, authConfig: acl('schema') }, B: {}, C: {} }, design);

            expect(accessRules.entryOf('A')?.defaultAclRead).to.equal(['schema']);
            expect(accessRules.entryOf('B')?.defaultAclRead).to.equal(['design']);
            expect(accessRules.entryOf('C')).to.be.undefined();
            expect(accessRules.entryOf('Gone')?.defaultAclRead).to.equal(['design']);
            expect(accessRules.entryOf('constructor')).to.be.undefined();
        });
    });

    describe('for the design', () => {

        it('has defaults', () => {

            const { design, prefix } = registryOf({});

            expect(prefix).to.equal('test');
            expect(design.prefix).to.equal('test');
            expect(design.isReadOnly).to.be.false();
            expect(design.enableTypeChangeViaUpdate).to.be.false();
            expect(design.ids).to.equal([]);
            expect(design.baseUri).to.be.undefined();
            expect(design.adminPublicKey).to.be.undefined();
            expect(design.javascript).to.be.undefined();
        });

        it('reads the design object', () => {

            const { design } = registryOf({}, {
                isReadOnly: true, enableVersionEdits: 'true', ids: ['a', 5], adminPublicKey: { kty: 'RSA' }, javascript: 'x',
                handleMintingConfig: { prefix: '0.NA/20.500.123', baseUri: 'https://example.org/', javascript: 'y' }, builtInTypes: { Schema: { javascript: 'z' } }
            });

            expect(design.isReadOnly).to.be.true();
            expect(design.enableVersionEdits).to.be.false();
            expect(design.ids).to.equal(['a']);
            expect<unknown>(design.adminPublicKey).to.equal({ kty: 'RSA' });
            expect([design.prefix, design.baseUri, design.javascript, design.handleJavascript]).to.equal(['20.500.123', 'https://example.org/', 'x', 'y']);
        });

        it('contains the JavaScript of built-in types', () => {

            const registry = registryOf({}, { builtInTypes: { Schema: { javascript: 'z' } } });

            expect(registry.get('Schema')?.javascript).to.equal('z');
            expect(registry.get('CordraDesign')?.javascript).to.be.undefined();
        });

        it('accepts that of a new service', () => {

            const design = initialDesign({ prefix: '20.500.123', baseUri: 'https://example.org/' });
            const { content } = registryOf({}).get('CordraDesign')!.process({ ...FACTS, id: 'design', content: design });

            expect<unknown>(content).to.equal(design);
        });
    });
});
