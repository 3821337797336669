/** Limits of the bytes that a user sends to be stored, by every way in: what is beyond is rejected, and not stored. */

import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';
import { NativeClient } from '../support/native.js';
import type { FormPart } from '../support/rest.js';
import { basic, jsonOf, multipart } from '../support/rest.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const WINDOW = 86_400;
const LIMIT = 20_000;
const PASSWORD = 'password of a user';
const JSON_TYPE = { 'content-type': 'application/json' };
const NDJSON_TYPE = { 'content-type': 'application/x-ndjson' };

/** A user, and an object of that user. */
interface Sender {
    readonly username: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly id: string;
}

/** Sends a text of some length to be stored; returns the status of HTTP. */
type Way = (service: RestService, sender: Sender, text: string) => Promise<number>;

/** Statuses of HTTP for those of DOIP. */
const STATUSES: Readonly<Record<string, number>> = { '0.DOIP/Status.001': 200, '0.DOIP/Status.101': 429 };

function rest(line: (id: string) => string, payload: (text: string, id: string) => string, type: Record<string, string> = JSON_TYPE): Way {

    return async (service, { headers, id }, text) => {

        const { statusCode, payload: answer } = await service.anonymously(line(id), { headers: { ...headers, ...type }, payload: payload(text, id) });
        const { results = [] } = (statusCode === 200 && line(id).includes('batchUpload') ? JSON.parse(answer) : {}) as { results?: { responseCode: number }[] };
        return Math.max(statusCode, ...results.map(({ responseCode }) => responseCode));
    };
}

function form(line: (id: string) => string, parts: (text: string) => readonly FormPart[]): Way {

    return async (service, { headers, id }, text) => {

        const { headers: own, payload } = multipart(...parts(text));
        return (await service.anonymously(line(id), { headers: { ...headers, ...own }, payload })).statusCode;
    };
}

/** Without a length of the body. */
function chunked(line: (id: string) => string, payload: (text: string, id: string) => string, type: Record<string, string> = JSON_TYPE): Way {

    return async (service, { headers, id }, text) => {

        const [method, path] = line(id).split(' ');
        const sent = request(service.url + path, { method, headers: { ...headers, ...type } });
        sent.on('error', () => undefined);
        const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
        const whole = payload(text, id);
        for (let start = 0; start < whole.length; start += 1000) {
            sent.write(whole.slice(start, start + 1000));
        }

        sent.end();
        const [response] = await answered;
        const answer = await textOf(response).catch(() => '');
        const codes = [...answer.matchAll(/"responseCode":(\d+)/g)].map(([, code]) => Number(code));
        return Math.max(Number(response.statusCode), ...codes);
    };
}

function native(message: (text: string, sender: Sender) => string): Way {

    return async (service, sender, text) => {

        const client = await NativeClient.open(service.gateway.services.endpoint().native?.port ?? 0);
        try {
            const { head } = await client.ask(message(text, sender));
            return STATUSES[head.status] ?? 0;
        }
        finally {
            client.close();
        }
    };
}

const content = (text: string): string => JSON.stringify({ text });
const doip = (text: string, id: string): string => JSON.stringify({ id, attributes: { content: { text } } });
const line = (text: string, id: string): string => JSON.stringify({ id, type: 'Document', content: { text } });
const headOf = (operationId: string, { username, id }: Sender, more: object = {}): string =>
    JSON.stringify({ targetId: id, operationId, authentication: { username, password: PASSWORD }, ...more });

const WAYS: readonly (readonly [title: string, way: Way])[] = [
    ['an update by REST', rest((id) => `PUT /objects/${id}`, content)],
    ['an update by REST without a length', chunked((id) => `PUT /objects/${id}`, content)],
    ['an update of a part', rest((id) => `PUT /objects/${id}?jsonPointer=/text`, (text) => JSON.stringify(text))],
    ['a form with a payload', form((id) => `PUT /objects/${id}`, (text) => [{ name: 'content', value: '{}' }, { name: 'p', filename: 'p', value: text }])],
    ['a form with content alone', form((id) => `PUT /objects/${id}`, (text) => [{ name: 'content', value: content(text) }])],
    ['an access control list', rest((id) => `PUT /acls/${id}`, (text) => JSON.stringify({ writers: ['creator'], readers: text.match(/.{100}/g) }))],
    ['a batch', rest(() => 'POST /batchUpload', (text, id) => `[${line(text, id)}]`)],
    ['a batch of lines', rest(() => 'POST /batchUpload?format=ndjson', line, NDJSON_TYPE)],
    ['a batch of lines without a length', chunked(() => 'POST /batchUpload?format=ndjson', line, NDJSON_TYPE)],
    ['DOIP over HTTP', rest((id) => `POST /doip/0.DOIP/Op.Update?targetId=${id}`, doip)],
    ['DOIP over HTTP without a length', chunked((id) => `POST /doip/0.DOIP/Op.Update?targetId=${id}`, doip)],
    ['native DOIP, in the first segment', native((text, sender) =>
        `${headOf('0.DOIP/Op.Update', sender, { input: JSON.parse(doip(text, sender.id)) as unknown })}\n#\n#\n`)],
    ['native DOIP, in a segment of JSON', native((text, sender) => `${headOf('0.DOIP/Op.Update', sender)}\n#\n${doip(text, sender.id)}\n#\n#\n`)],
    ['native DOIP, in a segment of bytes', native((text, sender) =>
        `${headOf('0.DOIP/Op.Update', sender)}\n#\n${JSON.stringify({ id: sender.id, attributes: { content: {} }, elements: [{ id: 'p' }] })}\n#\n` +
        `{"id":"p"}\n#\n@\n${text.length}\n${text}\n#\n#\n`)]
];

onEveryDatabase((name, start) => {

    describe(`the rate of bytes, ${name}, limits`, () => {

        let service: RestService;
        let users = 0;

        before(async () => {

            service = await start({ RATE_LIMIT_BYTES_SECONDS: WINDOW, RATE_LIMIT_USER_BYTES: LIMIT, DOIP_PORT: 0 });
        });

        after(() => service.stop());

        const newSender = async (): Promise<Sender> => {

            const username = `sender-${++users}`;
            await service.create('User', { username, password: PASSWORD });
            const headers = basic(username, PASSWORD);
            const id = `test/of-${username}`;
            expect((await service.anonymously(`POST /objects?type=Document&handle=${id}`, { headers, payload: '{}' })).statusCode).to.equal(200);
            return { username, headers, id };
        };

        for (const [title, way] of WAYS) {
            it(title, async () => {

                const sender = await newSender();
                const txnOf = async (): Promise<unknown> =>
                    (jsonOf(await service.asAdmin(`GET /objects/${sender.id}?full`))['metadata'] as { txnId: number }).txnId;
                const first = await way(service, sender, 'a'.repeat(LIMIT - 5000));
                const stored = await txnOf();
                const beyond = await way(service, sender, 'b'.repeat(6000));
                const { 'ratelimit': state } = (await service.anonymously('GET /objects/design', { headers: sender.headers })).headers;

                expect([first, beyond]).to.equal([200, 429]);
                expect(await txnOf()).to.equal(stored);
                expect(Number(/"user-bytes";r=(\d+)/.exec(String(state))?.[1])).to.be.below(5000);
            });
        }
    });
});
