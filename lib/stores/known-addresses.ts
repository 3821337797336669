/** Addresses at which nodes have found an engine of this repository: each node may have one of its own, as of a proxy beside it. */

/** Number of addresses that are remembered. */
const MAX_ADDRESSES = 100;

/** Returns addresses with one more, which is the newest one. */
export function withAddress(addresses: readonly string[], address: string): readonly string[] {

    return [...addresses.filter((each) => each !== address), address].slice(-MAX_ADDRESSES);
}
