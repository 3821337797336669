/**
 * What a reference in a schema means: a place in the same document, in the schema of another type, or in one of the
 * published meta-schemas. Nothing is ever fetched.
 */

import type { JsonPointer } from '../../json/pointer.js';
import { formatPointer, parsePointer } from '../../json/pointer.js';
import type { Resource, SchemaDocument, Subschema } from './document.js';
import { isRemote, resolveUri, typeNamesOf } from './uri.js';
import type { SchemaLookup } from './linked-schema.js';

/** What was found: the subschema, the name of a type (or the URI of its schema) that does not exist, or what is wrong with the reference. */
export type Resolution = { readonly subschema: Subschema } | { readonly missingType: string } | { readonly fault: string };

/** Resolves the references of one schema and of all that it leads to. */
export class ReferenceResolver {

    /** Each name or id that was looked up, and what was found. */
    readonly asked = new Map<string, SchemaDocument | undefined>();
    readonly #lookup: SchemaLookup;
    /** Resources in the order in which they were met, from the schema of the type on. */
    readonly #met: Set<Resource>;

    constructor(root: SchemaDocument, lookup: SchemaLookup) {

        this.#lookup = lookup;
        this.#met = new Set([root.root.resource]);
    }

    /** The target of `$ref`, `$dynamicRef` or `$recursiveRef`. */
    resolve(reference: string, keyword: string, from: Subschema): Resolution {

        const [uri = '', ...fragments] = reference.split('#');
        const resource = uri === '' ? from.resource : this.#findResource(uri, from);
        if (!resource) {
            return { missingType: isRemote(uri) ? shown(uri) : typeNamesOf(uri, from.resource.uri).at(-1) ?? uri };
        }

        this.#met.add(from.resource);
        const fragment = decodeFragment(fragments.join('#'));
        const target = this.#inResource(this.#outermost(resource, keyword, fragment ?? ''), fragment);
        if (!target) {
            return { fault: `refers to ${shown(reference)}, where no schema stands` };
        }

        const { document } = target.resource;
        if (document !== from.resource.document && document.faults.length > 0) {
            return { fault: `refers to the schema ${document.name}, which is not usable` };
        }

        this.#met.add(target.resource);
        return { subschema: target };
    }

    #findResource(uri: string, from: Subschema): Resource | undefined {

        const absolute = resolveUri(uri, from.resource.uri);
        const own = absolute === null ? undefined : from.resource.document.resource(absolute);
        if (own) {
            return own;
        }

        const names = [...(absolute === null ? [] : [absolute]), ...typeNamesOf(uri, from.resource.uri)];
        for (const name of names) {
            const document = this.#ask(name);
            if (document) {
                return (absolute === null ? undefined : document.resource(absolute)) ?? document.root.resource;
            }
        }

        return undefined;
    }

    #ask(name: string): SchemaDocument | undefined {

        if (!this.asked.has(name)) {
            this.asked.set(name, this.#lookup(name));
        }

        return this.asked.get(name);
    }

    /**
     * Dynamic references mean the outermost resource, on the way from the schema of the type, that offers the anchor.
     * The way is taken in the order in which references are met, which is the way itself as long as one schema is not
     * reached through several others that all offer the anchor.
     */
    #outermost(resource: Resource, keyword: string, fragment: string): Resource {

        const offers = (candidate: Resource): boolean => {

            return keyword === '$dynamicRef' ? candidate.dynamicAnchors.has(fragment) :
                keyword === '$recursiveRef' && candidate.isRecursive;
        };

        return offers(resource) ? [...this.#met].find(offers) ?? resource : resource;
    }

    #inResource(resource: Resource, fragment: string | null): Subschema | undefined {

        if (fragment === null) {
            return undefined;
        }

        const path = fragment === '' || fragment.startsWith('/') ? normalised(fragment) : undefined;
        const pointer = path === undefined ? resource.anchors.get(fragment) : resource.pointer + path;
        return pointer === undefined ? undefined : resource.document.subschemaAt(pointer, resource);
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

function shown(reference: string): string {

    return reference.length > 200 ? `${reference.slice(0, 200)}…` : reference;
}
