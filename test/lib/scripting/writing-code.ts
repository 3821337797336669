/** Type code that changes objects, its own and others. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DEFAULT_LIMITS } from '../../../lib/scripting/pool/script-pool.js';
import { startGateway, type Answer, type TestGateway } from '../../support/gateway.js';
import { createSqlite, forEachDatabase } from '../../support/database.js';
import { changeDesign, contentOf, defineType, messageOf, OPEN_SCHEMA, put, startNodes, type Nodes } from '../../support/type-code.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const CONFLICT = '0.DOIP/Status.105';
const UPDATE = '0.DOIP/Op.Update';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const CALL = 'gateway/Op.Call';

/** Code whose method holds the object until another one is there. */
const KEEPING = `
    const cordra = require('cordra');
    exports.methods = {
        keep(object) {
            cordra.create({ id: 'test/kept-begun', type: 'Document', content: {} });
            while (!cordra.get('test/kept-go')) {}
        },
        touch(object) { object.content.touched = true; }
    };`;

/** Milliseconds that a writer waits by default, and at most on a busy machine. */
const WRITER_MS = 10_000;
const BUSY_MS = 60_000;
/** Milliseconds that writers of a counter may wait for each other: on a busy machine longer than the default. */
const PATIENT_MS = 120_000;

forEachDatabase((name, create) => {

    describe(`type code that writes, on ${name}`, () => {

        let nodes: Nodes;
        let node: TestGateway;

        before(async () => {

            nodes = await startNodes(create, { writeTimeoutMs: PATIENT_MS });
            ({ node } = nodes);
        });

        after(() => nodes.stop());

        it('that updates objects of each other ends, without partial changes', async () => {

            await defineType(node, 'Entangled', `
                const cordra = require('cordra');
                exports.beforeStorage = (object, context) => {
                    const other = cordra.get(object.content.other);
                    if (other && !object.content.quiet) { other.content.touched = (other.content.touched || 0) + 1; cordra.update(other); }
                };
            `);
            await node.create('Entangled', { other: 'test/e2', quiet: true }, { id: 'test/e1' });
            await node.create('Entangled', { other: 'test/e1', quiet: true }, { id: 'test/e2' });
            const change = (id: string, other: string): Promise<Answer> => node.asAdmin(UPDATE, {
                targetId: id, input: { attributes: { content: { other, mark: 1 } } }
            });

            const answers = await Promise.all([change('test/e1', 'test/e2'), change('test/e2', 'test/e1')]);
            const own = await node.asAdmin(UPDATE, { targetId: 'test/e1', input: { attributes: { content: { other: 'test/e1', own: true } } } });
            const after = contentOf(await node.asAdmin(RETRIEVE, { targetId: 'test/e1' }));

            expect(answers.every(({ status }) => status === OK || status === CONFLICT)).to.be.true();
            expect(own.status).to.equal(CONFLICT);
            expect<unknown>(after).to.not.include('own');
        });

        it('blocks other writers of an object, and callers of its methods, for a bounded time only', async () => {

            const place = await create();
            const impatient = await startGateway(place, { writeTimeoutMs: 300 });
            await defineType(impatient, 'Kept', KEEPING);
            const { id } = await impatient.create('Kept', {});
            const call = (method: string): Promise<Answer> => impatient.asAdmin(CALL, { targetId: id, attributes: { method } });
            const keeping = call('keep');
            await until(async () => (await impatient.asAdmin(RETRIEVE, { targetId: 'test/kept-begun' })).status === OK);

            const answers = await Promise.all([
                impatient.asAdmin(UPDATE, { targetId: id, input: { attributes: { content: {} } } }), call('touch'),
                impatient.asAdmin('0.DOIP/Op.Delete', { targetId: id }), impatient.asAdmin('20.DOIP/Op.Versions.Publish', { targetId: id })
            ]);
            await impatient.create('Document', {}, { id: 'test/kept-go' });

            expect(answers.map(({ status }) => status)).to.equal(answers.map(() => CONFLICT));
            expect(messageOf(answers[0])).to.equal(`${id} is busy, try again later`);
            expect((await keeping).status).to.equal(OK);
            await impatient.stop();
            await place.dispose();
        });

        it('makes calls that run as the service, without further hooks', async () => {

            await defineType(node, 'Audited', `
                const cordra = require('cordra');
                exports.beforeSchemaValidation = (object) => { object.content.hooked = true; };
                exports.afterCreateOrUpdate = (object, context) => {
                    if (!object.content.isTrail) {
                        cordra.create({ id: object.id + '-trail', type: 'Audited', content: { isTrail: true, by: context.userId || 'nobody' } });
                    }
                };
                exports.afterDelete = (object) => cordra.delete(object.id + '-trail');
            `);
            await node.create('Audited', {}, { id: 'test/audited' });
            const trail = await node.asAdmin(RETRIEVE, { targetId: 'test/audited-trail' });
            await node.asAdmin('0.DOIP/Op.Delete', { targetId: 'test/audited' });
            const gone = await node.asAdmin(RETRIEVE, { targetId: 'test/audited-trail' });

            expect<unknown>(contentOf(trail)).to.equal({ isTrail: true, by: 'admin', id: 'test/audited-trail' });
            expect(gone.status).to.equal('0.DOIP/Status.104');
        });

        it('increments a counter exactly, with concurrent calls on all nodes', async () => {

            await defineType(node, 'Tally', 'exports.methods = { up: (object) => { object.content.n = (object.content.n || 0) + 1; } };');
            const { id } = await node.create('Tally', {});

            const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => {

                return nodes.all[i % nodes.all.length]!.asAdmin(CALL, { targetId: id, attributes: { method: 'up' } });
            }));

            expect(answers.map(({ status }) => status)).to.equal(Array<string>(12).fill(OK));
            expect<unknown>(contentOf(await node.asAdmin(RETRIEVE, { targetId: id }))).to.include({ n: 12 });
        });

        it('edits versions of objects only if the design allows it', async () => {

            await defineType(node, 'Kept', 'exports.methods = { up: (object) => ++object.content.n, read: (object) => object.content.n };');
            await node.create('Kept', { n: 1 }, { id: 'test/kept' });
            const { value } = await node.asAdmin('20.DOIP/Op.Versions.Publish', { targetId: 'test/kept' });
            const { id } = value as { id: string };
            const call = (method: string): Promise<Answer> => node.asAdmin(CALL, { targetId: id, attributes: { method } });

            const refused = await call('up');
            const unchanged = await call('read');
            await changeDesign(node, { enableVersionEdits: true });
            const allowed = await call('up');
            await changeDesign(node, { enableVersionEdits: null });

            expect([refused.status, messageOf(refused)]).to.equal([BAD, 'Object versions cannot be edited']);
            expect([unchanged.value, allowed.value, (await call('read')).value]).to.equal([1, 2, 2]);
        });

        it('that deletes its own type gets a response to retry, not an internal error', async () => {

            const { id } = await node.create('Schema', {
                identifier: '', name: 'Fleeting', schema: OPEN_SCHEMA, javascript: `
                    const cordra = require('cordra');
                    exports.isGenerateIdLoopable = true;
                    exports.generateId = () => {
                        if (cordra.get('test/fleeting')) { cordra.delete('test/fleeting'); }
                        return 'test/taken';
                    };
                `
            }, { id: 'test/fleeting' });
            await node.create('Document', {}, { id: 'test/taken' });

            const answer = await put(node, 'Fleeting', {});
            const again = await put(node, 'Fleeting', {});

            expect(id).to.equal('test/fleeting');
            expect([answer.http, messageOf(answer)]).to.equal([503, 'type Fleeting has changed meanwhile, try again']);
            expect<unknown>(answer.attributes['retryAfter']).to.equal(1);
            expect([again.status, messageOf(again)]).to.equal([BAD, 'Unknown type Fleeting']);
        });
    });
});

describe('a writer of an object that type code holds', () => {

    it('waits for ten seconds by default', async () => {

        const place = await createSqlite();
        const node = await startGateway(place, { scripts: { ...DEFAULT_LIMITS, timeout: 100_000 } });
        await defineType(node, 'Kept', KEEPING);
        const { id } = await node.create('Kept', {});
        const keeping = node.asAdmin(CALL, { targetId: id, attributes: { method: 'keep' } });
        await until(async () => (await node.asAdmin(RETRIEVE, { targetId: 'test/kept-begun' })).status === OK);

        const begun = performance.now();
        const { status } = await node.asAdmin(UPDATE, { targetId: id, input: { attributes: { content: {} } } });
        const waited = performance.now() - begun;
        await node.create('Document', {}, { id: 'test/kept-go' });

        expect(status).to.equal(CONFLICT);
        expect(waited).to.be.between(WRITER_MS - 100, BUSY_MS);
        expect((await keeping).status).to.equal(OK);
        await node.stop();
        await place.dispose();
    });
});
