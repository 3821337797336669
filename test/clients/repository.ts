/**
 * The service that the clients talk to: in a process of its own that can be restarted and damaged, with objects and users for the checks.
 */

import Sqlite from 'better-sqlite3';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { createSqlite, type TestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { startProcess, type ServiceProcess } from '../support/process.js';
import { OPEN_SCHEMA } from '../support/type-code.js';
import { until } from '../support/until.js';

const PROGRAM = join(__dirname, 'service.js');

const ADMIN = { username: 'admin', password: ADMIN_PASSWORD };
const READER = { username: 'ann', password: 'password of ann' };

const THOUSAND = 1000;

/** A running service. */
export class Repository {

    readonly #database: TestDatabase;
    readonly #settings: NodeJS.ProcessEnv;
    #process: ServiceProcess;
    /** The port of native DOIP. */
    readonly port: number;

    private constructor(database: TestDatabase, settings: NodeJS.ProcessEnv, running: ServiceProcess, port: number) {

        this.#database = database;
        this.#settings = settings;
        this.#process = running;
        this.port = port;
    }

    static async start(settings: NodeJS.ProcessEnv = {}): Promise<Repository> {

        const database = await createSqlite();
        const running = await startProcess(database, { LOG_LEVEL: 'silent', DOIP_PORT: '0', ...settings }, [PROGRAM]);
        const { attributes } = await perform(running.url, 'service', Op.hello) as { attributes: { port: number } };
        return new Repository(database, settings, running, attributes.port);
    }

    /** Ends the service, and starts it again on the same data and port. */
    async restart(): Promise<void> {

        await this.#process.stop();
        this.#process = await startProcess(this.#database, { LOG_LEVEL: 'silent', ...this.#settings, DOIP_PORT: `${this.port}` }, [PROGRAM]);
    }

    /** Removes the second half of the bytes of the element that was stored last. */
    damage(): void {

        const file = new Sqlite(join(this.#database.options.dataDir, 'blobs.sqlite'));
        try {
            const { blob, chunks } = file.prepare('select blob_id as blob, count(*) as chunks from blob_chunks group by blob_id order by blob_id desc')
                .get() as { blob: number; chunks: number };
            file.prepare('delete from blob_chunks where blob_id = ? and n >= ?').run(blob, chunks / 2);
        }
        finally {
            file.close();
        }
    }

    /** Stores what the checks ask for; resolves to what they have to know of it. */
    async fill(): Promise<JsonObject> {

        const { url } = this.#process;
        const create = (object: JsonObject): Promise<JsonValue> => perform(url, 'service', Op.create, object);
        await create({ id: 'test/ann', type: 'User', attributes: { content: READER } });
        await create({ id: 'test/diary', type: 'Document', attributes: { content: { name: 'A diary' }, acl: { readers: ['test/ann'] } } });
        await createMap(url);
        // The type of the objects that the FDO functions of doipy create.
        await perform(url, 'service', Op.create, { type: 'Schema', attributes: { content: { identifier: '', name: 'FDO', schema: OPEN_SCHEMA } } });
        const many = Array.from({ length: THOUSAND }, (_, n) => ({
            id: `test/n${n}`, type: 'Document', attributes: { content: { set: 'thousand', name: `number ${n}`, description: 'x'.repeat(500) } }
        }));
        await perform(url, 'service', Op.batchUpload, many);
        const design = await perform(url, 'design', Op.retrieve) as { attributes: { content: JsonObject } };
        const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const adminPublicKey = key.publicKey.export({ format: 'jwk' }) as JsonObject;
        await perform(url, 'design', Op.update, { attributes: { content: { ...design.attributes.content, adminPublicKey } } });
        const { access_token: token } = await perform(url, 'service', Op.authToken, READER, {}) as { access_token: string };
        await until(async () => {

            const found = await perform(url, 'service', Op.search, undefined, ADMIN, { query: '/set:thousand', pageSize: 0 });
            return (found as { size: number }).size === THOUSAND;
        });
        const pkcs8 = key.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
        return {
            host: '127.0.0.1', port: this.port, http: `${url}/doip/`, service: 'test/service', ...ADMIN, map: 'test/map', diary: 'test/diary',
            reader: { id: 'test/ann', ...READER, token }, key: { jwk: key.privateKey.export({ format: 'jwk' }) as JsonObject, pkcs8 }
        };
    }

    async stop(): Promise<void> {

        await this.#process.stop();
        await this.#database.dispose();
    }
}

async function createMap(url: string): Promise<void> {

    const form = new FormData();
    form.append('object', new Blob([JSON.stringify({
        id: 'test/map', type: 'Document', attributes: { content: { name: 'A map' } }, elements: [{ id: 'scan', type: 'text/plain' }]
    })], { type: 'application/json' }));
    form.append('scan', new Blob(['bytes of a scan']), 'scan.txt');
    await send(`${url}/doip?targetId=service&operationId=${Op.create}`, form, ADMIN);
}

/** An operation over HTTP, of the administrator by default. */
async function perform(
    url: string, targetId: string, operationId: string, input?: JsonValue, login: JsonObject = ADMIN, attributes: JsonObject = {}
): Promise<JsonValue> {

    const query = new URLSearchParams({ targetId, operationId, attributes: JSON.stringify(attributes) }).toString();
    return await send(`${url}/doip?${query}`, input === undefined ? undefined : JSON.stringify(input), login);
}

async function send(url: string, body: FormData | string | undefined, login: JsonObject): Promise<JsonValue> {

    const response = await fetch(url, {
        method: 'POST', body: body ?? null,
        headers: {
            ...Object.keys(login).length > 0 && { authorization: `Doip ${Buffer.from(JSON.stringify(login)).toString('base64')}` },
            ...typeof body === 'string' && { 'content-type': 'application/json' }
        }
    });
    const text = await response.text();
    if (!response.ok) {
        throw new Error(`${url}: ${response.status} ${text}`);
    }

    return JSON.parse(text) as JsonValue;
}
