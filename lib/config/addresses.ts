/**
 * Lists of IP addresses and ranges, as TRUSTED_PROXIES holds them.
 */

import { isIP } from 'node:net';

/** True for `10.0.0.1`, `::1`, `10.0.0.0/8`, `fd00::/8`, and for the word `loopback`. */
export function isAddressRange(text: string): boolean {

    if (text === 'loopback') {
        return true;
    }

    const [address = '', bits, ...rest] = text.split('/');
    const family = isIP(address);
    if (family === 0 || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) {
        return false;
    }

    return Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}
