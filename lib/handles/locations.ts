/**
 * Locations of an object: the links that the design configures, and the XML of the handle value `10320/loc` that carries them
 * to resolvers.
 */

import type { StoredObject } from '../model/stored-object.js';
import type { HandleLink } from './minting-config.js';
import { idPath } from '../doip/ids.js';
import { escapeMarkup, unescapeMarkup } from '../util/text/xml-escape.js';
import { getAt } from '../json/pointer.js';

/** Type of the handle value with locations. */
export const LOCATIONS_TYPE = '10320/loc';

/** One location. */
export interface HandleLocation {
    readonly href: string;
    /** A location with a weight above 0 may be followed by default; locations of this service have 0 or 1. */
    readonly weight: number;
    /** Name for `locatt=view:…`: `json`, `ui`, the name of an element, or the JSON pointer of a URL. */
    readonly view: string;
}

/** Base URLs of the service. */
export interface Bases {
    /** REST interface, with a trailing slash. */
    readonly service: string;
    /** User interface, to which `#objects/<id>` is appended; null for the page of the service itself. */
    readonly ui: string | null;
}

/** Returns the locations of an object, in the order of the links. Invalid URLs and missing elements are left out. */
export function locationsOf(object: StoredObject, links: readonly HandleLink[], bases: Bases): HandleLocation[] {

    return links.flatMap((link) => {

        const weight = link.primary ? 1 : 0;
        return targetsOf(object, link, bases).map(([view, href]) => ({ href, weight, view }));
    });
}

/** Returns the URL of an object as JSON. */
function jsonAddress(base: string, id: string): string {

    return `${base}objects/${idPath(id)}`;
}

/** Returns the URL of the page of an object. */
export function uiAddress({ service, ui }: Bases, id: string): string {

    return ui === null ? `${service}hdl/${idPath(id)}?locatt=view:ui` : `${ui}#objects/${idPath(id)}`;
}

/** Returns the XML of `10320/loc`. */
export function locationsXml(locations: readonly HandleLocation[]): string {

    const lines = locations.map(({ href, weight, view }) =>
        `<location href="${escapeMarkup(href)}" weight="${weight}" view="${escapeMarkup(view)}" />\n`);
    return `<locations>\n${lines.join('')}</locations>`;
}

/** Parses such XML, also from scripts; malformed locations are left out. */
export function readLocations(xml: string): HandleLocation[] {

    return [...xml.matchAll(/<location\s([^<>]*)>/g)].flatMap(([, attributes = '']) => {

        const read = new Map([...attributes.matchAll(/(?<![\w:])([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
            .map(([, name, double, single]) => [name, unescapeMarkup(double ?? single ?? '')]));
        const href = read.get('href');
        const weight = Number(read.get('weight') ?? 1);
        return href === undefined ? [] : [{ href, weight: weight > 0 ? weight : 0, view: read.get('view') ?? '' }];
    });
}

function targetsOf(object: StoredObject, { type, specific, all }: HandleLink, bases: Bases): [view: string, href: string][] {

    switch (type) {
        case 'json':
            return [['json', jsonAddress(bases.service, object.id)]];
        case 'ui':
            return [['ui', uiAddress(bases, object.id)]];
        case 'payload':
            return object.elements.filter(({ name }) => all || name === specific)
                .map(({ name }) => [name, `${jsonAddress(bases.service, object.id)}?payload=${encodeURIComponent(name)}`]);
        case 'url': {
            const url = specific === undefined ? undefined : urlAt(object, specific);
            return specific === undefined || url === undefined ? [] : [[specific, url]];
        }
    }
}

function urlAt({ content }: StoredObject, pointer: string): string | undefined {

    const value = getAt(content, pointer);
    return typeof value === 'string' ? webAddress(value) : undefined;
}

/** Returns a normalised http(s) URL that is safe for headers; undefined for anything else, to which browsers must not be redirected. */
export function webAddress(text: string): string | undefined {

    return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? new URL(text).href : undefined;
}
