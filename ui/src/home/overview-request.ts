/** What the start page asks for first. The first script sends it before the start page is loaded. */

/** Objects that are shown as changed recently. */
export const RECENT = 10;

const MAX_TYPES = 100;

/** The last changed first. */
export const BY_TIME = '[{"name":"metadata/modifiedOn","reverse":true}]';

/** What people keep: not the types, which have a page of their own. */
export const CONTENT = '*:* -type:Schema -type:CordraDesign';

/** A search for the objects that match, the last changed first; only what is shown of them. */
export function latestBody(query: string, facets: readonly object[] = []): object {

    return { query, sortFields: BY_TIME, pageSize: RECENT, filter: ['/id', '/type', '/metadata/modifiedOn', '/metadata/modifiedBy'], facets };
}

/** What has changed, and how many objects there are of each type. */
export function overviewBody(): object {

    return latestBody(CONTENT, [{ field: 'type', maxBuckets: MAX_TYPES }]);
}
