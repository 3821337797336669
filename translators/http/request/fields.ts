/** Bodies with a form content type on paths that take JSON: some tools send that type by default. */

import type { JsonValue } from '../../../lib/util/json-types.js';
import type { RequestWithBody } from './body.js';
import type { HttpLimits } from './translator-options.js';
import { decodeUtf8, parseJsonInTurns } from '../../../lib/json/strict-parser.js';
import { inputTooLong } from '../../../lib/doip/segments.js';
import { readFully } from './body.js';
import { parseParameters } from './url.js';
import type { Parameter } from './url.js';

/** Maximum length of a field name by which a form is recognised. */
const MAX_FIELD_NAME = 64;

/** Reads the fields of a real form, otherwise the JSON value in the body; undefined for an empty body. */
export async function readFieldsOrJson(
    request: RequestWithBody, limits: HttpLimits
): Promise<{ readonly fields: Parameter[] } | { readonly value: JsonValue | undefined }> {

    const bytes = await readFully(request, limits.jsonBytes, limits);
    // No JSON text starts with a name and an equals sign.
    if (!/^[A-Za-z]+=/.test(bytes.toString('latin1', 0, MAX_FIELD_NAME))) {
        const options = { maxDepth: limits.jsonDepth, maxValues: limits.jsonValues, sentNumber: true };
        return { value: bytes.length === 0 ? undefined : await parseJsonInTurns(bytes, options) };
    }

    if (bytes.length > limits.formBytes) {
        throw inputTooLong(limits.formBytes);
    }

    return { fields: parseParameters(decodeUtf8(bytes, 'the body'), limits.parameters) };
}
