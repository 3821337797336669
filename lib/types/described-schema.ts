/**
 * Check of JSON schemas that describe something to clients and validate nothing here, such as the input of a method. They are published
 * in the description of the service, so they refer to nothing outside of it.
 */

import type { ContentError } from '../errors/errors.js';
import { isJsonObject, type JsonValue } from '../util/json-types.js';
import { atOnce } from '../util/concurrency/steps.js';
import { BudgetExceeded, startBudget } from '../util/concurrency/time-budget.js';
import { SchemaDocument } from './schema/document.js';
import { clipped } from './schema/error-messages.js';
import { linkSchema, UnusableSchema } from './schema/linker.js';
import { metaSchema } from './schema/meta-schemas.js';
import { isRemote, typeUri } from './schema/uri.js';

/** Stands for each type: whether it exists is not checked, as it may be stored later. */
const ANY_TYPE = new SchemaDocument('type', true);

const TYPES = typeUri('');

/** Keywords that give a schema a URI or a name of its own, or depend on where it stands. Tools heed them wherever they are. */
const RESOURCE_KEYWORDS = new Set(['$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$dynamicRef', '$recursiveRef', '$vocabulary']);

/** Returns an error in a schema; null if it is valid. It may refer to its own parts by `#/…`, and to types as a whole. */
export function describedSchemaError(schema: JsonValue): ContentError | null {

    startBudget();
    try {
        const document = new SchemaDocument('', schema, undefined, true);
        atOnce(linkSchema(document, (uri) => (uri.startsWith(TYPES) ? ANY_TYPE : undefined), []));
        return uriError(schema, '');
    }
    catch (error) {
        if (error instanceof UnusableSchema) {
            return error.errors[0] ?? { pointer: '', message: error.message };
        }

        if (error instanceof BudgetExceeded || error instanceof RangeError) {
            return { pointer: '', message: 'is too large to be checked' };
        }

        throw error;
    }
}

/** The depth is limited by then. */
function uriError(value: JsonValue, pointer: string): ContentError | null {

    if (typeof value !== 'object' || value === null) {
        return null;
    }

    for (const [name, member] of Object.entries(value)) {
        const message = isJsonObject(value) && (typeof member === 'string' || member === true) ? uriMessage(name, member) : null;
        const error = message === null ? uriError(member, `${pointer}/${name}`) : { pointer: `${pointer}/${name}`, message };
        if (error) {
            return error;
        }
    }

    return null;
}

function uriMessage(keyword: string, value: string | true): string | null {

    const text = String(value);
    const [uri = '', ...fragments] = text.split('#');
    const fragment = fragments.join('#');
    if (RESOURCE_KEYWORDS.has(keyword)) {
        return 'is not allowed here';
    }

    if (keyword === '$schema') {
        return metaSchema(uri) ? null : `is no published meta-schema: ${clipped(text)}`;
    }

    if (keyword !== '$ref') {
        return null;
    }

    return isRemote(uri) ? `refers to ${clipped(text)}, which is outside of the service` :
        fragment !== '' && (uri !== '' || !fragment.startsWith('/')) ? 'must be #/…, or the name of a type' : null;
}
