/**
 * Headers of requests in the description of the service: every header that the translators read is a parameter, or listed here with the reason why it
 * is none; and the headers of credentials are parameters of exactly those requests in which they count.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/doc-pages.js';
import { ADMIN_HEADERS } from '../../support/rest.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Headers that are no parameters, with the reason. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
    ['authorization', 'in securitySchemes; OpenAPI ignores a parameter of this name'],
    ['content-type', 'in requestBody; OpenAPI ignores a parameter of this name'],
    ['accept', 'in the content of responses; OpenAPI ignores a parameter of this name'],
    ['cookie', 'browsers send what the service has set'],
    ['sec-fetch-site', 'browsers send it, and no client may'],
    ['x-requested-with', 'sent by the pages of the service, for browsers without Sec-Fetch-Site'],
    ['x-session', 'sent by the pages of the service, with what they do in a session'],
    ['content-disposition', 'of a body, as in any part of a form: the name of its file'],
    ['content-encoding', 'of a body: HTTP clients have it'],
    ['content-length', 'of a body: HTTP clients have it'],
    ['accept-encoding', 'HTTP clients have it'],
    ['request-id', 'of the log; of every request, whatever it asks for'],
    ['traceparent', 'of traces; of every request, whatever it asks for'],
    ...['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'].map((name) => [name, 'proxies send it'] as const)
]);

/** Where a header is read: a name in quotes or a constant, after the headers themselves, or in a call that looks a header up. */
const READ = /(?<!\bresponse\.)(?<!\bcookies?\()\bheaders(?:, |\[)(?:'([\w-]+)'|([A-Z][A-Z_]+)\b)/g;
/** Functions that get the name from their callers. */
const BY_NAME = /\b(?:listed|tagsOf)\((?:request|headers), '([\w-]+)'\)/g;

/** Parameters that some paths need although none of them is required by itself. */
const OTHER_PARAMETERS: readonly [name: string, value: string][] = [['query', 'a'], ['objectId', 'test/a']];

interface Described {
    readonly method: string;
    readonly path: string;
    readonly parameters: readonly Parameter[];
    readonly security?: readonly object[];
}

interface Parameter {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly $ref?: string;
}

describe('headers in the description of the service', () => {

    let server: TestServer;
    let document: { paths: Record<string, Record<string, Omit<Described, 'method' | 'path'>>>; components: { parameters: Record<string, { name: string }> } };

    before(async () => {

        server = await startServer();
        const ask = (path: string, method: string, body: string): Promise<Response> =>
            fetch(server.url + path, { method, body, headers: { ...ADMIN_HEADERS, 'content-type': 'application/json' } });
        await ask('/objects/design?jsonPointer=/useLegacySessionsApi', 'PUT', 'true');
        await ask('/objects?type=Schema', 'POST', JSON.stringify({
            identifier: '', name: 'Chart', schema: { type: 'object' }, javascript: 'exports.methods = { shout: () => 1 }; exports.methods.shout.allowGet = true;'
        }));
        await ask('/objects?type=Chart&handle=test/a', 'POST', '{}');
        document = await (await fetch(`${server.url}/openapi.json`)).json() as typeof document;
    });

    after(() => server.stop());

    /** Without the operations of tests, some of which never answer. */
    const described = (): Described[] => Object.entries(document.paths).filter(([path]) => !path.startsWith('/doip/test/')).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({ ...operation, method, path })));
    const names = (parameter: string): string[] => described()
        .filter(({ parameters }) => parameters.some(({ $ref }) => $ref === `#/components/parameters/${parameter}`)).map(({ method, path }) => `${method} ${path}`);

    /** The requests whose response has a message when they are sent with these headers. */
    const refused = async (message: RegExp, headers: Record<string, string>): Promise<string[]> => {

        const found: string[] = [];
        for (const { method, path, parameters } of described()) {
            const isDoip = path.startsWith('/doip');
            const target = /\/(?:shout|0\.DOIP\/Op\.Retrieve)$/.test(path) ? 'test/a' : 'service';
            const required = parameters.filter(({ in: where, required: isRequired }) => where === 'query' && isRequired === true)
                .map(({ name }): [string, string] => [name, name === 'targetId' ? target : name === 'operationId' ? '0.DOIP/Op.Hello' : 'test/a']);
            const query = new URLSearchParams([...isDoip ? [] : OTHER_PARAMETERS, ...required]);
            const response = await fetch(`${server.url}${path.replace(/\{\w+\}/, 'test/a')}?${query.toString()}`, {
                method: method.toUpperCase(), redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin', ...headers }
            });
            if (message.test(await response.text())) {
                found.push(`${method} ${path}`);
            }
        }

        return found;
    };

    it('are those that the translators read', () => {

        const folder = join(ROOT, 'translators');
        const text = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
            .map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
        const constants = new Map([...text.matchAll(/const ([A-Z][A-Z_]+) = '([\w-]+)'/g)].map(([, name = '', value = '']) => [name, value]));
        const read = new Set([
            ...[...text.matchAll(READ)].map(([, literal, constant = '']) => literal ?? constants.get(constant) ?? constant),
            ...[...text.matchAll(BY_NAME)].map(([, literal = '']) => literal)
        ]);
        const parameters = Object.values(document.components.parameters).map(({ name }) => name.toLowerCase());

        expect([...read].sort()).to.equal([...parameters, ...LEFT_OUT.keys()].sort());
        expect([...text.matchAll(/\bheader\((?:\w+\.)*headers, ([a-z]\w*)\)/g)].length, 'calls with a name from their caller').to.equal(2);
    });

    it('has As-User where it counts', async () => {

        const refusals = await refused(/can act as another user/, { 'as-user': 'test/other' });

        expect(refusals.length).to.be.above(70);
        expect(names('AsUser').sort()).to.equal(refusals.sort());
    });

    it('has X-Csrf-Token where it counts', async () => {

        const response = await fetch(`${server.url}/sessions`, { method: 'POST', headers: ADMIN_HEADERS });
        const cookie = response.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ');
        const refusals = await refused(/X-Csrf-Token/, { cookie });

        expect(refusals.length).to.be.above(40);
        expect(names('CsrfToken').sort()).to.equal(refusals.sort());
    });

    it('has Range where a part of the bytes can be had', () => {

        const ranges = ['get /objects/{id}', 'get /doip/0.DOIP/Op.Retrieve'];
        const partial = described().filter((each) => '206' in (each as unknown as { responses: object }).responses).map(({ method, path }) => `${method} ${path}`);

        expect([names('Range'), names('IfRange'), partial]).to.equal([ranges, ranges, ranges]);
    });

    it('leaves credentials out of the requests that ignore them', async () => {

        const wrong = await refused(/Authentication failed/, { authorization: 'Bearer none' });
        const without = described().filter(({ security }) => security?.length === 0).map(({ method, path }) => `${method} ${path}`);

        expect(without.length).to.equal(14);
        expect(without.filter((each) => wrong.includes(each) || names('AsUser').includes(each))).to.equal([]);
    });
});
