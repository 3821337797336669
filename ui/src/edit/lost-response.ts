/**
 * What became of a request whose response was lost: the service may have stored its content before the connection was cut. A new object is looked for by its id
 * where the user has given one, else among what the user has created since, so that it is not created twice.
 */

import { caller } from '../api/session.js';
import { screenClient, textIn } from '../api/client.js';
import { quoted } from '../components/object-query.js';
import { sinceOf } from '../components/use-once.js';
import { RepositoryError } from '../../../lib/client/web/errors.js';
import { config } from '../config.js';
import { isJsonMap } from '../json/exact-number.js';
import type { Json } from '../json/exact-number.js';
import { parseJson } from '../json/parse-json.js';
import { schemaOf } from '../state/design.js';
import { bodyOf, editedObject, readObject, storedForm } from './object-access.js';
import type { EditedObject, Target } from './object-access.js';
import { bringsSecret, isStoredFrom } from './stored-form.js';
import type { TypeRules } from './stored-form.js';

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

type NewTarget = Extract<Target, { readonly kind: 'new' }>;

/** What the design says about the contents of a type. */
export function rulesOf(type: string): TypeRules {

    return { schema: schemaOf(type), keyword: config.keyword };
}

/**
 * True for an object whose content is what the service has made of one of those that were sent to it. What type code shows instead tells nothing, and
 * what type code stores is asked for.
 *
 * @throws RepositoryError while the service does not answer
 */
export async function isChangedBy({ id, type, content, isResolved }: Pick<EditedObject, 'id' | 'type' | 'content' | 'isResolved'>, contents: readonly Json[]): Promise<boolean> {

    const rules = rulesOf(type);
    if (isResolved) {
        return false;
    }

    if (contents.some((sent) => isStoredFrom(content, sent, rules))) {
        return true;
    }

    for (const sent of contents.filter((each) => !bringsSecret(each, rules))) {
        const form = await storedForm({ kind: 'object', id }, sent);
        if (form !== null && isStoredFrom(content, form, rules)) {
            return true;
        }
    }

    return false;
}

/** The first of some new objects that the service has made of a content; undefined for none. @throws RepositoryError while the service does not answer */
async function madeOf<T extends Pick<EditedObject, 'content'>>(objects: readonly T[], target: NewTarget, sent: Json): Promise<T | undefined> {

    const rules = { ...rulesOf(target.type), isNew: true };
    const own = objects.find(({ content }) => isStoredFrom(content, sent, rules));
    if (own || objects.length === 0) {
        return own;
    }

    // With an id, or a name that is taken, it would be refused: the objects may have been made of it all the same.
    const { type } = target;
    const form = await storedForm({ kind: 'new', type }, sent);
    return form === null ? undefined : objects.find(({ content }) => isStoredFrom(content, form, rules));
}

/** Looks for the object of a request. @throws RepositoryError while the service does not answer either */
export async function findLost(target: NewTarget, attempt: Attempt, prefix: string): Promise<Found> {

    const { handle = '', suffix = '' } = target;
    const id = handle !== '' ? handle : suffix !== '' && prefix !== '' ? `${prefix}/${suffix}` : null;
    for (let look = 1; ; ++look) {
        const found = id === null ? await findNewest(target, attempt) : await findById(id, target, attempt);
        if (found.object || found.similar.length > 0 || look === LOOKS) {
            return found;
        }

        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
}

/** An object of this id that somebody else has created, or of another type, is none of the request, whatever its content. */
async function findById(id: string, target: NewTarget, { content }: Attempt): Promise<Found> {

    try {
        const object = await readObject(id);
        const { userId = object.createdBy } = caller.value;
        const isOwn = object.createdBy === userId && object.type === target.type && await madeOf([object], target, content) !== undefined;
        return isOwn ? { object, similar: [] } : { object: null, similar: [id] };
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
async function findNewest(target: NewTarget, { content, began }: Attempt): Promise<Found> {

    const { type } = target;
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
    const own = await madeOf(created, target, content);
    // Read for its version, on which further changes are based.
    return own ? { object: await readObject(own.id), similar: [] } : { object: null, similar: created.map(({ id }) => id) };
}

function createdOn(object: Json): number {

    const metadata = isJsonMap(object) ? object['metadata'] : undefined;
    const time = isJsonMap(metadata) ? metadata['createdOn'] : undefined;
    return typeof time === 'number' ? time : 0;
}
