/**
 * Sort fields as clients and scripts write them.
 */

import type { JsonValue } from '../../util/json-types.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import type { SortField } from './search-request.js';

const MAX_SORT_FIELDS = 20;
const MAX_LENGTH = 1024;

/** With what must stand before it. */
const DIRECTION = /[\s:](asc|desc)$/i;
const MAX_DIRECTION_LENGTH = 5;

/**
 * Names with commas between them and `ASC` or `DESC` behind each, or an array of such texts or of `{name, reverse}`.
 *
 * @throws DoipError 400
 */
export function readSortFields(given: JsonValue | undefined): SortField[] {

    const list = typeof given === 'string' ? given.split(',', MAX_SORT_FIELDS + 1) : given ?? [];
    if (!Array.isArray(list) || list.length > MAX_SORT_FIELDS) {
        throw badRequest(`attribute sortFields must be a text or an array of at most ${MAX_SORT_FIELDS} fields`);
    }

    return list.flatMap((item): SortField[] => {

        if (typeof item === 'string') {
            return readNamed(bounded(item).trim());
        }

        if (!isJsonObject(item) || typeof item['name'] !== 'string' || item['name'] === '') {
            throw badRequest('each of the attribute sortFields must have a name');
        }

        return [{ field: bounded(item['name']), reverse: readDirection(item['reverse']) }];
    });
}

/** A name and perhaps a direction. Names of properties may have blanks in them: only what stands last can be a direction. */
function readNamed(text: string): SortField[] {

    const direction = DIRECTION.exec(text.slice(-MAX_DIRECTION_LENGTH))?.[1] ?? '';
    const rest = text.slice(0, text.length - direction.length);
    const name = direction === '' ? text : rest.slice(0, nameEnd(rest));
    return name === '' ? [] : [{ field: name, reverse: direction.toUpperCase() === 'DESC' }];
}

/** Where blanks and colons at the end of a text begin. An expression would look for them again from each of them. */
function nameEnd(text: string): number {

    let end = text.length;
    while (end > 0 && /[\s:]/.test(text[end - 1] ?? '')) {
        --end;
    }

    return end;
}

function bounded(name: string): string {

    if (name.length > MAX_LENGTH) {
        throw badRequest(`each of the attribute sortFields may have at most ${MAX_LENGTH} characters`);
    }

    return name;
}

/** Clients write booleans as text too. */
function readDirection(reverse: JsonValue = false): boolean {

    if (reverse !== true && reverse !== false && reverse !== 'true' && reverse !== 'false') {
        throw badRequest('reverse of each of the attribute sortFields must be a boolean');
    }

    return reverse === true || reverse === 'true';
}
