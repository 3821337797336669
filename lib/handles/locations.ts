/**
 * Where an object can be seen: the links that the design asks for, and the XML of the handle value `10320/loc` that carries
 * them to resolvers.
 */

import type { StoredObject } from '../model/stored-object.js';
import type { HandleLink } from './minting-config.js';
import { idPath } from '../doip/ids.js';
import { escapeMarkup, unescapeMarkup } from '../util/text/xml-escape.js';
import { getAt } from '../json/pointer.js';

/** Type of the handle value that holds places. */
export const LOCATIONS_TYPE = '10320/loc';

/** One place. */
export interface HandleLocation {
    readonly href: string;
    /** Places of more than 0 are followed when nobody asks for another one; those of this service have 0 or 1. */
    readonly weight: number;
    /** What `locatt=view:…` calls it: `json`, `ui`, the name of an element, or the JSON pointer of a URL. */
    readonly view: string;
}

/** Where the parts of the service are reached. Both end so that an id can follow. */
export interface Bases {
    /** Of the REST interface, with a slash at its end. */
    readonly service: string;
    /** Of a user interface; null when there is none: then it is the page that the service itself shows. */
    readonly ui: string | null;
}

/** The places of an object, in the order of the links. A URL that is none, and an element that is not there, have no place. */
export function locationsOf(object: StoredObject, links: readonly HandleLink[], bases: Bases): HandleLocation[] {

    return links.flatMap((link) => {

        const weight = link.primary ? 1 : 0;
        return targetsOf(object, link, bases).map(([view, href]) => ({ href, weight, view }));
    });
}

/** The address of an object as JSON. */
export function jsonAddress(base: string, id: string): string {

    return `${base}objects/${idPath(id)}`;
}

/** The address of an object for people. */
export function uiAddress({ service, ui }: Bases, id: string): string {

    return ui === null ? `${service}hdl/${idPath(id)}?locatt=view:ui` : `${ui}#objects/${idPath(id)}`;
}

/** The XML of `10320/loc`. */
export function locationsXml(locations: readonly HandleLocation[]): string {

    const lines = locations.map(({ href, weight, view }) =>
        `<location href="${escapeMarkup(href)}" weight="${weight}" view="${escapeMarkup(view)}" />\n`);
    return `<locations>\n${lines.join('')}</locations>`;
}

/** The places in such XML, also when a script wrote it; what is odd is left out. */
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

/** A web address in the form that headers can carry; undefined for anything else that a browser must not be sent to. */
export function webAddress(text: string): string | undefined {

    return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? new URL(text).href : undefined;
}
