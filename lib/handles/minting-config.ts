/**
 * The part of the design that says what handle records look like: `handleMintingConfig`.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { HandleIdentity } from './handle-value.js';
import { parsePointer } from '../json/pointer.js';
import { isJsonObject } from '../util/json-types.js';
import { parseIdentity } from './handle-value.js';

/** One kind of link in the records of objects. */
export interface HandleLink {
    /** To the object as JSON, to its page, to the bytes of elements, or to a URL inside of the content. */
    readonly type: 'json' | 'ui' | 'payload' | 'url';
    /** Name of the element, or JSON pointer of the URL. */
    readonly specific: string | undefined;
    /** Every element, for `payload`. */
    readonly all: boolean;
    /** True for the link that a resolver follows when nobody asks for another. */
    readonly primary: boolean;
}

/** What handle records are made from. */
export interface MintingConfig {
    /** True when the design asks for records: it has a base URI or a script. Only then handles are registered with others. */
    readonly isActive: boolean;
    /** Where the service is reached, with a slash at its end; undefined when the design does not say. */
    readonly baseUri: string | undefined;
    /** True when `createHandleValues` of a script of the design makes the records. */
    readonly hasScript: boolean;
    readonly adminIdentity: HandleIdentity | null;
    /** True to leave out the value that names the service. */
    readonly omitService: boolean;
    /** Further values of the record of the service itself, as they stand in the design. */
    readonly serviceValues: JsonValue | undefined;
    /** The links for objects of a type. */
    linksOf(type: string): readonly HandleLink[];
}

const LINK_TYPES = ['json', 'ui', 'payload', 'url'] as const;

const DEFAULT_LINKS: readonly HandleLink[] = [
    { type: 'json', specific: undefined, all: false, primary: false },
    { type: 'ui', specific: undefined, all: false, primary: true }
];

/** Reads it from the content of the design object. What is missing or odd counts as not said. */
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
    const known = LINK_TYPES.find((name) => name === type);
    const text = typeof specific === 'string' ? specific : undefined;
    const isUsable = known !== undefined && (known !== 'url' || (text !== undefined && isPointer(text)));
    return isUsable ? [{ type: known, specific: text, all: all === true, primary: primary === true }] : [];
}

function isPointer(text: string): boolean {

    try {
        return parsePointer(text).length > 0;
    }
    catch {
        return false;                                       // The design was saved by somebody who cannot be told any more
    }
}
