/**
 * Resolves handles as the public handle proxy does: to records, and to the place where a person or a program finds the object.
 * Whoever may not read an object is told the same as of a handle that does not exist.
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
import { DoipError, notFound } from '../errors/errors.js';
import { DESIGN_ID } from '../doip/ids.js';
import { Status } from '../errors/status.js';
import { textOf } from './handle-value.js';
import { LOCATIONS_TYPE, readLocations, uiAddress, webAddress } from './locations.js';

/** Codes of the handle protocol. */
const SUCCESS = 1;
const HANDLE_NOT_FOUND = 100;
const VALUES_NOT_FOUND = 200;

/** Whose handle is resolved, and for whom. */
export interface Resolving {
    readonly handle: string;
    /** The object of that id; null when there is none, or when it is the service. */
    readonly object: StoredObject | null;
    readonly isService: boolean;
    readonly caller: Caller;
    readonly requestContext: JsonObject;
}

/** What an operation on a handle knows; see `OperationContext`. */
export interface HandleOperation {
    readonly targetId: string;
    readonly hasTarget: boolean;
    /** Not to be read without {@link hasTarget}. */
    readonly target: StoredObject;
    readonly caller: Caller;
    readonly requestContext: JsonObject;
    readonly services: { readonly serviceId: string };
}

/** The handle that an operation is performed on. */
export function resolvingOf(context: HandleOperation): Resolving {

    const { targetId, hasTarget, caller, requestContext, services: { serviceId } } = context;
    return { handle: targetId, object: hasTarget ? context.target : null, isService: targetId === serviceId, caller, requestContext };
}

/** Which values of a record are wanted; all of them when nothing is said. */
export interface ValueFilter {
    readonly indexes: readonly number[];
    /** One that ends with a period stands for everything that begins with it. */
    readonly types: readonly string[];
}

/** Where an object is to be seen. */
export interface Located {
    /** `json`, `ui`, `record`, or what a link of the record is called. */
    readonly view: string;
    /** A web address; null where the service itself shows the view. */
    readonly href: string | null;
}

/** Milliseconds between two complaints about the script. */
const COMPLAINT_MS = 10_000;

/** Every value, whatever its index and type. */
const ALL: ValueFilter = { indexes: [], types: [] };

/** Resolves handles. */
export class HandleResolver {

    readonly #records: HandleRecords;
    readonly #policy: Policy;
    readonly #resolution: () => ObjectResolution;
    readonly #uiBase: string | null;
    readonly #log: Log;
    /** When it was last logged that a record could not be made (epoch ms). */
    #complainedOn = 0;

    constructor(parts: { records: HandleRecords; policy: Policy; resolution: () => ObjectResolution; uiBase: string | null; log: Log }) {

        this.#records = parts.records;
        this.#policy = parts.policy;
        this.#resolution = parts.resolution;
        this.#uiBase = parts.uiBase;
        this.#log = parts.log;
    }

    /**
     * The record in the form of the handle proxy: `responseCode` (1, or 200 when no value is of those wanted), `handle`, `values`.
     *
     * @throws DoipError 404 with `responseCode` 100 when there is no such handle, or none that the caller may know
     */
    async resolve(resolving: Resolving, filter: ValueFilter): Promise<JsonObject> {

        return recordOf(resolving.handle, await this.#valuesOf(resolving), filter);
    }

    /** The place of a view, or of the one that is followed when nobody asks for any, with the record. Throws like {@link resolve}. */
    async locate(resolving: Resolving, view: string | undefined): Promise<Located & { record: JsonObject }> {

        const values = await this.#valuesOf(resolving);
        return { ...this.#choose(resolving, values, view), record: recordOf(resolving.handle, values, ALL) };
    }

    #choose({ handle, object }: Resolving, values: readonly HandleValue[], view: string | undefined): Located {

        if (!object || view === 'record') {
            return { view: 'record', href: null };
        }

        const places = values.filter(({ type }) => type === LOCATIONS_TYPE).flatMap((value) => readLocations(textOf(value)));
        const asked = places.find((place) => place.view === view) ?? (isOwnView(view) ? { href: '', view } : undefined);
        return this.#located(asked ?? byWeight(places) ?? firstUrl(values) ?? UI, handle);
    }

    async #valuesOf(resolving: Resolving): Promise<HandleValue[]> {

        if (resolving.isService) {
            return this.#records.ofService();
        }

        const object = await this.#visible(resolving);
        if (!object) {
            const { handle } = resolving;
            throw notFound(`handle ${handle} does not exist`, { details: { responseCode: HANDLE_NOT_FOUND, handle } });
        }

        return this.#records.of(object, resolving.requestContext).catch((error: unknown) => {

            if (error instanceof DoipError && (error.status !== Status.internal || error.http !== undefined)) {
                throw error;                                // What the script wants to be said, or that there is no room for it now
            }

            this.#complain(object.id, error);
            return this.#records.ofDesign(object);
        });
    }

    /** Anybody can ask for a record again and again: the log hears of it once in a while. */
    #complain(handle: string, error: unknown): void {

        const now = Date.now();
        if (now - this.#complainedOn >= COMPLAINT_MS) {
            this.#complainedOn = now;
            this.#log.error({ err: error, handle }, 'the script of the design makes no record of a handle; it is resolved without the script');
        }
    }

    /** The object as the caller sees it; null when there is none, or none for this caller. */
    async #visible({ object, caller, requestContext }: Resolving): Promise<StoredObject | null> {

        if (!object || object.id === DESIGN_ID || !this.#policy.canRead(caller, object).allowed) {
            return null;
        }

        try {
            const { content, elements } = await this.#resolution().resolve(object, { caller, requestContext });
            return { ...object, content, elements };
        }
        catch (error) {
            if (error instanceof DoipError && error.cause === undefined) {
                return null;                                // The code of its type keeps it back
            }

            throw error;
        }
    }

    /** The service knows best where its own views are; a place that no browser must be sent to is replaced by the page. */
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

/** Views that there are of every object, whatever its record says. */
function isOwnView(view: string | undefined): view is string {

    return view === 'json' || view === 'ui';
}

function firstUrl(values: readonly HandleValue[]): Pick<HandleLocation, 'href' | 'view'> | undefined {

    const value = values.find(({ type }) => type === 'URL');
    return value && { href: textOf(value), view: 'url' };
}

function recordOf(handle: string, values: readonly HandleValue[], { indexes, types }: ValueFilter): JsonObject {

    const isWanted = ({ index, type }: HandleValue): boolean => indexes.includes(index) || types.some((wanted) => isOfType(type, wanted));
    const wanted = indexes.length + types.length === 0 ? values : values.filter(isWanted);
    return { responseCode: wanted.length > 0 ? SUCCESS : VALUES_NOT_FOUND, handle, values: wanted as unknown as JsonObject[] };
}

function isOfType(type: string, wanted: string): boolean {

    const given = type.toLowerCase();
    const name = wanted.toLowerCase();
    return given === name || (name.endsWith('.') && (given.startsWith(name) || given === name.slice(0, -1)));
}

/** One place at random, by weight; undefined when none has any. */
function byWeight(places: readonly HandleLocation[]): HandleLocation | undefined {

    let point = Math.random() * places.reduce((sum, { weight }) => sum + weight, 0);
    return places.filter(({ weight }) => weight > 0).find(({ weight }) => {

        point -= weight;
        return point <= 0;
    });
}
