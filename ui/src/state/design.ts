/** The design and the types of the service. */

import { computed, signal } from '@preact/signals';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { screenClient, textIn } from '../api/client.js';
import { config } from '../config.js';
import { isJsonMap, mayHaveExactNumbers, type Json, type JsonMap } from '../json/exact-number.js';
import { plainJson } from '../json/plain-json.js';
import { Newest } from './newest.js';
import { referencePrefix } from './reference-prefix.js';

/** A link of the navigation, as the design defines it. */
export interface NavLink {
    readonly type: 'query' | 'typeDropdown' | 'url' | 'typeObjectsDropdown' | 'menu';
    readonly title?: string;
    readonly query?: string;
    readonly sortFields?: string;
    readonly url?: string;
    readonly types?: readonly string[];
    readonly maxItems?: number;
    readonly links?: readonly NavLink[];
}

/** What the design says about user interfaces. */
export interface UiConfig {
    readonly title?: string;
    readonly relationshipsButtonText?: string;
    readonly allowUserToSpecifySuffixOnCreate?: boolean;
    readonly allowUserToSpecifyHandleOnCreate?: boolean;
    readonly hideTypeInObjectEditor?: boolean;
    readonly initialQuery?: string;
    readonly initialFragment?: string;
    readonly initialSortFields?: string;
    readonly initialFilter?: string | readonly string[];
    readonly numTypesForCreateDropdown?: number;
    readonly aclUiSearchTypes?: readonly string[];
    readonly navBarLinks?: readonly NavLink[];
    readonly searchResults?: JsonObject;
}

/** The design, as far as everybody may read it. Its numbers are exact. */
export interface Design extends JsonMap {
    readonly schemas: Readonly<Record<string, JsonMap>>;
    /** Names of types by the ids of their Schema objects. */
    readonly schemaIds: Readonly<Record<string, string>>;
}

/** The design; null until it is read. */
export const design = signal<Design | null>(null);

export const uiConfig = computed(() => plainJson(design.value?.['uiConfig'] ?? {}) as UiConfig);

/** Much quicker than `localeCompare` where there are thousands. */
const alphabetical = new Intl.Collator();

/** Names of all types, in alphabetical order. */
export const typeNames = computed(() => inOrder(Object.keys(design.value?.schemas ?? {})));

/** Names in alphabetical order. */
export function inOrder(names: readonly string[]): string[] {

    return [...names].sort(alphabetical.compare);
}

const readings = new Newest();

/** Reads the design, also again after it was changed. @param ready delays its use, which takes the longer the more types there are @throws RepositoryError */
export async function readDesign(ready: () => Promise<void> = async () => undefined): Promise<void> {

    const isNewest = readings.ask();
    const response = await screenClient.request({ method: 'GET', path: '/design' });
    const text = await textIn(response);
    await ready();
    const next = await parsed(text);
    if (isNewest()) {
        design.value = next as Design;
    }
}

/** The parser for exact numbers takes longer: there may be thousands of types, which have no such numbers. */
async function parsed(text: string): Promise<Json> {

    return mayHaveExactNumbers(text) ? (await import('../json/parse-json.js')).parseJson(text) : JSON.parse(text) as Json;
}

/** The JSON schema of a type; null for one that does not exist. Follows changes of the design. */
export function schemaOf(type: string): JsonMap | null {

    const schemas = design.value?.schemas ?? {};
    return Object.hasOwn(schemas, type) ? schemas[type] ?? null : null;
}

const idsByName = computed(() => new Map(Object.entries(design.value?.schemaIds ?? {}).map(([id, name]) => [name, id])));

/** The id of the Schema object of a type; null for a built-in type, and for one that does not exist. */
export function schemaIdOf(type: string): string | null {

    return idsByName.value.get(type) ?? null;
}

/** The prefix of ids that the service makes, without a slash; empty if the design does not tell. */
export function servicePrefix(): string {

    const minting = design.value?.['handleMintingConfig'];
    const prefix = isJsonMap(minting) ? minting['prefix'] : undefined;
    return typeof prefix === 'string' ? prefix.replace(/\/$/, '') : '';
}

/** The id that a reference stands for. `rule` is the `handleReference` of its schema. */
export function referencedId(rule: Parameters<typeof referencePrefix>[0], value: string): string {

    return referencePrefix(rule, servicePrefix()) + value;
}

/** The extension keyword of a schema or property: its member, such as `preview` or `type`. */
export function extensionOf(schema: Json | undefined): JsonMap {

    const extension = isJsonMap(schema) ? schema[config.keyword] : undefined;
    return isJsonMap(extension) ? extension : {};
}
