/**
 * Valid content, with the annotations of its schema.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { AccountAnnotations } from './account-annotations.js';

/** A value of content that refers to another object. */
export interface ContentReference {
    /** JSON pointer of the value. */
    readonly pointer: string;
    /** The complete id: the text that the schema prepends, plus the value. */
    readonly id: string;
    /** Allowed types of the object; absent if any is allowed. */
    readonly types?: readonly string[];
    /** Types that are not allowed. */
    readonly excludeTypes?: readonly string[];
}

/** The extension keyword applied to one value of the content. */
export interface Annotation {
    /** JSON pointer of the value in the content. */
    readonly pointer: string;
    /** Members of the extension keyword. */
    readonly keyword: JsonObject;
    readonly value: JsonValue;
}

/** Content that is valid for its type. */
export interface ProcessedContent {
    /** With generated fields, in property order of the schema. A new object; unchanged parts are shared with the input. */
    readonly content: JsonObject;
    /** All annotations of the content. */
    readonly annotations: readonly Annotation[];
    /** Referenced objects, not looked up yet. */
    readonly references: readonly ContentReference[];
    /** Values for authentication and groups, and values to be stored as hashes. */
    readonly roles: AccountAnnotations;
    /** Name of the directory if the elements of the object are script modules; otherwise undefined. */
    readonly moduleDirectory: string | undefined;
}
