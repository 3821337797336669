/** Addresses of services, and whether credentials may be sent there. */

import { isLoopback, withoutBrackets } from '../util/net/ip-address.js';

/** What is known about a connection. */
export interface Trust {
    /** Host and port, or URL, for messages. */
    readonly target: string;
    /** IP address to which the connection leads, or the name of the host before there is one. */
    readonly remoteAddress: string;
    /** True if the service has proved who it is: by an authority, or by a public key that was known. */
    readonly isVerified: boolean;
    /** True if the caller allows connections that are not verified. */
    readonly insecure: boolean;
    /** How it could be verified. */
    readonly remedy: string;
}

/** Says why credentials must not be sent; null when they may. */
export function reasonForDistrust({ target, remoteAddress, isVerified, insecure, remedy }: Trust): string | null {

    const isHere = remoteAddress === 'localhost' || isLoopback(withoutBrackets(remoteAddress));
    return isVerified || insecure || isHere ? null : `credentials are not sent to ${target}, which is not verified: ${remedy}, or allow insecure connections`;
}

/** Parses the address of a service. @throws TypeError if it is invalid or holds credentials, which are options */
export function parseAddress(address: string): URL {

    const url = new URL(address);
    if (url.username !== '' || url.password !== '') {
        throw new TypeError('credentials are options, and no part of the address');
    }

    return url;
}
