/**
 * The design as clients read it. User interfaces count on three of its members, so what the design object does not say stands
 * there as it counts.
 */

import type { JsonObject } from '../util/json-types.js';
import type { TypeRegistry } from './type-registry.js';
import { isJsonObject } from '../util/json-types.js';
import { INITIAL_AUTH_CONFIG } from './seed-content.js';

/** How a user interface looks where the design says nothing about it. */
const DEFAULT_UI_CONFIG: JsonObject = {
    title: 'Digital Object Repository',
    relationshipsButtonText: 'Show Relationships',
    allowUserToSpecifySuffixOnCreate: true,
    numTypesForCreateDropdown: 15,
    aclUiSearchTypes: ['User', 'Group'],
    searchResults: { includeType: true, includeModifiedDate: false, includeCreatedDate: false },
    initialQuery: '*:*',
    initialFragment: '#',
    initialSortFields: '/name',
    initialFilter: 'Document',
    navBarLinks: [
        { type: 'query', title: 'All Objects', query: '*:*', sortFields: '/name' },
        { type: 'typeDropdown', title: 'Show Only', maxItems: 15 }
    ]
};

/** The links in handle records where the design names none. */
const DEFAULT_LINKS: JsonObject[] = [{ type: 'json' }, { type: 'ui', primary: true }];

/**
 * Design content plus `schemas` (type name to schema) and `schemaIds` (id of the Schema object to type name). `uiConfig`,
 * `authConfig` and `handleMintingConfig` are always there.
 */
export function designDocument(types: TypeRegistry): JsonObject {

    const { content } = types.design;
    const { uiConfig, authConfig, handleMintingConfig } = content;
    return {
        ...content,
        uiConfig: isJsonObject(uiConfig) ? uiConfig : DEFAULT_UI_CONFIG,
        authConfig: isJsonObject(authConfig) ? authConfig : INITIAL_AUTH_CONFIG,
        handleMintingConfig: { prefix: types.prefix, defaultLinks: DEFAULT_LINKS, ...isJsonObject(handleMintingConfig) ? handleMintingConfig : {} },
        schemaIds: types.schemaIds(),
        schemas: types.schemas()
    };
}
