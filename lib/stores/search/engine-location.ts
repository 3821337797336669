/** Where OpenSearch is, and how it is reached. Does not load its client. */

/** Server and names of the indexes. */
export interface EngineLocation {
    /** URL of the server, without credentials and path. */
    readonly node: string;
    /** Null for no login. */
    readonly auth: { readonly username: string; readonly password: string } | null;
    /** Prefix of the names of all indexes. */
    readonly prefix: string;
}

/** Options of the engine. */
export interface EngineOptions {
    /** `http(s)://user:password@host:port/prefix`. */
    readonly url: string;
    /** Number of shards of an index. */
    readonly shards: number;
    /** Searches are refused while the engine lacks changes that are older, in milliseconds; default 5 minutes. */
    readonly maxLagMs?: number;
    /** Time for which an index that is no longer used is kept for searches in progress, in milliseconds; default 15 minutes. */
    readonly keepFormerMs?: number;
}

const DEFAULT_PREFIX = 'doip-gateway';
const PREFIX = /^[a-z0-9][a-z0-9_.-]{0,99}$/;
const RULE = 'must be http(s)://user:password@host:port/prefix, with a prefix of small letters, digits, dots, dashes and underscores';

/** Reads the URL. @throws Error with what is wrong */
export function parseSearchUrl(text: string): EngineLocation {

    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.search !== '' || url.hash !== '') {
        throw new Error(RULE);
    }

    const prefix = url.pathname.replaceAll(/^\/|\/$/g, '') || DEFAULT_PREFIX;
    if (!PREFIX.test(prefix)) {
        throw new Error(RULE);
    }

    try {
        const auth = url.username === '' ? null : { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
        return { node: url.origin, auth, prefix };
    }
    catch {
        throw new Error(`${RULE}; special characters of the user and the password percent-encoded`);
    }
}
