/** Preconditions between nodes that share a database: of many editors at any node and by any protocol one succeeds, whatever they change. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { TestDatabase } from '../support/database.js';
import type { Received, RestService } from '../support/rest-service.js';
import { DIALECTS } from '../support/database.js';
import { ADMIN, NativeClient } from '../support/native.js';
import { jsonOf, multipart } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const JSON_TYPE = { 'content-type': 'application/json' };
const EDITORS = 12;

/** An attempt of an editor at a node: true if it succeeded, false if the precondition did not hold. */
type Attempt = (node: RestService, text: string) => Promise<boolean>;

type Attempts = (id: string, tag: string) => readonly Attempt[];

const STATUSES: Readonly<Record<string, boolean>> = { '0.DOIP/Status.001': true, '0.DOIP/Status.105': false };

const MYSQL = DIALECTS.find(({ dialect }) => dialect === 'mysql');
if (MYSQL) {
    describe('editors at two nodes', () => {

        let database: TestDatabase;
        let nodes: readonly RestService[] = [];
        let count = 0;

        before(async () => {

            database = await MYSQL.create();
            const shared = { ...database, dispose: () => Promise.resolve() };
            const start = (): Promise<RestService> => startRest(() => Promise.resolve(shared), 'http/1.1', { DOIP_PORT: 0 });
            nodes = [await start(), await start()];
        });

        after(async () => {

            await Promise.all(nodes.map((node) => node.stop()));
            await database.dispose();
        });

        const succeeded = ({ statusCode, payload }: Received): boolean => {

            if (statusCode !== 200 && statusCode !== 412) {
                throw new Error(`${statusCode} ${payload}`);
            }

            return statusCode === 200;
        };

        const rest = async (node: RestService, line: string, payload: unknown, tag: string): Promise<boolean> =>
            succeeded(await node.asAdmin(line, { payload: JSON.stringify(payload), headers: { ...JSON_TYPE, 'if-match': `"${tag}"` } }));
        const form = async (node: RestService, line: string, text: string, tag: string): Promise<boolean> => {

            const { headers, payload } = multipart({ name: 'content', value: '{}' }, { name: 'scan', filename: 'scan', value: text });
            return succeeded(await node.asAdmin(line, { payload, headers: { ...headers, 'if-match': `"${tag}"` } }));
        };

        const native = async (node: RestService, targetId: string, { tag, content }: { tag: string; content: JsonObject }): Promise<boolean> => {

            const client = await NativeClient.open(node.gateway.services.endpoint().native?.port ?? 0);
            try {
                const { head } = await client.ask(`${JSON.stringify({
                    targetId, operationId: '0.DOIP/Op.Update', authentication: ADMIN, attributes: { ifMatch: tag }, input: { id: targetId, attributes: { content } }
                })}\n#\n#\n`);
                const done = STATUSES[head.status];
                if (done === undefined) {
                    throw new Error(JSON.stringify(head));
                }

                return done;
            }
            finally {
                client.close();
            }
        };

        /** Attempts at one object, in turns by each way; what shows the winner. */
        const CASES: readonly (readonly [title: string, attempts: Attempts, shown: (id: string) => Promise<unknown>])[] = [
            ['of an object', (id, tag) => [
                (node, text) => rest(node, `PUT /objects/${id}`, { text }, tag),
                (node, text) => rest(node, `POST /doip/0.DOIP/Op.Update?targetId=${id}`, { id, attributes: { content: { text } } }, tag),
                (node, text) => native(node, id, { tag, content: { text } })
            ], async (id) => jsonOf(await nodes[0]!.asAdmin(`GET /objects/${id}`))['text']],
            ['of a part, and of the whole', (id, tag) => [
                (node, text) => rest(node, `PUT /objects/${id}?jsonPointer=/text`, text, tag),
                (node, text) => rest(node, `PUT /objects/${id}`, { text }, tag)
            ], async (id) => jsonOf(await nodes[1]!.asAdmin(`GET /objects/${id}`))['text']],
            ['of a payload, and of the whole', (id, tag) => [
                (node, text) => form(node, `PUT /objects/${id}`, text, tag),
                (node) => rest(node, `PUT /objects/${id}`, {}, tag)
            ], async (id) => (await nodes[0]!.asAdmin(`GET /objects/${id}?payload=scan`)).payload],
            ['of an access control list', (id, tag) => [
                (node, text) => rest(node, `PUT /acls/${id}`, { readers: [text] }, tag),
                (node, text) => rest(node, `POST /doip/gateway/Op.Acls.Update?targetId=${id}`, { readers: [text] }, tag)
            ], async (id) => (jsonOf(await nodes[1]!.asAdmin(`GET /acls/${id}`))['readers'] as string[])[0]]
        ];

        for (const [title, attemptsAt, shown] of CASES) {
            it(`${title}: one succeeds, and all others are told`, async () => {

                for (let round = 0; round < 5; ++round) {
                    const id = `test/edited-${++count}`;
                    const { metadata } = await nodes[0]!.create('Document', { text: 'first' }, `handle=${id}`) as unknown as { metadata: { txnId: number } };
                    const attempts = attemptsAt(id, String(metadata.txnId));
                    const done = await Promise.all(Array.from({ length: EDITORS }, (_, n) => attempts[n % attempts.length]!(nodes[n % 5 % 2]!, `editor-${n}`)));
                    const winners = done.flatMap((isDone, n) => (isDone ? [n] : []));

                    expect(winners.length, `${title} ${winners.join()}`).to.equal(1);
                    const isWhole = title.startsWith('of a payload') && winners[0]! % 2 === 1;
                    expect(await shown(id)).to.equal(isWhole ? JSON.stringify({ message: `No payload scan in object ${id}` }) : `editor-${winners[0]}`);
                    expect((await nodes[1]!.asAdmin(`GET /objects/${id}`)).headers['etag']).to.equal((await nodes[0]!.asAdmin(`GET /objects/${id}`)).headers['etag']);
                }
            });
        }

        it('of a type: one succeeds, and both nodes have the same', async () => {

            for (let round = 0; round < 5; ++round) {
                const schemas = `/schemas/Edited${++count}`;
                const created = await nodes[0]!.asAdmin(`PUT ${schemas}`, { payload: '{"title":"first"}', headers: JSON_TYPE });
                const tag = String(created.headers['etag']).replaceAll('"', '');
                const done = await Promise.all(Array.from({ length: EDITORS }, (_, n) => rest(nodes[n % 2]!, `PUT ${schemas}`, { title: `editor-${n}` }, tag)));
                const winners = done.flatMap((isDone, n) => (isDone ? [n] : []));

                expect(winners.length, winners.join()).to.equal(1);
                for (const node of nodes) {
                    expect(jsonOf(await node.asAdmin(`GET ${schemas}`))['title']).to.equal(`editor-${winners[0]}`);
                }
            }
        });

        it('of an object that one deletes: nothing is created anew', async () => {

            for (let round = 0; round < 5; ++round) {
                const id = `test/edited-${++count}`;
                const { metadata } = await nodes[0]!.create('Document', { text: 'first' }, `handle=${id}`) as unknown as { metadata: { txnId: number } };
                const headers = { ...JSON_TYPE, 'if-match': `"${metadata.txnId}"` };
                const answers = await Promise.all(Array.from({ length: EDITORS }, (_, n) => (n % 2 === 0 ?
                    nodes[n % 3 % 2]!.asAdmin(`DELETE /objects/${id}`, { headers }) :
                    nodes[n % 3 % 2]!.asAdmin(`PUT /objects/${id}`, { payload: '{"text":"new"}', headers }))));
                const winners = answers.flatMap(({ statusCode }, n) => (statusCode === 200 ? [n] : []));

                expect(winners.length, answers.map(({ statusCode }) => statusCode).join()).to.equal(1);
                expect(answers.filter(({ statusCode }) => ![200, 404, 412].includes(statusCode))).to.equal([]);
                expect((await nodes[1]!.asAdmin(`GET /objects/${id}`)).statusCode).to.equal(winners[0]! % 2 === 0 ? 404 : 200);
            }
        });
    });
}
