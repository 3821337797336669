/** References in schemas of programs and of type code: each in the OpenAPI document leads somewhere. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Joi from 'joi';
import { pino } from 'pino';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { LocalReferences, referencesOf } from '../../../lib/json/schema-references.js';
import { configure } from '../../../lib/config/index.js';
import { defineOwnOperation } from '../../../lib/core/own-operation.js';
import { result } from '../../../lib/core/operation.js';
import { createServer, serverUrl } from '../../../lib/server.js';
import { createSqlite } from '../../support/database.js';
import { ADMIN_PASSWORD, QUICK } from '../../support/gateway.js';
import { ADMIN_HEADERS } from '../../support/rest.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const node = Joi.object({ name: Joi.string(), children: Joi.array().items(Joi.link('#node')) }).id('node');

const CODE = `exports.methods = { walk: (object, context) => context.params };
    exports.methods.walk.description = {
        params: { contains: { $ref: '#/$defs/s' }, $defs: { s: { items: { $ref: '#' } }, 'a/b': { type: 'number' } }, not: { $ref: '#/$defs/a~1b' } }
    };`;

describe('references in schemas', () => {

    let document: JsonObject = {};
    let operations: readonly JsonObject[] = [];
    let stop: () => Promise<void>;

    before(async () => {

        const database = await createSqlite();
        const config = configure({ PORT: 0, DOIP_PORT: '', DATA_DIR: database.options.dataDir, ADMIN_PASSWORD, HANDLE_PREFIX: 'test' });
        const server = await createServer(config, { log: pino({ level: 'silent' }), passwordCost: QUICK });
        server.plugins['doip-gateway'].gateway.registerOperation(defineOwnOperation({
            id: 'x/Op.Walk', summary: 'walk a tree', target: 'service', methods: ['POST'], authorise: 'anyone',
            attributes: Joi.object({ tree: node, 'a/b': Joi.number(), up: Joi.array().items(Joi.link('...')) }),
            input: 'json', inputSchema: Joi.object({ name: Joi.string(), next: Joi.link('#me') }).id('me'),
            resultSchema: { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { n: { type: 'integer' } }, items: { $ref: '#/definitions/n' } },
            handler: ({ input }) => Promise.resolve(result.json(Boolean(input)))
        }));
        await server.start();
        const url = serverUrl(server, config);
        stop = async () => {

            await server.stop();
            await database.dispose();
        };

        const headers = { ...ADMIN_HEADERS, 'content-type': 'application/json' };
        const body = JSON.stringify({ name: 'Walked', schema: { type: 'object' }, javascript: CODE });
        const stored = await fetch(`${url}/objects?type=Schema`, { method: 'POST', body, headers });
        expect(stored.status, await stored.text()).to.equal(200);
        await until(async () => {

            document = await (await fetch(`${url}/openapi.json`, { headers })).json() as JsonObject;
            return JSON.stringify(document).includes('instance.params.Walked__walk');
        });
        operations = await (await fetch(`${url}/doip?operationId=0.DOIP/Op.ListOperations&targetId=service&attributes.describe=true`, { headers })).json() as JsonObject[];
    });

    after(() => stop());

    it('lead somewhere in the whole document, and those of programs and type code are kept', () => {

        const references = [...referencesOf(document)].filter((reference) => reference.startsWith('#/components/'));
        const local = new LocalReferences(document);

        expect(references.filter((reference) => local.pointerOf(reference) === null)).to.equal([]);
        expect(references).to.include([
            '#/components/schemas/attributes.x_002fOp.Walk/$defs/node', '#/components/schemas/attributes.x_002fOp.Walk/properties/tree',
            '#/components/schemas/attributes.x_002fOp.Walk/properties/a~1b', '#/components/schemas/input.x_002fOp.Walk',
            '#/components/schemas/result.x_002fOp.Walk/definitions/n', '#/components/schemas/instance.params.Walked__walk',
            '#/components/schemas/instance.params.Walked__walk/$defs/s', '#/components/schemas/instance.params.Walked__walk/$defs/a~1b'
        ]);
    });

    it('lead somewhere in the descriptions of operations, each on its own', () => {

        const walk = operations.find(({ id }) => id === 'x/Op.Walk') as JsonObject & Record<'attributes' | 'input' | 'result', JsonObject>;
        for (const schema of [walk.attributes, walk.input, walk.result]) {
            const local = new LocalReferences(schema);
            expect([...referencesOf(schema)].map((reference) => local.pointerOf(reference) === null)).to.equal([false]);
        }
    });

    it('are those of an independent validator', async () => {

        const { Validator } = await import('@seriousme/openapi-schema-validator');
        const validator = new Validator();
        const { valid, errors } = await validator.validate(structuredClone(document));
        expect<unknown>(errors ?? []).to.equal([]);
        expect(valid).to.be.true();
        expect(() => validator.resolveRefs()).to.not.throw();
    });
});
