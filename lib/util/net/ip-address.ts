/** Parsing of IP addresses and CIDR ranges. */

import { isIP, isIPv6 } from 'node:net';

/** A CIDR range; a single address has all bits. */
export interface AddressRange {
    readonly address: string;
    readonly bits: number;
    readonly family: 'ipv4' | 'ipv6';
}

const LOOPBACK: readonly AddressRange[] = [
    { address: '127.0.0.0', bits: 8, family: 'ipv4' }, { address: '::1', bits: 128, family: 'ipv6' }
];

/** Parses `10.0.0.1`, `::1`, `10.0.0.0/8`, `fd00::/8`, or `loopback`, which is two ranges; null for anything else. */
export function parseAddressRanges(text: string): readonly AddressRange[] | null {

    if (text === 'loopback') {
        return LOOPBACK;
    }

    const [address = '', size, ...rest] = text.split('/');
    const family = isIP(address);
    const all = family === 4 ? 32 : 128;
    const bits = size === undefined ? all : Number(size);
    if (family === 0 || rest.length > 0 || size !== undefined && !/^\d{1,3}$/.test(size) || bits > all) {
        return null;
    }

    return [{ address, bits, family: family === 4 ? 'ipv4' : 'ipv6' }];
}

/** A host as in URLs without the brackets around IPv6 addresses. */
export function withoutBrackets(host: string): string {

    return host.replace(/^\[|\]$/g, '');
}

const MAPPED = /^(?:::|(?:0{1,4}:){5}|::(?:0{1,4}:){1,4})ffff:(?:([\d.]+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i;

/** Converts an IPv4-mapped IPv6 address to IPv4, in whatever notation. */
export function withoutMapping(address: string): string {

    const [, plain, high, low] = address.includes(':') ? MAPPED.exec(address) ?? [] : [];
    if (high === undefined || low === undefined) {
        return plain ?? address;
    }

    return [high, low].map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255]).join('.');
}

/** True for addresses of this machine. Called for every request, so it does not use a list: the kernel has one notation for each address. */
export function isLoopback(address: string): boolean {

    const plain = withoutMapping(address);
    return plain === '::1' || plain.startsWith('127.') && isIP(plain) === 4;
}

/** Returns the source of a request: its address, or the /64 network of an IPv6 address. */
export function sourceOf(remoteAddress: string): string {

    const address = withoutMapping(remoteAddress.toLowerCase());
    if (!isIPv6(address)) {
        return address === '' ? 'internal' : address;
    }

    const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
    const start = head === '' ? [] : head.split(':');
    const end = tail === undefined || tail === '' ? [] : tail.split(':');
    const groups = tail === undefined ? start : [...start, ...Array.from({ length: 8 - start.length - end.length }, () => '0'), ...end];
    return `${groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
