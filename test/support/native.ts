/**
 * A client for native DOIP that sends octets as they are written in a test, and shows what comes back octet by octet.
 */

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import type { asn1 } from 'node-forge';
import * as Forge from 'node-forge';
import type { JsonObject } from '../../lib/util/json-types.js';
import { selfSigned } from '../../lib/identity/secrets/service-certificate.js';
import { MessageReader } from '../../lib/doip/framing/message-reader.js';
import { readBytes } from '../../lib/doip/segments.js';
import { BodyMemory } from '../../translators/http/request/body-memory.js';
import { DEFAULT_LIMITS, type Performer } from '../../translators/http/request/translator-options.js';
import { Session } from '../../translators/doip-tcp/index.js';
import type { TestServer } from './server.js';
import { ADMIN_PASSWORD } from './gateway.js';

/** Credentials of the administrator. */
export const ADMIN = { username: 'admin', password: ADMIN_PASSWORD };

/** Status ids. */
export const OK = '0.DOIP/Status.001';
export const BAD = '0.DOIP/Status.101';
export const UNAUTHENTICATED = '0.DOIP/Status.102';

/** A response. */
export interface Message {
    /** The first segment. */
    readonly head: {
        readonly status: string; readonly requestId?: string; readonly attributes?: Readonly<Record<string, unknown>>; readonly output?: unknown;
    };
    /** The further segments: JSON values, and bytes as text in Latin-1. */
    readonly segments: readonly { readonly json?: unknown; readonly bytes?: string }[];
}

/** How to connect. */
export interface NativeOptions {
    readonly tls?: boolean;
    /** Address from which to connect. */
    readonly localAddress?: string;
    readonly certificate?: { readonly cert: string; readonly key: string };
}

/** One connection. */
export class NativeClient {

    readonly socket: Socket;
    /** Everything that has arrived, a TLS record each. */
    readonly records: string[] = [];
    /** Errors of the connection. */
    readonly errors: string[] = [];
    readonly #messages: MessageReader;

    constructor(socket: Socket) {

        this.socket = socket;
        this.#messages = new MessageReader(socket);
        socket.on('error', (error: NodeJS.ErrnoException) => this.errors.push(error.code ?? error.message));
        const read = socket.read.bind(socket);
        socket.read = (size?: number) => {

            const chunk = read(size) as Buffer | null;
            if (chunk) {
                this.records.push(chunk.toString('latin1'));
            }

            return chunk;
        };
    }

    static async open(port: number, { tls = true, certificate, localAddress = '127.0.0.1' }: NativeOptions = {}): Promise<NativeClient> {

        const to = { port, host: '127.0.0.1', localAddress };
        const socket = tls ? connectTls({ ...to, rejectUnauthorized: false, ...certificate } as ConnectionOptions) : connectTcp(to);
        await once(socket, tls ? 'secureConnect' : 'connect');
        socket.setNoDelay(true);
        return new NativeClient(socket);
    }

    /** Sends text, or one octet after another. */
    async send(text: string | Buffer, { byOctet = false } = {}): Promise<void> {

        const bytes = typeof text === 'string' ? Buffer.from(text) : text;
        for (const piece of byOctet ? [...bytes].map((octet) => Buffer.from([octet])) : [bytes]) {
            await new Promise<void>((resolve) => {

                this.socket.write(piece, () => resolve());
            });
        }
    }

    /** Reads one message; null when the connection ends instead. */
    async receive(): Promise<Message | null> {

        if (!await this.#messages.nextMessage()) {
            return null;
        }

        const values: { json?: unknown; bytes?: string }[] = [];
        for (let next = await this.#messages.nextSegment(); next; next = await this.#messages.nextSegment()) {
            const bytes = await readBytes(next.body, 1e9);
            values.push(next.kind === 'json' ? { json: JSON.parse(bytes.toString()) as unknown } : { bytes: bytes.toString('latin1') });
        }

        const [head, ...segments] = values;
        return { head: head?.json as Message['head'], segments };
    }

    /** Sends a message and reads the response. */
    async ask(text: string | Buffer): Promise<Message> {

        await this.send(text);
        const message = await this.receive();
        if (!message) {
            throw new Error('the connection has ended');
        }

        return message;
    }

    /** Waits until the connection is closed. */
    async closed(): Promise<void> {

        this.socket.resume();
        if (!this.socket.closed) {
            // Not `once`, which would reject with the error of a reset.
            await new Promise((resolve) => this.socket.once('close', resolve));
        }
    }

    close(): void {

        this.socket.destroy();
    }
}

/** The port of native DOIP of a server. */
export function nativePort({ server }: TestServer): number {

    const { native } = server.plugins['doip-gateway'].gateway.services.endpoint();
    if (!native) {
        throw new Error('native DOIP is off');
    }

    return native.port;
}

/** Native DOIP of a gateway without TLS, as if it were encrypted. */
export async function serveNative(gateway: Performer): Promise<{ port: number; stop: () => Promise<void> }> {

    const server = createTcpServer({ allowHalfOpen: true }, (socket) => {

        const session = new Session({
            socket, id: 'test', remoteAddress: '127.0.0.1', isEncrypted: true, certificate: null, reset: () => void socket.destroy()
        }, {
            gateway, memory: new BodyMemory(64 * 1024 * 1024), onAnswered: () => undefined, onError: () => undefined,
            limits: { ...DEFAULT_LIMITS, segments: 1000, headMs: 60_000, stallMs: 60_000, idleMs: 60_000 }
        });
        void session.serve();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
        port: (server.address() as AddressInfo).port,
        async stop() {

            server.close();
            await once(server, 'close');
        }
    };
}

/** A key pair with a certificate whose subject is an id. */
export interface CertifiedUser {
    readonly cert: string;
    readonly key: string;
    readonly publicKey: JsonObject;
}

/** Makes one, with a new key or with the one given as PEM. */
export async function certify(id: string, key = newKey()): Promise<CertifiedUser> {

    return { cert: await selfSigned(key, id), key, publicKey: createPublicKey(key).export({ format: 'jwk' }) as JsonObject };
}

/** An attribute of a subject: its object identifier, its value, and the type of its string. */
export interface SubjectAttribute {
    readonly type: string;
    readonly value: string;
    readonly valueTagClass?: asn1.Class;
}

/** Makes a certificate with any subject. */
export function certifySubject(subject: readonly SubjectAttribute[], key = newKey()): Omit<CertifiedUser, 'publicKey'> {

    const certificate = Forge.pki.createCertificate();
    const privateKey = Forge.pki.privateKeyFromPem(key);
    certificate.publicKey = Forge.pki.setRsaPublicKey(privateKey.n, privateKey.e);
    certificate.serialNumber = '01';
    certificate.validity.notAfter = new Date(Date.now() + 86_400_000);
    certificate.setSubject([...subject]);
    certificate.setIssuer([...subject]);
    certificate.sign(privateKey, Forge.md.sha256.create());
    return { cert: Forge.pki.certificateToPem(certificate), key };
}

function newKey(): string {

    return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
