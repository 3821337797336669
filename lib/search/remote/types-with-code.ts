/** What a worker process leaves to the primary process because of type code: objects whose type changes or withholds what is found. */

import { isDeepStrictEqual } from 'node:util';
import { OBJECTS_PER_BATCH, type ObjectScan } from '../../stores/objects/object-scan.js';
import type { Catalog } from '../../types/catalog.js';
import type { TypeRegistry } from '../../types/type-registry.js';

/** What type code has to do with searches. */
interface SearchCode {
    /** True if searches find the same without any code. */
    readonly isSearchFree: boolean;
    /** Types whose code changes or withholds what is found. */
    readonly resolving: ReadonlySet<string>;
}

/** Tells what can be shown without type code. */
export interface WithoutCode {
    /** To be called when a search begins: the function tells whether its hits can be shown; false when the types have changed meanwhile. */
    readonly begin: () => (ids: readonly string[]) => Promise<boolean>;
    /** True if objects of a type can be shown, at the moment; while it is not known yet, what was known for the same code. */
    readonly mayShow: (type: string) => boolean;
}

/** `codeOf` gives null for what is not known. */
export function withoutCode({ codeOf, catalog, objects }: {
    readonly codeOf: (state: Pick<Catalog, 'epoch' | 'storedEpoch'>) => SearchCode | null;
    readonly catalog: Catalog;
    readonly objects: Pick<ObjectScan, 'typesOf'>;
}): WithoutCode {

    // The last that was known: it applies until more is known while all code is the same, as when types without code change.
    let last: { readonly code: SearchCode; readonly program: unknown; readonly types: TypeRegistry } | null = null;
    return {
        begin() {

            const { epoch, storedEpoch } = catalog;
            return async (ids) => {

                const code = codeOf({ epoch, storedEpoch });
                if (!code?.isSearchFree || catalog.epoch !== epoch) {
                    return false;
                }

                if (code.resolving.size === 0) {
                    return true;
                }

                for (let start = 0; start < ids.length; start += OBJECTS_PER_BATCH) {
                    const types = await objects.typesOf(ids.slice(start, start + OBJECTS_PER_BATCH));
                    if (types.some((type) => code.resolving.has(type))) {
                        return false;
                    }
                }

                return true;
            };
        },

        mayShow(type) {

            const definition = catalog.current.get(type);
            if (definition?.javascript === undefined) {
                return true;
            }

            if (last?.types !== catalog.current) {
                const found = codeOf(catalog);
                const program = programOf(catalog);
                const code = found ?? (last && isDeepStrictEqual(last.program, program) ? last.code : null);
                last = code ? { code, program, types: catalog.current } : last;
            }

            return last?.types === catalog.current && last.code.isSearchFree && !last.code.resolving.has(type);
        }
    };
}

/** All code at the moment. */
function programOf({ current, moduleFiles }: Catalog): unknown {

    return { types: current.codedNames().map((name) => [name, current.get(name)?.javascript]), design: current.design.javascript, moduleFiles };
}
