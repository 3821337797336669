/**
 * The design as clients read it.
 */

import type { JsonObject } from '../doip/json.js';
import type { TypeRegistry } from './type-registry.js';

/** Design content plus `schemas` (type name to schema) and `schemaIds` (id of the Schema object to type name). */
export function designDocument(types: TypeRegistry): JsonObject {

    return { ...types.design.content, schemaIds: types.schemaIds(), schemas: types.schemas() };
}
