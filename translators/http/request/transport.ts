/** Transport of a request: address of the client and encryption, with regard to trusted proxies, and a signal for a closed connection. */

import type { Request } from '@hapi/hapi';
import { BlockList, isIP } from 'node:net';
import type { Transport } from '../../../lib/doip/envelope.js';
import { badRequest } from '../../../lib/errors/errors.js';
import { isLoopback, parseAddressRanges, withoutMapping } from '../../../lib/util/net/ip-address.js';
import { connectionOf } from './primary.js';
import { noteAddress } from './request-facts.js';
import { traceIdOf } from '../headers/traceparent.js';
import { header } from '../headers/decode.js';

/** Reads the transport of a request. */
export type TransportReader = (request: Request) => Transport;

/** The other end of the connection. */
interface Peer {
    readonly peer: string;
    readonly encrypted: boolean;
    readonly logId: string;
    readonly translator: string;
    readonly traceId: string | undefined;
    /** The header, if it is valid. */
    readonly traceparent: string | undefined;
}

/**
 * Creates a reader that uses `X-Forwarded-For` and `X-Forwarded-Proto` from trusted proxies only.
 *
 * @param translator name of the interface
 * @param trustedProxies IP addresses, networks such as `10.0.0.0/8`, or `loopback`
 * @throws Error for an invalid entry
 */
export function createTransportReader(translator: string, trustedProxies: readonly string[] = []): TransportReader {

    const trusted = addressList(trustedProxies);
    return (request) => {

        const { remoteAddress, encrypted } = connectionOf(request);
        const peer = plainAddress(remoteAddress);
        const logId = header(request.headers, 'request-id') ?? request.info.id;
        const traceId = traceIdOf(request.headers['traceparent']);
        const traceparent = traceId === undefined ? undefined : header(request.headers, 'traceparent');
        const from = { peer, encrypted, logId, translator, traceId, traceparent };
        const transport = trusted && isForwarded(request) && contains(trusted, peer) ?
            forwarded(request, from, trusted) : direct(request, from);
        noteAddress(request, transport);
        return transport;
    };
}

/** Creates a signal that is aborted when the connection closes before the response ends. */
export function peerSignal(request: Request): AbortSignal {

    const controller = new AbortController();
    const abort = (): void => controller.abort(badRequest('the client went away'));
    const { req, res } = request.raw;
    req.once('aborted', abort);
    // HTTP/1.1 does not emit `aborted` after the request body was read.
    res.once('close', () => {

        if (!res.writableEnded) {
            abort();
        }
    });
    if (!request.active()) {
        abort();
    }

    return controller.signal;
}

/** Treats loopback connections as secure, unless they were forwarded, perhaps over an insecure network. */
function direct(request: Request, { peer, encrypted, logId, translator, traceId, traceparent }: Peer): Transport {

    const isForeign = isForwarded(request);
    const isLocal = !isForeign && isLoopback(peer);
    return {
        protocol: encrypted ? 'https' : 'http', secure: encrypted || isLocal, remoteAddress: peer,
        localToken: isLocal || !isForeign && isOwnAddress(request, peer) ? bearerToken(request) : undefined, logId, translator, traceId, traceparent
    };
}

function isOwnAddress(request: Request, peer: string): boolean {

    return peer === plainAddress(connectionOf(request).localAddress);
}

/** The token of a request without regard to the kind of credentials; for programs on this machine, which connect from an address of it. */
function bearerToken({ headers }: Request): string | undefined {

    return /^Bearer (\S+)$/i.exec(header(headers, 'authorization') ?? '')?.[1];
}

/** Walks back through the trusted proxies to the first address that is not one of them. */
function forwarded(request: Request, { peer, encrypted, logId, translator, traceId, traceparent }: Peer, trusted: BlockList): Transport {

    const hops = listed(request, 'x-forwarded-for').map(plainAddress);
    let address = peer;
    while (contains(trusted, address) && hops.length > 0) {
        address = hops.pop() ?? '';
    }

    const protocols = listed(request, 'x-forwarded-proto').map((protocol) => protocol.toLowerCase());
    const secure = protocols.length > 0 ? protocols.every((protocol) => protocol === 'https') : encrypted;
    return {
        protocol: secure ? 'https' : 'http', secure, remoteAddress: isIP(address) ? address : peer, localToken: undefined, logId, translator, traceId, traceparent
    };
}

/** True when a header indicates a proxy. Called for every request, so it avoids a list. */
function isForwarded({ headers }: Request): boolean {

    return headers['x-forwarded-for'] !== undefined || headers['x-forwarded-proto'] !== undefined || headers['x-forwarded-host'] !== undefined ||
        headers['x-real-ip'] !== undefined || headers['forwarded'] !== undefined || headers['via'] !== undefined;
}

function listed(request: Request, name: string): string[] {

    return (header(request.headers, name) ?? '').split(',').map((item) => item.trim()).filter((item) => item !== '');
}

function addressList(entries: readonly string[]): BlockList | null {

    if (entries.length === 0) {
        return null;
    }

    const list = new BlockList();
    for (const entry of entries) {
        const ranges = parseAddressRanges(entry.trim());
        if (!ranges) {
            throw new Error(`trusted proxy ${JSON.stringify(entry)} must be an IP address, a network such as 10.0.0.0/8, or loopback`);
        }

        for (const { address, bits, family } of ranges) {
            list.addSubnet(address, bits, family);
        }
    }

    return list;
}

function contains(list: BlockList, address: string): boolean {

    const family = isIP(address);
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Normalises an address: removes brackets and ports that some proxies add, and the IPv4 mapping. */
function plainAddress(text: string): string {

    if (!text.includes(':')) {
        return text;
    }

    const withPort = /^\[([^\]]+)\](?::[0-9]+)?$/i.exec(text) ?? /^([0-9.]+):[0-9]+$/.exec(text);
    return withoutMapping(withPort?.[1] ?? text);
}
