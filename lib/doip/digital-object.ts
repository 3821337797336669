/**
 * Digital objects as the specification describes them ("Resources and their fields"): the DOIP form, which is the form
 * the whole of lib speaks. The REST form is a projection made by the REST translator.
 */

import type { JsonObject } from '../util/json-types.js';

/** Who may do what with one object. Each array falls back to the defaults of its type on its own when it is absent. */
export interface Acl {
    readers?: string[];
    writers?: string[];
    /** When present it governs the reading of elements instead of `readers`. */
    payloadReaders?: string[];
    /** Who may call a method of the object, by the name of the method. */
    methods?: Record<string, string[]>;
}

/** Facts kept by the service. Times are epoch milliseconds. */
export interface Metadata {
    createdOn: number;
    createdBy: string;
    modifiedOn: number;
    modifiedBy: string;
    txnId?: number;
    hashes?: JsonObject;
    isVersion?: boolean;
    versionOf?: string;
    publishedBy?: string;
    publishedOn?: number;
}

/** A named binary part of an object; REST calls it payload. */
export interface Element {
    /** The name of the element, unique within its object. */
    id: string;
    /** Bytes. */
    length: number;
    /** Media type, when known. */
    type?: string;
    attributes: { filename?: string };
}

/** An object as it is handed to clients of the DOIP form. */
export interface DigitalObject {
    id: string;
    type: string;
    attributes: {
        content: JsonObject;
        acl?: Acl;
        userMetadata?: JsonObject;
        metadata?: Metadata;
        responseContext?: JsonObject;
    };
    elements: Element[];
}
