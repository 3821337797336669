/**
 * A real S3 server on a temporary folder, for the time of a test file, and a relay before it that fails as it is told to. The server is
 * versitygw, which `.ci/run` installs; where there is none, tests that need it are skipped, except in CI.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import Http from 'node:http';
import Net, { type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CreateBucketCommand, ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from '../../lib/stores/s3/s3-location.js';
import { freePorts } from './free-ports.js';
import { until } from './until.js';

export const S3_VERSION = '1.8.0';

const PROGRAM = findProgram();

/** True where the tests can be run. In CI they must be. */
export const HAS_S3 = PROGRAM !== null || process.env['CI'] === 'true' && process.env['NO_S3'] !== 'true';

export const ACCESS_KEY = 'testkey';
export const SECRET_KEY = 'test-secret-key';
export const BUCKET = 'payloads';

function findProgram(): string | null {

    const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'doip-gateway', `versitygw-${S3_VERSION}`);
    const folder = [cache, ...(process.env['PATH'] ?? '').split(delimiter)].find((each) => existsSync(join(each, 'versitygw')));
    return folder === undefined ? null : join(folder, 'versitygw');
}

/** A running server with the bucket {@link BUCKET}. */
export interface TestS3 {
    readonly url: string;
    readonly folder: string;
    readonly client: S3Client;
    /** All keys. */
    keys(): Promise<string[]>;
    /** Keys of uploads that are neither complete nor aborted. */
    uploads(): Promise<string[]>;
    kill(): Promise<void>;
    restart(): Promise<void>;
    stop(): Promise<void>;
}

/**
 * Starts a server; credentials for the service are set in the environment of this process.
 *
 * @param parent folder in which it makes its own
 */
export async function startS3(parent = tmpdir()): Promise<TestS3> {

    if (PROGRAM === null) {
        throw new Error(`versitygw ${S3_VERSION} is not installed: see .ci/run`);
    }

    const folder = await mkdtemp(join(parent, 'doip-gateway-s3-'));
    const port = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    const launch = async (): Promise<ChildProcess> => {

        const started = spawn(PROGRAM, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder], {
            env: { ...process.env, ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY }, stdio: 'ignore'
        });
        await until(() => answers(port));
        return started;
    };

    let server = await launch();
    const kill = async (): Promise<void> => {

        if (server.exitCode === null && server.signalCode === null) {
            const ended = once(server, 'exit');
            server.kill('SIGKILL');
            await ended;
        }
    };

    Object.assign(process.env, s3Environment());
    const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    return {
        url, folder, client, kill,
        async keys() {

            return ((await client.send(new ListObjectsV2Command({ Bucket: BUCKET }))).Contents ?? []).map(({ Key = '' }) => Key);
        },
        async uploads() {

            return ((await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }))).Uploads ?? []).map(({ Key = '' }) => Key);
        },
        async restart() {

            server = await launch();
        },
        async stop() {

            client.destroy();
            await kill();
            await rm(folder, { recursive: true, force: true });
        }
    };
}

/** Variables with the credentials. */
export function s3Environment(): Record<string, string> {

    return { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY, AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' };
}

const MIB = 1024 * 1024;

/** Options of a store in the bucket. */
export function s3Options(endpoint: string, more: Partial<S3Options> = {}): S3Options {

    return { url: `s3://${BUCKET}/one`, endpoint, region: null, pathStyle: null, isForNew: true, memoryBytes: 64 * MIB, stallMs: 10_000, ...more };
}

/**
 * What becomes of a request: it is answered with a status; its connection is cut; it is passed on, but the answer is lost; it is never
 * answered; it is passed on later; of the answer's body only some bytes arrive, or one byte has another value. An empty code is an answer without a body.
 */
export type S3Fate = { readonly status: number; readonly code?: string } | 'cut' | 'lose' | 'silent' | { readonly delayMs: number } |
    { readonly truncate: number } | { readonly flip: number };

/** A relay that runs. */
export interface S3Relay {
    readonly url: string;
    /** `METHOD /path?query` of the requests since the last rule. */
    readonly requests: readonly string[];
    /** Sets what becomes of requests; those without a fate are passed on. */
    behave(rule?: (request: string, count: number) => S3Fate | undefined): void;
    stop(): Promise<void>;
}

/** Starts a relay before a server, of S3 or of anything else with HTTP. */
export async function startS3Relay(target: string, host = '127.0.0.1'): Promise<S3Relay> {

    let requests: string[] = [];
    let rule: (request: string, count: number) => S3Fate | undefined = () => undefined;
    const server = Http.createServer((request, response) => {

        const name = `${request.method} ${request.url}`;
        requests.push(name);
        const fate = rule(name, requests.length);
        if (fate === 'cut') {
            request.socket.destroy();
        }
        else if (fate === 'silent') {
            request.resume();
        }
        else if (typeof fate === 'object' && 'status' in fate) {
            request.resume().on('end', () => response.writeHead(fate.status, { 'content-type': 'application/xml' })
                .end(fate.code === '' ? '' : `<?xml version="1.0"?><Error><Code>${fate.code ?? 'SlowDown'}</Code><Message>as told</Message></Error>`));
        }
        else if (typeof fate === 'object' && 'delayMs' in fate) {
            setTimeout(() => passOn(target, request, { response, fate: undefined }), fate.delayMs);
        }
        else {
            passOn(target, request, { response, fate });
        }
    });
    server.listen(0, host);
    await once(server, 'listening');
    return {
        url: `http://${host}:${(server.address() as AddressInfo).port}`,
        get requests() {

            return requests;
        },
        behave(next = () => undefined) {

            requests = [];
            rule = next;
        },
        async stop() {

            server.closeAllConnections();
            await new Promise((resolve) => server.close(resolve));
        }
    };
}

interface Passed {
    readonly response: Http.ServerResponse;
    readonly fate: 'lose' | { readonly truncate: number } | { readonly flip: number } | undefined;
}

function passOn(target: string, request: Http.IncomingMessage, { response, fate }: Passed): void {

    const cut = (): void => void request.socket.destroy();
    const sent = Http.request(`${target}${request.url}`, { method: request.method, headers: request.headers, agent: false }, (answer) => {

        if (fate === 'lose') {
            answer.resume().on('end', cut);
            return;
        }

        response.writeHead(answer.statusCode ?? 502, answer.headers);
        let position = 0;
        answer.on('error', cut).on('data', (chunk: Buffer) => {

            if (fate && 'flip' in fate && fate.flip >= position && fate.flip < position + chunk.byteLength) {
                chunk[fate.flip - position] = (chunk[fate.flip - position] ?? 0) ^ 1;
            }

            const left = fate && 'truncate' in fate ? fate.truncate - position : Infinity;
            position += chunk.byteLength;
            if (chunk.byteLength > left) {
                response.write(chunk.subarray(0, Math.max(0, left)), cut);
                answer.destroy();
            }
            else if (!response.write(chunk)) {
                answer.pause();
                response.once('drain', () => answer.resume());
            }
        }).on('end', () => response.end());
        response.on('close', () => answer.destroy());
    });
    sent.on('error', cut);
    request.on('error', () => sent.destroy()).pipe(sent);
}

function answers(port: number): Promise<boolean> {

    return new Promise((resolve) => {

        const socket = Net.connect(port, '127.0.0.1', () => {

            socket.destroy();
            resolve(true);
        });
        socket.on('error', () => resolve(false));
    });
}
