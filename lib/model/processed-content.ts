/**
 * Content that its type allows, with what its schema says of it.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { AccountAnnotations } from './account-annotations.js';

/** A value of content that names another object. */
export interface ContentReference {
    /** JSON pointer of the value. */
    readonly pointer: string;
    /** The whole id: what the schema prepends, and the value. */
    readonly id: string;
    /** Types that the object may have; absent when any will do. */
    readonly types?: readonly string[];
    /** Types that it must not have. */
    readonly excludeTypes?: readonly string[];
}

/** The extension keyword at one place of the content. */
export interface Annotation {
    /** JSON pointer of the value in the content. */
    readonly pointer: string;
    /** Members of the extension keyword. */
    readonly keyword: JsonObject;
    readonly value: JsonValue;
}

/** Content that its type allows. */
export interface ProcessedContent {
    /** With generated fields, in the order of the schema. A new object; unchanged parts are shared with the input. */
    readonly content: JsonObject;
    /** The extension keyword wherever it applies. */
    readonly annotations: readonly Annotation[];
    /** Objects that it refers to; not looked up yet. */
    readonly references: readonly ContentReference[];
    /** Values for logging in, for groups, and those to be kept as hashes. */
    readonly roles: AccountAnnotations;
    /** Where the elements of the object are modules for scripts: the name of their directory. */
    readonly moduleDirectory: string | undefined;
}
