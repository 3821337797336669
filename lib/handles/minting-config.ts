/**
 * `handleMintingConfig` of the design: determines the content of handle records.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { HandleIdentity } from './handle-value.js';
import { parsePointer } from '../json/pointer.js';
import { isJsonObject } from '../util/json-types.js';
import { parseIdentity } from './handle-value.js';

/** One kind of link in handle records of objects. */
export interface HandleLink {
    /** Target: the object as JSON, its page, the bytes of elements, or a URL in the content. */
    readonly type: 'json' | 'ui' | 'payload' | 'url';
    /** Name of the element, or JSON pointer of the URL. */
    readonly specific: string | undefined;
    /** For `payload`: true for all elements. */
    readonly all: boolean;
    /** True for the link that resolvers follow by default. */
    readonly primary: boolean;
}

/** Configuration of handle records. */
export interface MintingConfig {
    /** True if the design has a base URI or a script. Handles are registered with a handle server only then. */
    readonly isActive: boolean;
    /** Base URI of the service with a trailing slash; undefined if the design has none. */
    readonly baseUri: string | undefined;
    /** True if `createHandleValues` in a script of the design computes the records. */
    readonly hasScript: boolean;
    readonly adminIdentity: HandleIdentity | null;
    /** True to omit the value that names the service. */
    readonly omitService: boolean;
    /** Additional values of the record of the service itself, as written in the design. */
    readonly serviceValues: JsonValue | undefined;
    /** Returns the links for objects of a type. */
    linksOf(type: string): readonly HandleLink[];
}

const LINK_TYPES = ['json', 'ui', 'payload', 'url'] as const;

const DEFAULT_LINKS: readonly HandleLink[] = [
    { type: 'json', specific: undefined, all: false, primary: false },
    { type: 'ui', specific: undefined, all: false, primary: true }
];

/** Reads the content of the design object. Missing and malformed members count as not set. */
export function readMintingConfig(design: JsonObject): MintingConfig {

    const config = isJsonObject(design.handleMintingConfig) ? design.handleMintingConfig : {};
    const { baseUri, javascript, handleAdminIdentity, schemaSpecificLinks } = config;
    const base = typeof baseUri === 'string' && baseUri !== '' ? baseUri.replace(/\/?$/, '/') : undefined;
    const hasScript = typeof javascript === 'string' && javascript !== '';
    const byType = isJsonObject(schemaSpecificLinks) ? schemaSpecificLinks : {};
    const defaultLinks = readLinks(config.defaultLinks) ?? DEFAULT_LINKS;
    return {
        isActive: base !== undefined || hasScript,
        baseUri: base,
        hasScript,
        adminIdentity: typeof handleAdminIdentity === 'string' ? parseIdentity(handleAdminIdentity) : null,
        omitService: config.omitDoipServiceHandleValue === true,
        serviceValues: config.doipServiceHandleValues,
        linksOf: (type) => readLinks(Object.hasOwn(byType, type) ? byType[type] : undefined) ?? defaultLinks
    };
}

function readLinks(links: JsonValue | undefined): HandleLink[] | undefined {

    return Array.isArray(links) ? links.flatMap(readLink) : undefined;
}

function readLink(link: JsonValue): HandleLink[] {

    const { type, specific, all, primary }: JsonObject = isJsonObject(link) ? link : {};
    const linkType = LINK_TYPES.find((name) => name === type);
    const text = typeof specific === 'string' ? specific : undefined;
    const isUsable = linkType !== undefined && (linkType !== 'url' || (text !== undefined && isPointer(text)));
    return isUsable ? [{ type: linkType, specific: text, all: all === true, primary: primary === true }] : [];
}

function isPointer(text: string): boolean {

    try {
        return parsePointer(text).length > 0;
    }
    catch {
        return false;                                       // stored earlier: too late to reject the design
    }
}
