/**
 * Computes handle records of objects and of the service itself. Nothing is stored: a record follows from the object, the design
 * and the script of the design.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { ObjectResolution } from '../objects/read/object-resolution.js';
import type { StoredObject } from '../model/stored-object.js';
import type { Catalog } from '../types/catalog.js';
import type { HandleIdentity, HandleValue } from './handle-value.js';
import type { HandleLocation } from './locations.js';
import type { HandleLink, MintingConfig } from './minting-config.js';
import { ANONYMOUS, type Caller } from '../model/caller.js';
import { adminValue, freeIndex, readValues, textValue, timestampOf } from './handle-value.js';
import { LOCATIONS_TYPE, locationsOf, locationsXml } from './locations.js';
import { readMintingConfig } from './minting-config.js';

/**
 * Calls `createHandleValues` of the script of the design (`handleMintingConfig.javascript`) and resolves to its result;
 * undefined if the script has no such function. `resolver` is the caller who gets the record; null if it is registered.
 */
export type HandleValuesHook = (object: StoredObject, requestContext: JsonObject, resolver: Caller | null) => Promise<JsonValue | undefined>;

/** Dependencies of handle records. */
export interface RecordSources {
    readonly catalog: Catalog;
    readonly policy: Policy;
    readonly resolution: () => ObjectResolution;
    /** Base URL of a user interface; null if there is none. */
    readonly uiBase: string | null;
    /** Address of the service as far as it knows it, with a trailing slash; used if the design has no base URI. */
    readonly ownBase: () => string | undefined;
    /** Returns the description of the service, as Hello does. */
    readonly serviceInfo: () => JsonValue;
    /** Administrator of handles if the design names none. */
    readonly adminIdentity: HandleIdentity | null;
    /** Null without script engine. */
    readonly hook: HandleValuesHook | null;
}

const SERVICE = '0.TYPE/DOIPService';
const SERVICE_INFO = '0.TYPE/DOIPServiceInfo';

/** Computes handle records. */
export class HandleRecords {

    readonly #sources: RecordSources;
    /** Time of the record of the service, which may change at a restart only. */
    readonly #since = timestampOf(Date.now());
    #read: { readonly design: object; readonly config: MintingConfig } | null = null;

    constructor(sources: RecordSources) {

        this.#sources = sources;
    }

    /** The current configuration. */
    get config(): MintingConfig {

        const { content } = this.#sources.catalog.current.design;
        if (this.#read?.design !== content) {
            this.#read = { design: content, config: readMintingConfig(content) };
        }

        return this.#read.config;
    }

    /**
     * Returns the record of an object for callers who see all of it.
     *
     * @throws Error if the script fails or returns invalid handle values
     */
    of(object: StoredObject, requestContext: JsonObject, resolver: Caller): Promise<HandleValue[]> {

        return this.#make(object, { withInside: true, requestContext, resolver });
    }

    /** Returns the record of an object as the design alone determines it; the fallback when the script fails. */
    ofDesign(object: StoredObject): HandleValue[] {

        const timestamp = timestampOf(object.metadata.modifiedOn);
        return this.#withService(this.#ownValues(object, true, timestamp), timestamp);
    }

    /** Returns the record in its public form: without links to parts of the object that the public does not see. Throws like {@link of}. */
    ofPublic(object: StoredObject): Promise<HandleValue[]> {

        return this.#make(object, { withInside: this.#isOpen(object), requestContext: {}, resolver: null });
    }

    async #make(
        object: StoredObject, { withInside, requestContext, resolver }: { withInside: boolean; requestContext: JsonObject; resolver: Caller | null }
    ): Promise<HandleValue[]> {

        const { config } = this;
        const { hook } = this.#sources;
        const timestamp = timestampOf(object.metadata.modifiedOn);
        const scripted = config.hasScript && hook ? await hook(object, requestContext, resolver) : undefined;
        return this.#withService(scripted === undefined ? this.#ownValues(object, withInside, timestamp) : readValues(scripted, timestamp), timestamp);
    }

    /** Adds the value that names the service of an object, unless the design or the script has decided otherwise. */
    #withService(values: readonly HandleValue[], timestamp: string): HandleValue[] {

        if (this.config.omitService || values.some(({ type }) => type === SERVICE)) {
            return [...values];
        }

        return [...values, textValue(freeIndex(values), SERVICE, this.serviceId, timestamp)];
    }

    /** True if a change of an object may have changed its public record, timestamps aside. */
    differ(before: StoredObject, after: StoredObject): boolean {

        const publicLinks = (object: StoredObject): string => locationsXml(this.#locations(object, this.#isOpen(object)));
        return this.config.hasScript || publicLinks(before) !== publicLinks(after);
    }

    /** Returns the record of the service. */
    ofService(): HandleValue[] {

        const timestamp = this.#since;
        const info = textValue(1, SERVICE_INFO, JSON.stringify(this.#sources.serviceInfo()), timestamp);
        const { serviceValues } = this.config;
        const further = serviceValues === undefined ? [] : readValues(serviceValues, timestamp);
        return [...this.#adminValues(timestamp), info, ...further.filter(({ index }) => index !== info.index)];
    }

    #ownValues(object: StoredObject, withInside: boolean, timestamp: string): HandleValue[] {

        const locations = this.#locations(object, withInside);
        return [
            ...this.#adminValues(timestamp),
            ...(locations.length > 0 ? [textValue(1, LOCATIONS_TYPE, locationsXml(locations), timestamp)] : [])
        ];
    }

    #adminValues(timestamp: string): HandleValue[] {

        const identity = this.config.adminIdentity ?? this.#sources.adminIdentity;
        return identity ? [adminValue(identity, timestamp)] : [];
    }

    /** Returns the locations of an object; none if the address of the service is unknown. */
    #locations(object: StoredObject, withInside: boolean): HandleLocation[] {

        const service = this.config.baseUri ?? this.#sources.ownBase();
        if (service === undefined) {
            return [];
        }

        const links = this.config.linksOf(object.type);
        const allowed = withInside ? links : links.filter(isOutside);
        return locationsOf(object, allowed, { service, ui: this.#sources.uiBase });
    }

    /** True if everyone sees the object as it is stored: the public may read it, and no code of its type changes what is shown. */
    #isOpen(object: StoredObject): boolean {

        const { policy, resolution } = this.#sources;
        return policy.canRead(ANONYMOUS, object).allowed && !resolution().concerns(object.type);
    }

    /** Id of the service, which is a handle too. */
    get serviceId(): string {

        return this.#sources.catalog.current.serviceId;
    }
}

/** True for links that reveal nothing about the content of the object. */
function isOutside({ type }: HandleLink): boolean {

    return type === 'json' || type === 'ui';
}
