/**
 * Values of content that a type wants to be found under another name as well: `search.altFieldName` of the extension keyword.
 */

import { isJsonObject } from '../../util/json-types.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { getAt } from '../../json/pointer.js';
import { memberOf } from '../../types/schema/extension-keyword.js';
import { isFreeName } from '../analysis/field-names.js';
import type { FieldCopy } from './index-document.js';
import type { Annotation } from '../../model/processed-content.js';

/**
 * The copies that annotations ask for. Values are those of the content, in which nothing is secret any more. Of an array or an
 * object all values in it are copied. Names that mean something else already are left out.
 */
export function copiesOf(content: JsonObject, annotations: readonly Annotation[]): FieldCopy[] {

    return annotations.flatMap(({ pointer, keyword }) => {

        const field = memberOf(keyword, 'search', 'altFieldName');
        return typeof field === 'string' && isFreeName(field) ? valuesIn(getAt(content, pointer)).map((value) => ({ field, value })) : [];
    });
}

function valuesIn(value: JsonValue | undefined): FieldCopy['value'][] {

    if (value === undefined) {
        return [];
    }

    if (Array.isArray(value)) {
        return value.flatMap(valuesIn);
    }

    return isJsonObject(value) ? Object.values(value).flatMap(valuesIn) : [value];
}
