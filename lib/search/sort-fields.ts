/**
 * Sort fields as clients and scripts write them.
 */

import type { JsonValue } from '../doip/json.js';
import { badRequest } from '../doip/error.js';
import { isJsonObject } from '../doip/json.js';
import type { SortField } from './search-request.js';

const MAX_SORT_FIELDS = 20;

/**
 * Names with commas between them and `ASC` or `DESC` behind each, or an array of such texts or of `{name, reverse}`.
 *
 * @throws DoipError 400
 */
export function readSortFields(given: JsonValue | undefined): SortField[] {

    const list = typeof given === 'string' ? given.split(',') : given ?? [];
    if (!Array.isArray(list) || list.length > MAX_SORT_FIELDS) {
        throw badRequest(`attribute sortFields must be a text or an array of at most ${MAX_SORT_FIELDS} fields`);
    }

    return list.flatMap((item): SortField[] => {

        if (typeof item === 'string') {
            // Names of properties may have blanks in them: only what stands last can be a direction.
            const { name = '', direction } = /^(?<name>.*?)(?:[\s:]+(?<direction>asc|desc))?$/is.exec(item.trim())?.groups ?? {};
            return name === '' ? [] : [{ field: name, reverse: direction?.toUpperCase() === 'DESC' }];
        }

        if (!isJsonObject(item) || typeof item['name'] !== 'string' || item['name'] === '') {
            throw badRequest('each of the attribute sortFields must have a name');
        }

        return [{ field: item['name'], reverse: readDirection(item['reverse']) }];
    });
}

/** Clients write booleans as text too. */
function readDirection(reverse: JsonValue = false): boolean {

    if (reverse !== true && reverse !== false && reverse !== 'true' && reverse !== 'false') {
        throw badRequest('reverse of each of the attribute sortFields must be a boolean');
    }

    return reverse === true || reverse === 'true';
}
