/**
 * Digital objects as specified ("Resources and their fields"), in the DOIP form, which all of lib uses. The REST translator
 * projects it to the REST form.
 */

import type { JsonObject } from '../util/json-types.js';

/** Access control list of one object. An absent list falls back, each on its own, to the default of its type. */
export interface Acl {
    readers?: string[];
    writers?: string[];
    /** If present, governs reading of elements instead of `readers`. */
    payloadReaders?: string[];
    /** Name of the method → who may call it. */
    methods?: Record<string, string[]>;
}

/** Metadata maintained by the service. Times in epoch milliseconds. */
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
    /** Name of the element, unique within its object. */
    id: string;
    /** Length in bytes. */
    length: number;
    /** Media type, if known. */
    type?: string;
    attributes: { filename?: string };
}

/** An object in the DOIP form, as sent to clients. */
export interface DigitalObject<C = JsonObject> {
    id: string;
    type: string;
    attributes: {
        content: C;
        acl?: Acl;
        userMetadata?: JsonObject;
        metadata?: Metadata;
        responseContext?: JsonObject;
    };
    elements: Element[];
    /** What belongs to the response and not to the object, such as the score of a search; the same as among the attributes. */
    responseContext?: JsonObject;
}
