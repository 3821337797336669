/** The indexes of a repository in OpenSearch: made, used by searches under an alias, and removed. */

import { randomBytes } from 'node:crypto';
import type { Log } from '../../../db/log.js';
import type { EngineClient } from './engine-client.js';
import { FORMAT } from './engine-document.js';
import { EngineError } from './engine-error.js';
import { indexBody } from './engine-mapping.js';

/** End of the names of indexes, after the alias: the time, so that they are told apart, and some random digits. */
const OWN_NAME = /^[0-9a-z]+-[0-9a-f]{6}$/;

const CREATE_MS = 60_000;

export interface EngineIndexesParts {
    readonly client: EngineClient;
    readonly log: Log;
    readonly prefix: string;
}

/** Returns the name under which the index is searched. */
export function searchAlias(prefix: string): string {

    return `${prefix}-v${FORMAT}`;
}

/** Name under which an index is written: the engine would make an index that is missing, with another mapping, but no alias. */
export function writeAlias(index: string): string {

    return `${index}-w`;
}

/** Returns whether an index is there, and may be written. @throws EngineError */
export async function hasIndex(client: EngineClient, index: string): Promise<boolean> {

    try {
        // An index could have the name of the alias.
        return index in await client.send<object>({ method: 'GET', path: `/${writeAlias(index)}/_alias` });
    }
    catch (error) {
        ignoreMissing(error);
        return false;
    }
}

/** Throws when another process may be in charge of the indexes. */
type Check = () => Promise<void>;

/** The indexes of one format. All methods throw EngineError. */
export class EngineIndexes {

    readonly #parts: EngineIndexesParts;
    readonly #alias: string;

    constructor(parts: EngineIndexesParts) {

        this.#parts = parts;
        this.#alias = searchAlias(parts.prefix);
    }

    /** Makes an empty index, and returns its name. */
    async create(shards: number): Promise<string> {

        const { client, log } = this.#parts;
        const index = `${this.#alias}-${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`;
        await client.send({ method: 'PUT', path: `/${index}`, body: { ...indexBody(shards), aliases: { [writeAlias(index)]: {} } }, timeoutMs: CREATE_MS });
        log.info({ event: 'search.index-begun', index }, 'building a search index');
        return index;
    }

    /** Returns whether an index is there, and may be written. */
    async has(index: string): Promise<boolean> {

        return hasIndex(this.#parts.client, index);
    }

    /** Lets searches use an index, unless they do, and removes all but this one and some others. */
    async use(index: string, besides: readonly (string | undefined)[], check: Check): Promise<void> {

        const { client, log } = this.#parts;
        const used = [...await this.#all()].filter(([, { aliases }]) => this.#alias in aliases).map(([name]) => name);
        if (used.length !== 1 || used[0] !== index) {
            const old = used.filter((name) => name !== index);
            const actions = [...old.map((name) => ({ remove: { index: name, alias: this.#alias } })), { add: { index, alias: this.#alias } }];
            await check();
            await client.send({ method: 'POST', path: '/_aliases', body: { actions } });
            log.info({ event: 'search.index-used', index }, 'searches use the new index');
        }

        await this.removeOthers([index, ...besides], check);
    }

    /** Removes all indexes but some, such as one whose building was given up. */
    async removeOthers(except: readonly (string | undefined)[], check: Check): Promise<void> {

        const others = [...(await this.#all()).keys()].filter((name) => !except.includes(name));
        for (const name of others) {
            await check();
            await this.#parts.client.send({ method: 'DELETE', path: `/${name}` }).catch(ignoreMissing);
        }
    }

    /** The indexes by name, with their aliases. Those of another repository may have a name with the same beginning. */
    async #all(): Promise<Map<string, { readonly aliases: object }>> {

        const found = await this.#parts.client.send<Record<string, { aliases: object }>>({ method: 'GET', path: `/${this.#alias}-*/_alias` });
        return new Map(Object.entries(found).filter(([name]) => OWN_NAME.test(name.slice(this.#alias.length + 1))));
    }
}

function ignoreMissing(error: unknown): void {

    if (!(error instanceof EngineError) || error.failure !== 'missing') {
        throw error;
    }
}
