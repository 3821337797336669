/**
 * Property order. Content is stored with its properties in the order of the schema, unknown properties last. The order applies
 * through references, objects, and arrays with one schema for all elements.
 */

import { copyNumberTexts } from '../../json/exact-numbers.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { propertiesOf, referredBy } from './linked-schema.js';
import type { Schema } from './shapes.js';

/** Maximum number of properties that are taken from referenced schemas, all in all: chains of references could multiply them. Further ones count as unknown. */
const MAX_MERGED = 100_000;

/** A property: its rank, and the order inside its value. */
interface RankedProperty {
    readonly rank: number;
    readonly order: Order | undefined;
}

/** Order of the properties inside a value. */
export interface Order {
    readonly properties: Map<string, RankedProperty>;
    items: Order | undefined;
    /** Order of the referenced schema; undefined once it is merged. */
    referred: Order | undefined;
}

/** Returns the property order of linked schemas; undefined if they define none. */
export function orderOf(targets: readonly Schema[]): Order | undefined {

    const cache = new Map<JsonObject, Order>();
    const order = readOrder(targets[0], targets, cache);
    const merged = { count: 0 };
    cache.forEach((each) => complete(each, merged));
    return order;
}

/** Returns content with its properties in order: always a new object at the root, while unchanged parts are shared with the given content. */
export function reorder(content: JsonObject, order: Order | undefined): JsonObject {

    const ordered = order ? reorderValue(content, order) : content;
    return ordered === content || !isJsonObject(ordered) ? { ...content } : ordered;
}

function reorderValue(value: JsonValue, order: Order): JsonValue {

    if (Array.isArray(value)) {
        const { items } = order;
        return items ? mapChanged(value, (element) => reorderValue(element, items)) : value;
    }

    return isJsonObject(value) && order.properties.size > 0 ? reorderObject(value, order) : value;
}

/** Takes time by the members of the object, of which there may be far fewer than properties in its schema. */
function reorderObject(value: JsonObject, { properties }: Order): JsonObject {

    const names = Object.keys(value);
    const known: { readonly name: string; readonly rank: number; readonly after: JsonValue }[] = [];
    let isChanged = false;
    let isSorted = true;
    names.forEach((name, at) => {

        const property = properties.get(name);
        const member = value[name];
        if (!property || member === undefined) {
            return;
        }

        const after = property.order && typeof member === 'object' ? reorderValue(member, property.order) : member;
        isSorted &&= (known.at(-1)?.rank ?? -1) < property.rank;
        isChanged ||= after !== member || known.length !== at;
        known.push({ name, rank: property.rank, after });
    });
    if (!isChanged && isSorted) {
        return value;
    }

    const ordered: JsonObject = {};
    for (const { name, after } of isSorted ? known : known.sort((one, other) => one.rank - other.rank)) {
        ordered[name] = after;
    }

    for (const name of names) {
        if (!properties.has(name)) {
            // defineProperty, because an assignment to __proto__ would set the prototype.
            Object.defineProperty(ordered, name, { value: value[name], enumerable: true, writable: true, configurable: true });
        }
    }

    return copyNumberTexts(value, ordered);
}

function mapChanged(values: JsonValue[], convert: (value: JsonValue) => JsonValue): JsonValue[] {

    const converted = values.map(convert);
    return converted.some((value, index) => value !== values[index]) ? copyNumberTexts(values, converted) : values;
}

/** Reads the order of a schema and its subschemas. Entered into `cache` before it is complete, since schemas may be recursive. */
function readOrder(schema: JsonValue | undefined, targets: readonly Schema[], cache: Map<JsonObject, Order>): Order | undefined {

    if (!isJsonObject(schema)) {
        return undefined;
    }

    let order = cache.get(schema);
    if (!order) {
        order = { properties: new Map(), items: undefined, referred: undefined };
        cache.set(schema, order);
        for (const [name, property] of propertiesOf(schema)) {
            order.properties.set(name, { rank: order.properties.size, order: readOrder(property, targets, cache) });
        }

        order.items = readOrder(schema['items'], targets, cache);
        order.referred = readOrder(referredBy(schema, targets), targets, cache);
    }

    return order;
}

/** Merges the order of the referenced schema; properties of the schema itself come first. `merged` counts what all schemas have taken over. */
function complete(order: Order, merged: { count: number }): void {

    const { referred } = order;
    order.referred = undefined;
    if (!referred) {
        return;
    }

    complete(referred, merged);
    order.items ??= referred.items;
    for (const [name, property] of referred.properties) {
        if (merged.count === MAX_MERGED) {
            return;
        }

        if (!order.properties.has(name)) {
            order.properties.set(name, { rank: order.properties.size, order: property.order });
            merged.count += 1;
        }
    }
}
