/**
 * Resolves references in schemas: to the same document, to the schema of another type, or to a published meta-schema. Nothing
 * is ever fetched.
 */

import type { JsonPointer } from '../../json/pointer.js';
import { formatPointer, parsePointer } from '../../json/pointer.js';
import type { Steps } from '../../util/concurrency/steps.js';
import type { Resource, SchemaDocument, Subschema } from './document.js';
import { clipped } from './error-messages.js';
import { isRemote, lookupNamesOf, resolveUri, typeNamesOf } from './uri.js';
import type { SchemaLookup } from './linked-schema.js';

/** The subschema, the name of a missing type (or the URI of its schema), or the error in the reference. */
export type Resolution = { readonly subschema: Subschema } | { readonly missingType: string } | { readonly message: string };

/** Resolves the references of one schema and of all schemas that it leads to. */
export class ReferenceResolver {

    /** Lookups by name or id, with their results. */
    readonly lookups = new Map<string, SchemaDocument | undefined>();
    readonly #lookup: SchemaLookup;
    /** Resources in the order in which references reached them, beginning with the schema of the type. */
    readonly #met: Set<Resource>;

    constructor(root: SchemaDocument, lookup: SchemaLookup) {

        this.#lookup = lookup;
        this.#met = new Set([root.root.resource]);
    }

    /** Resolves a `$ref`, `$dynamicRef` or `$recursiveRef`. */
    *resolve(reference: string, keyword: string, from: Subschema): Steps<Resolution> {

        const [uri = '', ...fragments] = reference.split('#');
        const resource = uri === '' ? from.resource : yield* this.#findResource(uri, from);
        if (!resource) {
            return { missingType: isRemote(uri) ? clipped(uri) : typeNamesOf(uri, from.resource.uri).at(-1) ?? uri };
        }

        this.#met.add(from.resource);
        const fragment = decodeFragment(fragments.join('#'));
        const target = yield* this.#inResource(this.#outermost(resource, keyword, fragment ?? ''), fragment);
        if (!target) {
            return { message: `refers to ${clipped(reference)}, where no schema stands` };
        }

        const { document } = target.resource;
        if (document !== from.resource.document && document.errors.length > 0) {
            return { message: `refers to the schema ${document.name}, which is not usable` };
        }

        this.#met.add(target.resource);
        return { subschema: target };
    }

    *#findResource(uri: string, from: Subschema): Steps<Resource | undefined> {

        const absolute = resolveUri(uri, from.resource.uri);
        const local = absolute === null ? undefined : from.resource.document.resource(absolute);
        if (local) {
            return local;
        }

        for (const name of lookupNamesOf(uri, from.resource.uri)) {
            const document = this.#lookUp(name);
            if (document) {
                yield* document.examine();
                return (absolute === null ? undefined : document.resource(absolute)) ?? document.root.resource;
            }
        }

        return undefined;
    }

    #lookUp(name: string): SchemaDocument | undefined {

        if (!this.lookups.has(name)) {
            this.lookups.set(name, this.#lookup(name));
        }

        return this.lookups.get(name);
    }

    /**
     * Returns the outermost resource, on the path from the schema of the type, that has the dynamic anchor. The order in which
     * references were reached approximates the path: they differ only if one schema is reached through several others that all
     * have the anchor.
     */
    #outermost(resource: Resource, keyword: string, fragment: string): Resource {

        const offers = (candidate: Resource): boolean => {

            return keyword === '$dynamicRef' ? candidate.dynamicAnchors.has(fragment) :
                keyword === '$recursiveRef' && candidate.isRecursive;
        };

        return offers(resource) ? [...this.#met].find(offers) ?? resource : resource;
    }

    *#inResource(resource: Resource, fragment: string | null): Steps<Subschema | undefined> {

        if (fragment === null) {
            return undefined;
        }

        const path = fragment === '' || fragment.startsWith('/') ? normalised(fragment) : undefined;
        const pointer = path === undefined ? resource.anchors.get(fragment) : resource.pointer + path;
        return pointer === undefined ? undefined : yield* resource.document.subschemaAt(pointer, resource);
    }
}

function normalised(fragment: string): string | undefined {

    let pointer: JsonPointer;
    try {
        pointer = parsePointer(fragment);
    }
    catch {
        return undefined;
    }

    return formatPointer(pointer);
}

function decodeFragment(fragment: string): string | null {

    try {
        return decodeURIComponent(fragment);
    }
    catch {
        return null;
    }
}
