/**
 * Resolves handles like the public handle proxy: to records, and to the URL where a person or a program finds the object. A
 * handle whose object the caller may not read is answered like one that does not exist.
 */

import type { Log } from '../../db/log.js';
import type { JsonObject } from '../util/json-types.js';
import type { Caller } from '../model/caller.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { ObjectResolution } from '../objects/read/object-resolution.js';
import type { StoredObject } from '../model/stored-object.js';
import type { HandleRecords } from './handle-records.js';
import type { HandleValue } from './handle-value.js';
import type { HandleLocation } from './locations.js';
import { LogLimiter } from '../util/log-limiter.js';
import { DoipError, isTemporary, notFound } from '../errors/errors.js';
import { DESIGN_ID } from '../doip/ids.js';
import { Status } from '../errors/status.js';
import { textOf } from './handle-value.js';
import { LOCATIONS_TYPE, readLocations, uiAddress, webAddress } from './locations.js';

/** Response codes of the handle protocol. */
const SUCCESS = 1;
const HANDLE_NOT_FOUND = 100;
const VALUES_NOT_FOUND = 200;

/** A handle to resolve, and its caller. */
export interface Resolving {
    readonly handle: string;
    /** The object with this id; null if there is none, or if it is the service. */
    readonly object: StoredObject | null;
    readonly isService: boolean;
    readonly caller: Caller;
    readonly requestContext: JsonObject;
}

/** The part of `OperationContext` that operations on handles use. */
export interface HandleOperation {
    readonly targetId: string;
    readonly hasTarget: boolean;
    /** Must not be read unless {@link hasTarget} is true. */
    readonly target: StoredObject;
    readonly caller: Caller;
    readonly requestContext: JsonObject;
    readonly services: { readonly serviceId: string };
}

/** Returns the handle that an operation is performed on. */
export function resolvingOf(context: HandleOperation): Resolving {

    const { targetId, hasTarget, caller, requestContext, services: { serviceId } } = context;
    return { handle: targetId, object: hasTarget ? context.target : null, isService: targetId === serviceId, caller, requestContext };
}

/** Filter on the values of a record: union of indexes and types; empty selects all. */
export interface ValueFilter {
    readonly indexes: readonly number[];
    /** A type that ends with a period matches everything that begins with it. */
    readonly types: readonly string[];
}

/** Location of a view of an object. */
export interface Located {
    /** `json`, `ui`, `record`, or the name of a link in the record. */
    readonly view: string;
    /** URL; null if the service itself shows the view. */
    readonly href: string | null;
}

/** Matches every value. */
const ALL: ValueFilter = { indexes: [], types: [] };

/** Resolves handles. */
export class HandleResolver {

    readonly #records: HandleRecords;
    readonly #policy: Policy;
    readonly #resolution: () => ObjectResolution;
    readonly #uiBase: string | null;
    readonly #log: Log;
    /** Any client can request a record repeatedly: a failing script is logged every ten seconds at most. */
    readonly #logLimiter = new LogLimiter({ burst: 1, perSecond: 0.1 });

    constructor(parts: { records: HandleRecords; policy: Policy; resolution: () => ObjectResolution; uiBase: string | null; log: Log }) {

        this.#records = parts.records;
        this.#policy = parts.policy;
        this.#resolution = parts.resolution;
        this.#uiBase = parts.uiBase;
        this.#log = parts.log;
    }

    /**
     * Returns the record in the form of the handle proxy: `responseCode` (1, or 200 if the filter matches no value), `handle`,
     * `values`.
     *
     * @throws DoipError 404 with `responseCode` 100 if the handle does not exist, or the caller may not read the object
     */
    async resolve(resolving: Resolving, filter: ValueFilter): Promise<JsonObject> {

        return recordOf(resolving.handle, await this.#valuesOf(resolving), filter);
    }

    /** Returns the location of a view, or of the default view, together with the record. Throws like {@link resolve}. */
    async locate(resolving: Resolving, view: string | undefined): Promise<Located & { record: JsonObject }> {

        const values = await this.#valuesOf(resolving);
        return { ...this.#choose(resolving, values, view), record: recordOf(resolving.handle, values, ALL) };
    }

    #choose({ handle, object }: Resolving, values: readonly HandleValue[], view: string | undefined): Located {

        if (!object || view === 'record') {
            return { view: 'record', href: null };
        }

        const locations = values.filter(({ type }) => type === LOCATIONS_TYPE).flatMap((value) => readLocations(textOf(value)));
        const requested = locations.find((location) => location.view === view) ?? (isOwnView(view) ? { href: '', view } : undefined);
        return this.#located(requested ?? byWeight(locations) ?? firstUrl(values) ?? UI, handle);
    }

    async #valuesOf(resolving: Resolving): Promise<HandleValue[]> {

        if (resolving.isService) {
            return this.#records.ofService();
        }

        const object = await this.#visible(resolving);
        if (!object) {
            throw unknownHandle(resolving);
        }

        const values = await this.#scriptedOf(object, resolving);
        if (!this.#policy.canRead(resolving.caller, object).allowed) {
            throw unknownHandle(resolving);                 // The rights have changed while the script ran
        }

        return values;
    }

    #scriptedOf(object: StoredObject, { requestContext, caller }: Resolving): Promise<HandleValue[]> {

        return this.#records.of(object, requestContext, caller).catch((error: unknown) => {

            if (error instanceof DoipError && (error.status !== Status.internal || error.http !== undefined)) {
                throw error;                                // a message of the script, or the service is overloaded
            }

            if (this.#logLimiter.pass() !== null) {
                this.#log.error({ event: 'handle.script-failed', err: error, handle: object.id }, 'handle record script failed, default record used');
            }

            return this.#records.ofDesign(object);
        });
    }

    /** Returns the object as the caller sees it; null if it does not exist or is not visible to the caller. */
    async #visible({ object, caller, requestContext }: Resolving): Promise<StoredObject | null> {

        if (!object || object.id === DESIGN_ID || !this.#policy.canRead(caller, object).allowed) {
            return null;
        }

        try {
            const { content, elements } = await this.#resolution().resolve(object, { caller, requestContext });
            return { ...object, content, elements };
        }
        catch (error) {
            if (!isTemporary(error) && error instanceof DoipError && error.cause === undefined) {
                return null;                                // hidden by the code of its type
            }

            throw error;
        }
    }

    /**
     * Resolves a location: the service knows where its own views are, and a URL that is unsafe for browsers is replaced by the
     * page of the object.
     */
    #located({ href, view }: Pick<HandleLocation, 'href' | 'view'>, handle: string): Located {

        const address = webAddress(href);
        if (view === 'json') {
            return { view, href: null };
        }

        if (view === 'ui' || address === undefined) {
            return { view: 'ui', href: this.#uiBase === null ? null : uiAddress({ service: '', ui: this.#uiBase }, handle) };
        }

        return { view, href: address };
    }
}

/** The page for people. */
const UI = { href: '', view: 'ui' };

function unknownHandle({ handle }: Pick<Resolving, 'handle'>): DoipError {

    return notFound(`handle ${handle} does not exist`, { details: { responseCode: HANDLE_NOT_FOUND, handle } });
}

/** Views that exist for every object, whatever its record contains. */
function isOwnView(view: string | undefined): view is string {

    return view === 'json' || view === 'ui';
}

function firstUrl(values: readonly HandleValue[]): Pick<HandleLocation, 'href' | 'view'> | undefined {

    const value = values.find(({ type }) => type === 'URL');
    return value && { href: textOf(value), view: 'url' };
}

function recordOf(handle: string, values: readonly HandleValue[], { indexes, types }: ValueFilter): JsonObject {

    const isSelected = ({ index, type }: HandleValue): boolean => indexes.includes(index) || types.some((expected) => isOfType(type, expected));
    const selected = indexes.length + types.length === 0 ? values : values.filter(isSelected);
    return { responseCode: selected.length > 0 ? SUCCESS : VALUES_NOT_FOUND, handle, values: selected as unknown as JsonObject[] };
}

function isOfType(type: string, expected: string): boolean {

    const actual = type.toLowerCase();
    const name = expected.toLowerCase();
    return actual === name || (name.endsWith('.') && (actual.startsWith(name) || actual === name.slice(0, -1)));
}

/** Returns a random location, weighted; undefined if all weights are 0. */
function byWeight(locations: readonly HandleLocation[]): HandleLocation | undefined {

    let point = Math.random() * locations.reduce((sum, { weight }) => sum + weight, 0);
    return locations.filter(({ weight }) => weight > 0).find(({ weight }) => {

        point -= weight;
        return point <= 0;
    });
}
