/**
 * Calls that benchmarks make over HTTP, and the objects that they are about.
 */

import { request } from 'node:http';
import type { Agent } from 'node:http';
import type { MeasuredProcess } from './measured-process.js';

export const PASSWORD = 'bench-password';
export const MIB = 1024 * 1024;

const BASIC = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';
const BOUNDARY = 'boundary';

/** How many objects have the same value of `tag`, `series` and the word `theme…`. */
const TAGS = 20;
const SERIES = 1000;
const THEMES = 200;

/** Objects in a request of a batch upload. */
const UPLOADED = 1000;

const SCHEMA = {
    type: 'object',
    required: ['name'],
    properties: {
        name: { type: 'string' }, description: { type: 'string' }, number: { type: 'integer' },
        tag: { type: 'string' }, series: { type: 'string' }, made: { type: 'string', format: 'date-time' }
    }
};

/** Types with their code. */
const TYPES: Readonly<Record<string, string>> = {
    Record: '',
    Shown: 'exports.onObjectResolution = (object) => { object.content.shown = true; return object; };',
    Checked: 'exports.beforeSchemaValidation = (object) => { object.content.checked = true; return object; };'
};

/** A server to which calls are sent. */
export interface Target {
    readonly name: string;
    readonly server: MeasuredProcess;
    readonly agent: Agent;
    /** Access token of the administrator. */
    readonly token: string;
    /** How many objects `test/<n>` there are. */
    readonly objects: number;
}

export interface Call {
    readonly method: string;
    readonly path: string;
    readonly body?: string | Buffer;
    readonly type?: string;
    readonly authorization?: string;
}

/** Makes the nth call of a kind. */
export type Kind = (n: number, target: Target) => Call;

/** Id of an object, another one for each of as many numbers as there are objects. */
export function idOf(n: number, { objects }: Pick<Target, 'objects'>): string {

    return `test/${n * 7 % objects}`;
}

export function search(query: string, more = ''): Call {

    return { method: 'GET', path: `/search?pageSize=10&query=${encodeURIComponent(query)}${more}` };
}

/** Content of 2 KB. */
export function content(n: number): string {

    const description = `common word${n}x theme${n % THEMES} ${'lorem ipsum dolor sit amet '.repeat(70)}`;
    return JSON.stringify({
        name: `record ${n}`, description, number: n, tag: `tag${n % TAGS}`, series: `s${n % SERIES}`, made: new Date(1e12 + n * 1e6).toISOString()
    });
}

/** Lines of a batch upload of new objects. */
export function batchOf(count: number, nextNumber: () => number): string {

    return Array.from({ length: count }, () => `{"type":"Record","content":${content(nextNumber())}}\n`).join('');
}

/** A multipart body with content and a file. */
export function formWith(file: Buffer): Buffer {

    return Buffer.concat([
        Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="content"\r\n\r\n${content(1)}\r\n--${BOUNDARY}\r\n` +
            'Content-Disposition: form-data; name="bytes"; filename="bytes"\r\nContent-Type: application/octet-stream\r\n\r\n'),
        file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
    ]);
}

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A login by password. */
export const LOGIN: Call = { method: 'POST', path: '/auth/token', body: JSON.stringify({ grant_type: 'password', username: 'admin', password: PASSWORD }) };

/** Creates types and objects in a fresh service: `test/0` and so on, ten of the types with code, and `test/file` with a file of 1 MiB. */
export async function prepare(target: Omit<Target, 'token'>): Promise<Target> {

    const make = async (call: Call): Promise<string> => await send(target, { authorization: BASIC, ...call });
    for (const [name, javascript] of Object.entries(TYPES)) {
        const authConfig = { defaultAclRead: ['public'], aclCreate: ['authenticated'] };
        await make({ method: 'POST', path: '/objects?type=Schema', body: JSON.stringify({ name, schema: SCHEMA, javascript, authConfig }) });
    }

    await upload(target, 0, target.objects);
    const coded = Array.from({ length: 10 }, (_, n) => item(`shown${n}`, 'Shown', n) + item(`checked${n}`, 'Checked', n));
    await make({ method: 'POST', path: '/batchUpload', body: coded.join(''), type: NDJSON_TYPE });

    await make({ method: 'POST', path: '/objects?type=Record&handle=test/file', type: FORM_TYPE, body: formWith(Buffer.alloc(MIB, 'x')) });
    return loggedIn(target);
}

/** Uploads `test/<from>` up to but not including `test/<to>`. */
export async function upload(target: Pick<Target, 'agent' | 'server'>, from: number, to: number): Promise<void> {

    for (let start = from; start < to; start += UPLOADED) {
        const body = Array.from({ length: Math.min(UPLOADED, to - start) }, (_, n) => item(`${start + n}`, 'Record', start + n)).join('');
        await send(target, { method: 'POST', path: '/batchUpload', body, type: NDJSON_TYPE, authorization: BASIC });
    }
}

/** A line of a batch upload. */
function item(id: string, type: string, n: number): string {

    return `{"id":"test/${id}","type":"${type}","content":${content(n)}}\n`;
}

/** The same target with a new token. A user has a limited number of tokens, so that many logins end the first ones. */
export async function loggedIn(target: Omit<Target, 'token'>): Promise<Target> {

    return { ...target, token: (JSON.parse(await send(target, LOGIN)) as { access_token: string }).access_token };
}

/** Sends a call and returns the text of its answer; throws when that is no success. */
export function send({ agent, server }: Pick<Target, 'agent' | 'server'>, { method, path, body, type = JSON_TYPE, authorization }: Call): Promise<string> {

    return new Promise((resolve, reject) => {

        const headers = {
            ...authorization === undefined ? {} : { authorization },
            ...body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }
        };
        const sent = request(`${server.url}${path}`, { method, agent, headers }, (answer) => {

            const pieces: Buffer[] = [];
            answer.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => {

                const text = Buffer.concat(pieces).toString('latin1');
                if (answer.statusCode === 200) {
                    resolve(text);
                    return;
                }

                reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`));
            });
        });
        sent.on('error', reject).end(body);
    });
}
