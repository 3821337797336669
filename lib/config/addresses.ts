/**
 * Lists of IP addresses and ranges, as TRUSTED_PROXIES holds them.
 */

import { BlockList, isIP } from 'node:net';

/** True for `10.0.0.1`, `::1`, `10.0.0.0/8`, `fd00::/8`. */
export function isAddressRange(text: string): boolean {

    const [address = '', bits, ...rest] = text.split('/');
    const family = isIP(address);
    if (family === 0 || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) {
        return false;
    }

    return Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}

/** Address ranges in a form that can be asked: `addressList(ranges).check(address, 'ipv4')`. */
export function addressList(ranges: readonly string[]): BlockList {

    const addresses = new BlockList();
    for (const range of ranges) {
        const [address = '', bits] = range.split('/');
        const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
        addresses.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
    }

    return addresses;
}
