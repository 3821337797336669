/** Maps whose missing values are made on first use. */

/** Returns the value of a key; makes and stores it when there is none. */
export function getOrAdd<K, V>(map: { get(key: K): V | undefined; set(key: K, value: V): unknown }, key: K, make: () => V): V {

    let value = map.get(key);
    if (value === undefined) {
        value = make();
        map.set(key, value);
    }

    return value;
}
