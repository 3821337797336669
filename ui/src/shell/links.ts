/** What texts that people enter or configure lead to. */

import { decoded } from '../routes.js';

/** An address of a handle resolver, or of an object in a web UI; ids in it are percent-encoded. */
const ADDRESS = /^https?:\/\/(?:(?:hdl\.handle\.net|doi\.org)\/|\S*?#objects\/)([^\s?#]+)(?:\?\S*)?$/i;

/** The id that a text is, such as `test/123`, `hdl:test/123` or an address of a handle resolver; null for a query. */
export function idIn(text: string): string | null {

    const [, address] = ADDRESS.exec(text) ?? [];
    if (address !== undefined) {
        const id = decoded(address);
        return /^[\w.-]+\/./.test(id) ? id : null;
    }

    const [, id = text] = /^(?:hdl:|doi:)(\S+)$/i.exec(text) ?? [];
    return /^[\w.-]+\/[^\s"():*?~[\]{}]+$/.test(id) ? id : null;
}

/** True for addresses that cannot run scripts. The design is written by the administrator, but may have been copied from elsewhere. */
export function isSafeUrl(url: string | undefined): url is string {

    return url !== undefined && /^(?:https?:\/\/|mailto:|#|\/(?![/\\\s])|[\w.-]+(?:\/|$))/i.test(url);
}
