/**
 * What settings of a handle server must be together.
 */

/** Names this machine itself, where a secret may travel in the clear. */
const LOOPBACK = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

const OTHERS = ['IDENTITY', 'SECRET', 'CERT', 'KEY', 'CA'].map((name) => `HANDLE_SERVER_${name}`);

/** What is wrong with them, if anything is. `has` tells whether a setting is there. */
export function handleServerFaults(has: (name: string) => boolean, url: unknown): string[] {

    if (typeof url !== 'string' || url === '') {
        return OTHERS.filter(has).map((name) => `${name} is of no use without HANDLE_SERVER_URL`);
    }

    const faults: string[] = [];
    if (has('HANDLE_SERVER_CERT') !== has('HANDLE_SERVER_KEY')) {
        faults.push(`HANDLE_SERVER_CERT and HANDLE_SERVER_KEY belong together: ${has('HANDLE_SERVER_KEY') ? 'HANDLE_SERVER_CERT' : 'HANDLE_SERVER_KEY'} is not set`);
    }

    if (has('HANDLE_SERVER_SECRET') === has('HANDLE_SERVER_CERT')) {
        faults.push('HANDLE_SERVER_URL needs either HANDLE_SERVER_SECRET or HANDLE_SERVER_CERT');
    }

    if (has('HANDLE_SERVER_SECRET') && !has('HANDLE_SERVER_IDENTITY')) {
        faults.push('HANDLE_SERVER_SECRET needs HANDLE_SERVER_IDENTITY, whose key it is');
    }

    if (!/^https:/i.test(url) && !LOOPBACK.test(url)) {
        faults.push('HANDLE_SERVER_URL must begin with https://, because secrets go there');
    }

    return faults;
}
