/** What searches send and receive. */

import type { DigitalObject } from '../../../lib/client/web/types.js';
import type { Json, JsonMap } from '../json/exact-number.js';

/** A result; only some of its properties were asked for. */
export type Result = Omit<DigitalObject, 'content'> & { readonly content?: Json };

/** An object whose numbers are as they were sent. */
export interface ExactResult extends JsonMap {
    readonly id: string;
    readonly type: string;
    readonly content: Json;
}

/** Parameters of a search. */
export interface SearchBody {
    readonly query: string;
    readonly filterQueries?: readonly string[];
    readonly sortFields?: string;
    readonly pageNum?: number;
    readonly pageSize?: number;
    readonly filter?: readonly string[];
    readonly facets?: readonly { readonly field: string; readonly maxBuckets: number }[];
    readonly ids?: boolean;
}
