/** Elements by native DOIP that are sent as JSON segments. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { ADMIN, BAD, NativeClient, nativePort, OK } from '../support/native.js';
import type { TestServer } from '../support/server.js';
import { startServer } from '../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Text of a first segment. */
const head = (operation: string, more: JsonObject = {}): string =>
    JSON.stringify({ requestId: 'r', targetId: 'service', operationId: operation, authentication: ADMIN, ...more });

const compact = (operation: string, more: JsonObject = {}): string => `${head(operation, more)}\n#\n#\n`;

const OBJECT = JSON.stringify({
    type: 'Document', attributes: { content: { text: 'JSON' } }, elements: [{ id: 'a' }, { id: 'b', type: 'application/json' }]
});

describe('an input of JSON segments by native DOIP', () => {

    let test: TestServer;
    let client: NativeClient;

    before(async () => {

        test = await startServer({ DOIP_PORT: 0 });
        client = await NativeClient.open(nativePort(test));
    });

    after(async () => {

        client.close();
        await test.stop();
    });

    it('has elements that are stored as they were sent', async () => {

        const texts = ['{ "x" : 1 }', '{"n":1.0, "n":1e400,\n\n  "\\ud800": [01]}\n', '"é"', '[1'];
        for (const [index, text] of texts.entries()) {
            const sent = `${head(Op.create)}\n#\n${OBJECT}\n#\n{"id":"a"}\n#\n${text}\n#\n{"id":"b"}\n#\n${text}\n#\n#\n`;
            await client.send(sent, { byOctet: index === 1 });
            const { head: { status, output } } = (await client.receive())!;
            expect(status, text).to.equal(OK);
            const { id: targetId, elements } = output as { id: string; elements: JsonObject[] };
            const bytes = Buffer.from(text);
            expect<unknown>(elements.map(({ length, type }) => [length, type])).to.equal([[bytes.length, undefined], [bytes.length, 'application/json']]);
            for (const element of ['a', 'b']) {
                expect((await client.ask(compact(Op.retrieve, { targetId, attributes: { element } }))).segments).to.equal([{ bytes: bytes.toString('latin1') }]);
            }
        }
    });

    it('reads other JSON that follows the object', async () => {

        const parts = `${head(Op.create)}\n#\n{"type":"Document","elements":[{"id":"a"}]}\n#\n{"attributes":{"content":{"text":"later"}}}\n#\n{"id":"a"}\n#\n@\n1\nx\n#\n#\n`;
        expect((await client.ask(parts)).head).to.part.include({ status: OK, output: { attributes: { content: { text: 'later' } } } });
        const faulty = await client.ask(`${head(Op.create)}\n#\n${OBJECT}\n#\n{"id":"a","id":"b"}\n#\n{}\n#\n#\n`);
        expect([faulty.head.status, faulty.head.attributes?.['message']]).to.equal([BAD, '/id: property occurs more than once']);
    });
});
