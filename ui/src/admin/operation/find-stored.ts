/** Objects of a batch that were stored although its response was lost. Those with ids do not matter: stored once more, they stay the same. */

import { screenClient, textIn } from '../../api/client.js';
import { caller } from '../../api/session.js';
import { quoted } from '../../components/object-query.js';
import { sinceOf } from '../../components/use-once.js';
import { rulesOf } from '../../edit/lost-response.js';
import { isJsonMap, type Json, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import type { Line } from './import-lines.js';
import { matchedLines } from './matched-lines.js';

/** How often they are looked for, as the service may still be storing them, and the pause between, in milliseconds. */
const [LOOKS, PAUSE_MS] = [5, 1000];

/**
 * Returns the lines without ids whose objects are stored.
 *
 * @param began when the batch was sent, by the clock of the browser
 * @param known ids of objects that were stored before it, which may be equal
 */
export async function findStored(
    lines: readonly Line[], { began, known }: { readonly began: number; readonly known: ReadonlySet<string> }, signal: AbortSignal
): Promise<ReadonlySet<Line>> {

    const open = lines.flatMap((line) => {

        const object = objectOf(line);
        return object && object['id'] === undefined ? [{ line, object }] : [];
    });
    let found = new Set<Line>();
    for (let look = 1; look <= LOOKS && found.size < open.length; ++look) {
        if (look > 1) {
            await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
            signal.throwIfAborted();
        }

        const stored = (await readCreated(began, open.length, signal)).filter(({ id }) => typeof id !== 'string' || !known.has(id));
        found = matchedLines(open, stored, rulesOf);
    }

    return found;
}

function objectOf({ text }: Line): JsonMap | null {

    try {
        const object = parseJson(text);
        return isJsonMap(object) ? object : null;
    }
    catch {
        // The service refuses it.
        return null;
    }
}

/** What the user has created since. */
async function readCreated(began: number, count: number, signal: AbortSignal): Promise<JsonMap[]> {

    const text = JSON.stringify({
        query: `+metadata/createdBy:${quoted(caller.value.userId ?? '')}`, sortFields: '[{"name":"metadata/createdOn","reverse":true}]', pageSize: count
    });
    const response = await screenClient.request({
        method: 'POST', path: '/search', isRead: true, signal, body: { mediaType: 'application/json', open: () => text, isReplayable: true }
    });
    const since = sinceOf(response, began);
    const page = parseJson(await textIn(response));
    const results = isJsonMap(page) && Array.isArray(page['results']) ? page['results'] as readonly Json[] : [];
    return results.filter((each): each is JsonMap => isJsonMap(each) && createdOn(each) >= since);
}

function createdOn({ metadata }: JsonMap): number {

    const time = isJsonMap(metadata) ? metadata['createdOn'] : undefined;
    return typeof time === 'number' ? time : 0;
}
