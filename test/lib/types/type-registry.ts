import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/doip/json.js';
import { initialDesign, initialTypes } from '../../../lib/types/initial-content.js';
import { TypeRegistry } from '../../../lib/types/type-registry.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('A registry of types', () => {

    it('knows the built-in types and those of a fresh service', () => {

        const schemas = initialTypes('cordra').map((content: JsonObject, index) => ({ id: `test/${index}`, content }));
        const registry = TypeRegistry.build({
            design: initialDesign({ prefix: 'test' }), schemas, extensionKeyword: 'cordra', prefix: 'test'
        });

        expect(registry.names()).to.equal(['Schema', 'CordraDesign', 'User', 'Group', 'Document']);
        for (const { content } of schemas) {
            const { content: stored } = registry.get('Schema')!.process({
                content, id: 'test/x', createdOn: 0, modifiedOn: 0, createdBy: 'admin', modifiedBy: 'admin'
            });
            expect<unknown>(stored.identifier).to.equal('test/x');
        }
    });
});
