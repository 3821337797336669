/**
 * Computes handle records: what resolvers are told about an object, and about the service itself. Nothing is stored: a record
 * follows from the object, the design and the script of the design.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { ObjectResolution } from '../objects/read/object-resolution.js';
import type { StoredObject } from '../model/stored-object.js';
import type { Catalog } from '../types/catalog.js';
import type { HandleIdentity, HandleValue } from './handle-value.js';
import type { HandleLocation } from './locations.js';
import type { HandleLink, MintingConfig } from './minting-config.js';
import { serviceId } from '../doip/ids.js';
import { ANONYMOUS } from '../model/caller.js';
import { adminValue, freeIndex, readValues, textValue, timestampOf } from './handle-value.js';
import { LOCATIONS_TYPE, locationsOf, locationsXml } from './locations.js';
import { readMintingConfig } from './minting-config.js';

/**
 * Runs `createHandleValues` of the script of the design (`handleMintingConfig.javascript`) and resolves to what it returned;
 * undefined when the script has no such function.
 */
export type HandleValuesHook = (object: StoredObject, requestContext: JsonObject) => Promise<JsonValue | undefined>;

/** What records depend on besides design and object. */
export interface RecordSources {
    readonly catalog: Catalog;
    readonly policy: Policy;
    readonly resolution: () => ObjectResolution;
    /** Base of a user interface, null when there is none. */
    readonly uiBase: string | null;
    /** Where the service is reached as far as it knows itself, with a slash at its end; for designs that do not say. */
    readonly ownBase: () => string | undefined;
    /** The description of the service, as Hello tells it. */
    readonly serviceInfo: () => JsonValue;
    /** Who administers handles where the design does not say. */
    readonly adminIdentity: HandleIdentity | null;
    /** Null as long as there is nothing that runs scripts. */
    readonly hook: HandleValuesHook | null;
}

const SERVICE = '0.TYPE/DOIPService';
const SERVICE_INFO = '0.TYPE/DOIPServiceInfo';

/** Makes handle records. */
export class HandleRecords {

    readonly #sources: RecordSources;
    /** The time of what is said about the service: it may have changed at the start. */
    readonly #since = timestampOf(Date.now());
    #read: { readonly design: object; readonly config: MintingConfig } | null = null;

    constructor(sources: RecordSources) {

        this.#sources = sources;
    }

    /** The configuration as it is now. */
    get config(): MintingConfig {

        const { content } = this.#sources.catalog.current.design;
        if (this.#read?.design !== content) {
            this.#read = { design: content, config: readMintingConfig(content) };
        }

        return this.#read.config;
    }

    /**
     * The record of an object for somebody who sees all of it.
     *
     * @throws Error when the script fails, or returns what are no handle values
     */
    of(object: StoredObject, requestContext: JsonObject): Promise<HandleValue[]> {

        return this.#make(object, { withInside: true, requestContext });
    }

    /** The record of an object as the design alone makes it, for when its script fails. */
    ofDesign(object: StoredObject): HandleValue[] {

        const timestamp = timestampOf(object.metadata.modifiedOn);
        return this.#withService(this.#ownValues(object, true, timestamp), timestamp);
    }

    /** The record as anybody may see it: links to what is inside are left out where the public does not see it. Throws like {@link of}. */
    ofPublic(object: StoredObject): Promise<HandleValue[]> {

        return this.#make(object, { withInside: this.#isOpen(object), requestContext: {} });
    }

    async #make(object: StoredObject, { withInside, requestContext }: { withInside: boolean; requestContext: JsonObject }): Promise<HandleValue[]> {

        const { config } = this;
        const { hook } = this.#sources;
        const timestamp = timestampOf(object.metadata.modifiedOn);
        const scripted = config.hasScript && hook ? await hook(object, requestContext) : undefined;
        return this.#withService(scripted === undefined ? this.#ownValues(object, withInside, timestamp) : readValues(scripted, timestamp), timestamp);
    }

    /** Says which service an object belongs to, unless the design or the script has its own mind about that. */
    #withService(values: readonly HandleValue[], timestamp: string): HandleValue[] {

        if (this.config.omitService || values.some(({ type }) => type === SERVICE)) {
            return [...values];
        }

        return [...values, textValue(freeIndex(values), SERVICE, this.serviceId, timestamp)];
    }

    /** Whether a change of an object may have changed its record as the public sees it, times aside. */
    differ(before: StoredObject, after: StoredObject): boolean {

        const publicLinks = (object: StoredObject): string => locationsXml(this.#locations(object, this.#isOpen(object)));
        return this.config.hasScript || publicLinks(before) !== publicLinks(after);
    }

    /** The record of the service. */
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

    /** None where the address of the service is not known. */
    #locations(object: StoredObject, withInside: boolean): HandleLocation[] {

        const service = this.config.baseUri ?? this.#sources.ownBase();
        if (service === undefined) {
            return [];
        }

        const links = this.config.linksOf(object.type);
        const allowed = withInside ? links : links.filter(isOutside);
        return locationsOf(object, allowed, { service, ui: this.#sources.uiBase });
    }

    /** Whether everybody sees the object as it is stored: it may be read by all, and no code of its type shows another one instead. */
    #isOpen(object: StoredObject): boolean {

        const { policy, resolution } = this.#sources;
        return policy.canRead(ANONYMOUS, object).allowed && !resolution().concerns(object.type);
    }

    /** The id of the service, which is a handle as well. */
    get serviceId(): string {

        return serviceId(this.#sources.catalog.current.prefix);
    }
}

/** Tells nothing of what is inside of the object. */
function isOutside({ type }: HandleLink): boolean {

    return type === 'json' || type === 'ui';
}
