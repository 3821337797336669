/**
 * Ownership of the indexes with a prefix. The document `repository` in the engine and a setting in the database have the same random id, so
 * that two repositories never share a prefix.
 */

import { randomUUID } from 'node:crypto';
import type { Database } from '../../../db/database.js';
import { withAddress } from '../../stores/known-addresses.js';
import { SettingStore } from '../../stores/setting-store.js';
import type { Log } from '../../../db/log.js';
import type { EngineClient } from './engine-client.js';
import { EngineError, OtherClusterError, SearchEngineError } from './engine-error.js';
import type { EngineLocation } from '../../stores/search/engine-location.js';
import { isJsonObject } from '../../util/json-types.js';

/** Setting with the id of the repository and the place of its indexes. */
const SEARCH_ENGINE_SETTING = 'search-engine';

const MARKER = 'repository';
const CLAIMED = 'search-engine:claimed';

/** Major versions that the service knows; it is tested with the first. */
const VERSIONS = ['2', '3'];

/** UUID of a cluster that is not formed yet. */
const NO_CLUSTER = '_na_';

interface Claim {
    readonly repository: string;
    readonly node: string;
    readonly prefix: string;
    /** Where nodes have found the engine, as {@link addressOf} writes it; absent in what versions have stored that did not remember them. */
    readonly addresses?: readonly string[];
    /** UUID of the cluster; absent where it was not known yet. */
    readonly cluster?: string;
    /** False until the engine has the id. */
    readonly isMarked: boolean;
}

/** Where indexes are, however they are reached. */
interface EngineIdentity {
    /** UUID of the cluster; absent or null where it is not known. */
    readonly cluster?: string | null;
    readonly prefix: string;
}

/** An engine as it was found. */
interface FoundEngine extends EngineIdentity {
    /** Whether there is an id of a repository. */
    readonly isMarked: boolean;
}

function addressOf({ node, prefix }: Pick<Claim, 'node' | 'prefix'>): string {

    return `${node}/${prefix}`;
}

function addressesOf(claim: Claim): readonly string[] {

    return claim.addresses ?? [addressOf(claim)];
}

interface ClaimParts {
    readonly client: EngineClient;
    readonly location: EngineLocation;
    readonly db: Database;
    /** Returns whether this process may move the indexes from where they are claimed; may wait for signs of other nodes, and throws when it is ended meanwhile. */
    readonly mayMove: (from: EngineIdentity) => Promise<boolean>;
    /** Of a request, in milliseconds. */
    readonly timeoutMs: number;
}

/** Name of the index with what the service remembers of its indexes. */
export function metaIndex({ prefix }: EngineLocation): string {

    return `${prefix}-meta`;
}

/** Milliseconds that the engine may take for an answer, unless told otherwise, and between two checks of it. */
const ANSWER_MS = 10_000;
const CHECK_MS = 30_000;

/** What the ownership depends on. */
export interface OwnershipParts {
    readonly location: EngineLocation;
    readonly db: Database;
    readonly log: Log;
    /** Returns whether a node feeds the indexes; waits for signs of it, and throws when this process ends meanwhile. */
    readonly isFed: () => Promise<boolean>;
}

/**
 * What this process knows of the engine and its owner. Nodes never use different clusters or prefixes: only a start moves the indexes to another one
 * than is claimed, and only while no node feeds them; and the node that feeds follows its address when there is a new engine behind it.
 */
export class EngineOwnership {

    readonly #parts: OwnershipParts;
    /** The engine as this process has used it; null from a start without it until it was checked. */
    #claimed: EngineIdentity | null = null;
    /** True while it is not that of the other nodes. */
    #isRejected = false;
    /** When it was checked last, by the monotonic clock. */
    #checkedOn = performance.now();

    constructor(parts: OwnershipParts) {

        this.#parts = parts;
    }

    /**
     * Claims the engine at the start. One that was used before and does not answer now is an outage, during which the service starts.
     *
     * @throws SearchEngineError when the engine must not or cannot be used
     */
    async begin(client: EngineClient): Promise<void> {

        const { location, location: { node }, db, log, isFed } = this.#parts;
        const known = readClaim(await new SettingStore(db).get(SEARCH_ENGINE_SETTING));
        try {
            this.#claimed = await claimEngine({ client, location, db, timeoutMs: ANSWER_MS, mayMove: async () => !await isFed() });
        }
        catch (error) {
            if (!(error instanceof EngineError)) {
                throw error;
            }

            if (error.failure !== 'unreachable' || !known?.isMarked || !addressesOf(known).includes(addressOf(location))) {
                throw refusal(error, node);
            }

            log.error({ event: 'search.unreachable', err: error, engine: node }, 'the search engine does not answer, starting without it');
        }
    }

    /** Checks the engine when that was not done yet, and now and then, as another node may have moved to another one. @throws EngineError, OtherClusterError */
    async demand(client: EngineClient, timeoutMs: number): Promise<void> {

        const isClaimed = this.#claimed !== null && !this.#isRejected;
        if (isClaimed && performance.now() - this.#checkedOn < CHECK_MS) {
            return;
        }

        await this.#check({ client, timeoutMs, mayMove: () => Promise.resolve(false) }).catch((error: unknown) => {

            // Else it is an outage, which is found anyway, or not one of the engine.
            if (!isClaimed || error instanceof OtherClusterError) {
                throw error;
            }
        });
    }

    /** Checks the engine for the node that feeds, which must not lead others to one that it never shared with them. @throws EngineError, OtherClusterError */
    async follow(client: EngineClient): Promise<void> {

        const mayMove = (from: EngineIdentity): Promise<boolean> => Promise.resolve(this.#claimed !== null && isSame(this.#claimed, from));
        await this.#check({ client, timeoutMs: ANSWER_MS, mayMove });
    }

    async #check(how: Pick<ClaimParts, 'client' | 'timeoutMs' | 'mayMove'>): Promise<void> {

        const { location, db } = this.#parts;
        this.#checkedOn = performance.now();
        try {
            this.#claimed = await claimEngine({ location, db, ...how });
            this.#isRejected = false;
        }
        catch (error) {
            if (error instanceof OtherClusterError) {
                this.#isRejected = true;
                throw error;
            }

            throw error instanceof SearchEngineError ? new EngineError('denied', error.message, error) : error;
        }
    }
}

/**
 * Checks the engine, and takes a prefix that belongs to no repository.
 *
 * @throws SearchEngineError when the engine must not be used; EngineError
 */
async function claimEngine(parts: ClaimParts): Promise<EngineIdentity> {

    const { location, location: { node, prefix }, db } = parts;
    const settings = new SettingStore(db);
    const read = async (): Promise<Claim | null> => readClaim(await settings.get(SEARCH_ENGINE_SETTING));
    const known = await read();
    const cluster = await checkVersion(parts);
    const marker = await readMarker(parts);
    const found: FoundEngine = { cluster, prefix, isMarked: marker !== null };
    if (known && isElsewhere(known, found) && !await parts.mayMove(known)) {
        // Others may have begun to use this one meanwhile.
        const current = await read();
        if (current && isElsewhere(current, found)) {
            throw elsewhere(current, node, found);
        }
    }

    const claim = known ?? await begin(parts, settings, read);
    const owner = marker ?? await mark(parts, claim.repository);
    if (owner !== claim.repository) {
        throw new SearchEngineError(`the indexes ${prefix}-… at ${node} belong to another repository: choose another prefix in SEARCH_URL`);
    }

    if (!claim.isMarked || !isSame(claim, found) || !addressesOf(claim).includes(addressOf(location))) {
        await settings.change(SEARCH_ENGINE_SETTING, (text) => {

            const current = readClaim(text);
            if (isElsewhere(current, found) && !(known && isSame(known, current))) {
                throw elsewhere(current, node, found);
            }

            // Those of an engine that was left may lead to what is another repository's by now.
            const isCurrent = current.isMarked && current.prefix === prefix && (marker !== null || !known?.isMarked);
            const addresses = withAddress(isCurrent ? addressesOf(current) : [], addressOf(location));
            return JSON.stringify({ ...current, node, prefix, addresses, ...cluster === null ? {} : { cluster }, isMarked: true });
        });
    }

    return found;
}

/** Returns whether nodes have used another cluster or prefix. Of what was claimed without the UUID of the cluster, a missing mark tells. */
function isElsewhere(claim: Claim, found: FoundEngine): boolean {

    const isKnown = typeof claim.cluster === 'string' && typeof found.cluster === 'string';
    return claim.isMarked && (claim.prefix !== found.prefix || (isKnown ? claim.cluster !== found.cluster : !found.isMarked));
}

/** Returns whether two engines are the same, as far as is known. */
function isSame(one: EngineIdentity, other: EngineIdentity): boolean {

    return (one.cluster ?? null) === (other.cluster ?? null) && one.prefix === other.prefix;
}

function elsewhere(claim: Claim, node: string, { cluster, prefix }: FoundEngine): OtherClusterError {

    return new OtherClusterError('SEARCH_URL of this node leads to another OpenSearch than that of the nodes that run: ' +
        `this one is ${prefix}-… at ${node}, a cluster with the UUID ${cluster}, theirs ${claim.prefix}-… in ${claim.cluster ?? claim.node}: ` +
        'set the same SEARCH_URL on all nodes, or stop the others before you start this one');
}

function readClaim(text: string): Claim;
function readClaim(text: string | null): Claim | null;
function readClaim(text: string | null): Claim | null {

    return text === null ? null : JSON.parse(text) as Claim;
}

/** Returns the UUID of the cluster; null where it has none yet. */
async function checkVersion({ client, location: { node }, timeoutMs }: ClaimParts): Promise<string | null> {

    const info = await client.send<unknown>({ method: 'GET', path: '/', timeoutMs, takesText: true });
    const version = isJsonObject(info) && isJsonObject(info['version']) ? info['version'] as { distribution?: string; number?: string } : {};
    if (version.distribution !== 'opensearch') {
        throw new SearchEngineError(`${node} is not OpenSearch: SEARCH_URL must be the address of an OpenSearch server`);
    }

    const [major = ''] = (version.number ?? '').split('.');
    if (!VERSIONS.includes(major)) {
        throw new SearchEngineError(`OpenSearch at ${node} has version ${version.number}, but the service needs version ${VERSIONS.join(' or ')}`);
    }

    const cluster = isJsonObject(info) ? info['cluster_uuid'] : null;
    return typeof cluster === 'string' && cluster !== NO_CLUSTER ? cluster : null;
}

/** Stores an id before the engine has it; nodes that start at the same time agree on one. */
async function begin({ location: { node, prefix }, db }: ClaimParts, settings: SettingStore, read: () => Promise<Claim | null>): Promise<Claim> {

    const claim: Claim = { repository: randomUUID(), node, prefix, isMarked: false };
    const result = await db.commit({ steps: settings.insertSteps(SEARCH_ENGINE_SETTING, JSON.stringify(claim), CLAIMED) });
    return result.ok ? claim : await read() ?? claim;
}

/** Returns the id in the engine; null when there is none. */
async function readMarker({ client, location, timeoutMs }: ClaimParts): Promise<string | null> {

    try {
        const { _source } = await client.send<{ _source: { repository?: string } }>({ method: 'GET', path: `/${metaIndex(location)}/_doc/${MARKER}`, timeoutMs });
        return _source.repository ?? '';
    }
    catch (error) {
        if (error instanceof EngineError && error.failure === 'missing') {
            return null;
        }

        throw error;
    }
}

/** Stores the id where there is none; returns the one that is there then. */
async function mark(parts: ClaimParts, repository: string): Promise<string> {

    const { client, location, timeoutMs } = parts;
    const index = metaIndex(location);
    const settings = { index: { number_of_shards: 1, auto_expand_replicas: '0-1' } };
    await client.send({ method: 'PUT', path: `/${index}`, body: { settings, mappings: { dynamic: false } }, timeoutMs }).catch((error: unknown) => {

        // Another node was faster.
        if (!(error instanceof EngineError) || !error.message.includes('resource_already_exists')) {
            throw error;
        }
    });
    await client.send({ method: 'PUT', path: `/${index}/_create/${MARKER}`, body: { repository }, timeoutMs }).catch((error: unknown) => {

        if (!(error instanceof EngineError) || error.failure !== 'conflict') {
            throw error;
        }
    });
    return await readMarker(parts) ?? '';
}

function refusal(error: EngineError, node: string): SearchEngineError {

    const said = `(${error.message.replaceAll(/\s+/g, ' ').slice(0, 300)})`;
    switch (error.failure) {
        case 'unreachable':
            return new SearchEngineError(`no OpenSearch answers at ${node}: check SEARCH_URL ${said}`, true, error);
        case 'denied':
            return new SearchEngineError(`OpenSearch at ${node} refuses the user or the password of SEARCH_URL ${said}`, false, error);
        default:
            return new SearchEngineError(`OpenSearch at ${node} cannot be used ${said}`, false, error);
    }
}
