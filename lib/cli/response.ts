/**
 * Reading what the service told a command.
 */

import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { parseJson } from '../json/strict-parser.js';
import { readBytes } from '../doip/segments.js';
import { CommandError, EXIT } from './command-error.js';
import type { Told } from './request.js';

/** Bytes of an answer that is not a list of objects. */
const LIMIT = 256 * 1024 * 1024;

/** The JSON object of an answer, good or bad. */
export async function recordOf({ body }: Told): Promise<JsonObject> {

    const value = parseJson(await readBytes(body, LIMIT));
    return isJsonObject(value) ? value : {};
}

/** Requires that an answer is good. */
export async function demandOk(told: Told): Promise<void> {

    if (!told.ok) {
        const { message } = await recordOf(told);
        throw new CommandError(typeof message === 'string' ? message : 'the service refused', EXIT.failed);
    }
}
