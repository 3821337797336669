/**
 * Property order. Content is stored with its properties in the order of the schema, unknown properties last. The order applies
 * through references, objects, and arrays with one schema for all elements.
 */

import { copyNumberTexts } from '../../json/exact-numbers.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { propertiesOf, referredBy } from './linked-schema.js';
import type { Schema } from './shapes.js';

/** Order of the properties inside a value. */
export interface Order {
    readonly properties: Map<string, Order | undefined>;
    items: Order | undefined;
    /** Order of the referenced schema; undefined once it is merged. */
    referred: Order | undefined;
}

/** Returns the property order of linked schemas; undefined if they define none. */
export function orderOf(targets: readonly Schema[]): Order | undefined {

    const cache = new Map<JsonObject, Order>();
    const order = readOrder(targets[0], targets, cache);
    cache.forEach(complete);
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

function reorderObject(value: JsonObject, { properties }: Order): JsonObject {

    const ordered: JsonObject = {};
    const names = Object.keys(value);
    let at = 0;
    let isChanged = false;
    for (const [name, order] of properties) {
        const member = Object.hasOwn(value, name) ? value[name] : undefined;
        if (member !== undefined) {
            const after = order && typeof member === 'object' ? reorderValue(member, order) : member;
            isChanged ||= after !== member || names[at] !== name;
            ordered[name] = after;
            at += 1;
        }
    }

    if (!isChanged) {
        return value;
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
            order.properties.set(name, readOrder(property, targets, cache));
        }

        order.items = readOrder(schema['items'], targets, cache);
        order.referred = readOrder(referredBy(schema, targets), targets, cache);
    }

    return order;
}

/** Merges the order of the referenced schema; properties of the schema itself come first. */
function complete(order: Order): void {

    const { referred } = order;
    order.referred = undefined;
    if (!referred) {
        return;
    }

    complete(referred);
    order.items ??= referred.items;
    for (const [name, property] of referred.properties) {
        if (!order.properties.has(name)) {
            order.properties.set(name, property);
        }
    }
}
