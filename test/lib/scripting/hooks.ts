import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import type { TestDatabase } from '../../support/database.js';
import type { Answer, TestGateway } from '../../support/gateway.js';
import { bytesSegment, jsonSegment } from '../../../lib/doip/segments.js';
import { forEachDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { defineType } from '../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CREATE = '0.DOIP/Op.Create';
const UPDATE = '0.DOIP/Op.Update';
const RETRIEVE = '0.DOIP/Op.Retrieve';
const DELETE = '0.DOIP/Op.Delete';

/** Writes down every hook that runs, in an object of its own. */
const RECORDER = `
const cordra = require('cordra');
const HOOKS = ['beforeSchemaValidation', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing', 'afterCreateOrUpdate',
    'onObjectResolution', 'onPayloadResolution', 'beforeDelete', 'afterDelete'];
for (const hook of HOOKS) {
    exports[hook] = function (object, context) {
        if (object.content.quiet) { return object; }
        const log = cordra.get('test/log');
        log.content.lines.push({ type: object.type, hook, id: object.id, context: context });
        cordra.update(log);
        return object;
    };
}
`;

interface Line {
    readonly type: string;
    readonly hook: string;
    readonly id?: string;
    readonly context: JsonObject;
}

forEachDatabase((name, create) => {

    describe(`hooks on ${name}`, () => {

        let database: TestDatabase;
        let node: TestGateway;

        before(async () => {

            database = await create();
            node = await startGateway(database);
            await node.create('Document', { lines: [] }, { id: 'test/log' });
            await defineType(node, 'Recorded', RECORDER);
            await defineType(node, 'Recorded2', RECORDER);
        });

        after(async () => {

            await node.stop();
            await database.dispose();
        });

        async function recorded(work: () => Promise<unknown>): Promise<Line[]> {

            await node.asAdmin(UPDATE, { targetId: 'test/log', input: { attributes: { content: { lines: [] } } } });
            await work();
            const { value } = await node.asAdmin(RETRIEVE, { targetId: 'test/log', attributes: { jsonPointer: '/lines' } });
            return value as Line[];
        }

        const contentOf = ({ value }: Answer): JsonObject => (value as { attributes: { content: JsonObject } }).attributes.content;

        const hooksOf = (lines: readonly Line[]): string[] => lines.map(({ type, hook }) => `${type} ${hook}`);

        it('run in order for a creation, each with its context', async () => {

            const lines = await recorded(() => node.asAdmin(CREATE, {
                attributes: { requestContext: { from: 'test' } },
                input: [
                    jsonSegment({ id: 'test/r1', type: 'Recorded', attributes: { content: { a: 1 } }, elements: [{ id: 'scan', type: 'text/plain' }] }),
                    jsonSegment({ id: 'scan' }), bytesSegment(Buffer.from('abc'))
                ]
            }));

            expect(hooksOf(lines)).to.equal([
                'Recorded beforeSchemaValidation', 'Recorded beforeSchemaValidationWithId', 'Recorded beforeStorage',
                'Recorded objectForIndexing', 'Recorded afterCreateOrUpdate'
            ]);
            expect<unknown>(lines[0]!.context).to.equal({
                objectId: 'test/r1', userId: 'admin', groups: [], grantAuthenticatedAccess: true, requestContext: { from: 'test' },
                isNew: true, isUpdate: false, newPayloads: [{ name: 'scan', mediaType: 'text/plain', size: 3 }], payloadsToDelete: [],
                effectiveAcl: { readers: ['public'], writers: ['creator'] }, aclCreate: ['authenticated']
            });
            expect<unknown>(lines[3]!.context).to.equal({ objectId: 'test/r1' });
        });

        it('run in order for an update, with the object before it', async () => {

            await node.create('Recorded', { quiet: true }, { id: 'test/r2' });
            const lines = await recorded(() => node.asAdmin(UPDATE, {
                targetId: 'test/r2', attributes: { elementsToDelete: ['gone'] }, input: { attributes: { content: { b: 2 } } }
            }));

            expect(hooksOf(lines)).to.equal([
                'Recorded beforeSchemaValidation', 'Recorded beforeSchemaValidationWithId', 'Recorded beforeStorage',
                'Recorded objectForIndexing', 'Recorded afterCreateOrUpdate'
            ]);
            expect<unknown>(lines[0]!.context).to.include({ isNew: false, isUpdate: true, payloadsToDelete: ['gone'] });
            expect<unknown>((lines[0]!.context['originalObject'] as JsonObject)['content']).to.equal({ quiet: true, id: 'test/r2' });
        });

        it('of both types run when an update changes the type', async () => {

            await node.create('Recorded', { id: '' }, { id: 'test/r3' });
            const lines = await recorded(() => node.asAdmin(UPDATE, {
                targetId: 'test/r3', allowTypeChange: true, input: { type: 'Recorded2', attributes: { content: { id: '' } } }
            }));

            expect(hooksOf(lines)).to.equal([
                'Recorded2 beforeSchemaValidation', 'Recorded2 beforeSchemaValidationWithId', 'Recorded beforeDelete', 'Recorded2 beforeStorage',
                'Recorded2 objectForIndexing', 'Recorded afterDelete', 'Recorded2 afterCreateOrUpdate'
            ]);
            expect<unknown>(lines[0]!.context).to.include({ isNew: true, isUpdate: true });
            expect<unknown>(lines[2]!.context).to.include({ isUpdate: true });
            expect<unknown>(lines[6]!.context).to.include({ isNew: true, isUpdate: true });
        });

        it('run around a deletion', async () => {

            await node.create('Recorded', { id: '' }, { id: 'test/r4' });
            const lines = await recorded(() => node.asAdmin(DELETE, { targetId: 'test/r4' }));

            expect(hooksOf(lines)).to.equal(['Recorded beforeDelete', 'Recorded afterDelete']);
        });

        it('run before an object or its bytes are returned', async () => {

            await node.asAdmin(CREATE, {
                input: [
                    jsonSegment({ id: 'test/r5', type: 'Recorded', attributes: { content: {} } }),
                    jsonSegment({ id: 'scan' }), bytesSegment(Buffer.from('abcdef'))
                ]
            });
            const lines = await recorded(async () => {

                await node.perform(RETRIEVE, { targetId: 'test/r5' });
                await node.perform(RETRIEVE, { targetId: 'test/r5', attributes: { element: 'scan', range: { start: 1, end: 2 } } });
            });

            expect(hooksOf(lines)).to.equal([
                'Recorded onObjectResolution', 'Recorded onObjectResolution', 'Recorded onPayloadResolution'
            ]);
            expect<unknown>(lines[2]!.context).to.include({ payload: 'scan', start: 1, end: 2 });
            expect<unknown>(lines[0]!.context).to.not.include('userId');
        });

        it('store nothing in a dry run, which skips later hooks', async () => {

            const code = RECORDER.replace('cordra.update(log);', 'if (context.isDryRun !== true || hook === \'afterCreateOrUpdate\') { throw hook; } cordra.update(log);');
            await defineType(node, 'Rehearsed', code.replace(/'objectForIndexing', /, ''));
            let answer: Answer | undefined;
            const lines = await recorded(async () => {

                answer = await node.asAdmin(CREATE, { attributes: { dryRun: true }, input: { type: 'Rehearsed', attributes: { content: { a: 1 } } } });
            });

            expect<unknown>(answer?.value).to.include('attributes');
            expect<unknown>(contentOf(answer!)['a']).to.equal(1);
            expect(lines).to.equal([]);
        });

        it('reject a dry run as they would reject the change', async () => {

            await defineType(node, 'Picky', `
                const HOOKS = ['beforeSchemaValidation', 'generateId', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing'];
                HOOKS.forEach((hook) => { exports[hook] = (object) => { if (object.content.hook === hook) { throw 'not by ' + hook; } }; });
            `);
            await node.create('Picky', {}, { id: 'test/picky' });
            const said: unknown[] = [];
            const expected: unknown[] = [];
            for (const hook of ['beforeSchemaValidation', 'generateId', 'beforeSchemaValidationWithId', 'beforeStorage', 'objectForIndexing']) {
                for (const dryRun of [true, false]) {
                    const input = { type: 'Picky', attributes: { content: { hook } } };
                    const created = await node.asAdmin(CREATE, { attributes: { dryRun }, input });
                    const updated = await node.asAdmin(UPDATE, { targetId: 'test/picky', attributes: { dryRun }, input });
                    said.push(created.value, hook === 'generateId' ? null : updated.value);
                    expected.push({ message: `not by ${hook}` }, hook === 'generateId' ? null : { message: `not by ${hook}` });
                }
            }

            expect(said).to.equal(expected);
        });
    });
});
