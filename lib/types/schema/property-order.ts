/**
 * Property order. Content is stored with its properties in the order of the schema, unknown properties last. The order applies
 * through references, objects, and arrays with one schema for all elements.
 */

import { copyNumberTexts } from '../../json/exact-numbers.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import type { Steps } from '../../util/concurrency/steps.js';
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
export function *orderOf(targets: readonly Schema[]): Steps<Order | undefined> {

    const { first, all } = yield* new OrderReader(targets).read();
    const merged = { count: 0 };
    for (const order of all) {
        yield* complete(order, merged);
    }

    return first;
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

/** Reads the orders of schemas, each once, as schemas may be recursive. */
class OrderReader {

    readonly #targets: readonly Schema[];
    readonly #orders = new Map<JsonObject, Order>();
    /** Schemas whose orders are empty so far. */
    readonly #pending: [schema: JsonObject, order: Order][] = [];

    constructor(targets: readonly Schema[]) {

        this.#targets = targets;
    }

    /** Returns the order of the first schema, and all that were read. */
    *read(): Steps<{ readonly first: Order | undefined; readonly all: Iterable<Order> }> {

        const first = this.#orderFor(this.#targets[0]);
        for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
            this.#fill(...next);
            yield;
        }

        return { first, all: this.#orders.values() };
    }

    /** Returns the order of a schema, which is filled in a step of its own. */
    #orderFor(schema: JsonValue | undefined): Order | undefined {

        return isJsonObject(schema) ? getOrAdd(this.#orders, schema, () => {

            const order: Order = { properties: new Map(), items: undefined, referred: undefined };
            this.#pending.push([schema, order]);
            return order;
        }) : undefined;
    }

    #fill(schema: JsonObject, order: Order): void {

        for (const [name, property] of propertiesOf(schema)) {
            order.properties.set(name, { rank: order.properties.size, order: this.#orderFor(property) });
        }

        order.items = this.#orderFor(schema['items']);
        order.referred = this.#orderFor(referredBy(schema, this.#targets));
    }
}

/**
 * Merges the orders of the schemas that each of them refers to, directly and through others; properties of the schema itself come first.
 * `merged` counts what all schemas have taken over.
 */
function *complete(order: Order, merged: { count: number }): Steps<void> {

    const chain = [order];
    for (let next = order.referred; next; next = next.referred) {
        chain.push(next);
    }

    let referred = chain.pop();
    for (let last = chain.pop(); referred && last; last = chain.pop()) {
        last.referred = undefined;
        last.items ??= referred.items;
        merge(last, referred, merged);
        referred = last;
        yield;
    }
}

function merge({ properties }: Order, referred: Order, merged: { count: number }): void {

    for (const [name, property] of referred.properties) {
        if (merged.count === MAX_MERGED) {
            return;
        }

        if (!properties.has(name)) {
            properties.set(name, { rank: properties.size, order: property.order });
            merged.count += 1;
        }
    }
}
