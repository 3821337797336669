/**
 * What became of a new object whose response was lost: the service may have stored it before the connection was cut. It is looked for by its id where the user
 * has given one, else among what the user has created since, so that it is not created twice.
 */

import { caller } from '../api/session.js';
import { screenClient, textIn } from '../api/client.js';
import { quoted } from '../components/object-query.js';
import { sinceOf } from '../components/use-once.js';
import { RepositoryError } from '../../../lib/client/web/errors.js';
import { isEqual, isJsonMap } from '../json/exact-number.js';
import type { Json } from '../json/exact-number.js';
import { parseJson } from '../json/parse-json.js';
import { bodyOf, editedObject, readObject } from './object-access.js';
import type { EditedObject, Target } from './object-access.js';

/** A request that was sent, and not answered. */
export interface Attempt {
    readonly content: Json;
    /** Epoch milliseconds by the clock of the browser. */
    readonly began: number;
}

/** What was found: the object itself, others that the user has created since, or nothing. */
export interface Found {
    readonly object: EditedObject | null;
    readonly similar: readonly string[];
}

const NOTHING: Found = { object: null, similar: [] };

/** How often it is looked for, as the service may still be storing it, and the pause between, in milliseconds. */
const [LOOKS, PAUSE_MS] = [3, 1000];

/** Objects of the user that are looked at, the newest first. */
const MAX_RESULTS = 10;

const [FORBIDDEN, NOT_FOUND] = [403, 404];

/** Looks for the object of a request. @throws RepositoryError while the service does not answer either */
export async function findLost(target: Extract<Target, { readonly kind: 'new' }>, attempt: Attempt, prefix: string): Promise<Found> {

    const { handle = '', suffix = '' } = target;
    const id = handle !== '' ? handle : suffix !== '' && prefix !== '' ? `${prefix}/${suffix}` : null;
    for (let look = 1; ; ++look) {
        const found = id === null ? await findNewest(target.type, attempt) : await findById(id, attempt);
        if (found.object || found.similar.length > 0 || look === LOOKS) {
            return found;
        }

        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
}

async function findById(id: string, { content }: Attempt): Promise<Found> {

    try {
        const object = await readObject(id);
        return isStoredFrom(object.content, content) ? { object, similar: [] } : { object: null, similar: [id] };
    }
    catch (error) {
        const status = error instanceof RepositoryError ? error.status : 0;
        if (status !== FORBIDDEN && status !== NOT_FOUND) {
            throw error;
        }

        return status === NOT_FOUND ? NOTHING : { object: null, similar: [id] };
    }
}

/** The service makes the id: what the user has created of this type since the request began. */
async function findNewest(type: string, { content, began }: Attempt): Promise<Found> {

    const { userId } = caller.value;
    const body = JSON.stringify({
        query: `+type:${quoted(type)}${userId === undefined ? '' : ` +metadata/createdBy:${quoted(userId)}`}`,
        sortFields: '[{"name":"metadata/createdOn","reverse":true}]', pageSize: MAX_RESULTS
    });
    const response = await screenClient.request({ method: 'POST', path: '/search', body: bodyOf(body), isRead: true });
    const since = sinceOf(response, began);
    const page = parseJson(await textIn(response));
    const results = isJsonMap(page) && Array.isArray(page['results']) ? page['results'] as readonly Json[] : [];
    const created = results.filter((each) => createdOn(each) >= since).map((each) => editedObject(each, null));
    const own = created.find((each) => isStoredFrom(each.content, content));
    // Read for its version, on which further changes are based.
    return own ? { object: await readObject(own.id), similar: [] } : { object: null, similar: created.map(({ id }) => id) };
}

function createdOn(object: Json): number {

    const metadata = isJsonMap(object) ? object['metadata'] : undefined;
    const time = isJsonMap(metadata) ? metadata['createdOn'] : undefined;
    return typeof time === 'number' ? time : 0;
}

/** True for a content that the service may have stored from another one: it fills empty texts and adds members, and changes nothing else. */
export function isStoredFrom(stored: Json | undefined, sent: Json): boolean {

    if (sent === '') {
        return stored === undefined || typeof stored === 'string';
    }

    if (Array.isArray(sent)) {
        const items = sent as readonly Json[];
        return Array.isArray(stored) && stored.length === items.length && items.every((item, at) => isStoredFrom((stored as readonly Json[])[at], item));
    }

    return isJsonMap(sent) ? isJsonMap(stored) && Object.entries(sent).every(([name, value]) => isStoredFrom(stored[name], value)) : isEqual(stored, sent);
}
