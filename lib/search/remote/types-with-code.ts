/** What a worker process leaves to the primary process because of type code: objects whose type changes or withholds what is found. */

import { OBJECTS_PER_BATCH, type ObjectScan } from '../../stores/objects/object-scan.js';
import type { Catalog } from '../../types/catalog.js';

/** What type code has to do with searches. */
interface SearchCode {
    /** True if searches find the same without any code. */
    readonly isSearchFree: boolean;
    /** Types whose code changes or withholds what is found. */
    readonly resolving: ReadonlySet<string>;
}

/** Returns a function that tells whether objects can be shown without type code, at the moment. `codeOf` gives null for what is not known. */
export function withoutCode({ codeOf, catalog, objects }: {
    readonly codeOf: (epoch: number) => SearchCode | null;
    readonly catalog: Catalog;
    readonly objects: Pick<ObjectScan, 'typesOf'>;
}): (ids: readonly string[]) => Promise<boolean> {

    return async (ids) => {

        const code = codeOf(catalog.epoch);
        if (!code?.isSearchFree || code.resolving.size === 0) {
            return code?.isSearchFree ?? false;
        }

        for (let start = 0; start < ids.length; start += OBJECTS_PER_BATCH) {
            const types = await objects.typesOf(ids.slice(start, start + OBJECTS_PER_BATCH));
            if (types.some((type) => code.resolving.has(type))) {
                return false;
            }
        }

        return true;
    };
}
