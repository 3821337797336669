/**
 * One JSON schema as it was written: checked for shape, with its subschemas, ids and anchors found. Knows nothing of other
 * schemas; what it refers to is the business of the linker.
 */

import type { ContentError } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { getAt } from '../../json/pointer.js';
import { SafeRegExp } from '../../util/regexp/safe-regexp.js';
import type { Schema } from './shapes.js';
import { isSchema, mapSubschemas, shapeError } from './shapes.js';
import type { Draft, Shape } from './vocabulary.js';
import { draftOf, shapeOf } from './vocabulary.js';
import { resolveUri, typeUri } from './uri.js';

/** More subschemas than this take too long to compile. */
const MAX_SUBSCHEMAS = 5000;

/** Deepest nesting of JSON in a schema. */
const MAX_DEPTH = 100;

/** States of all patterns together: more take too long to compile. */
const MAX_STATES = 20_000;

/** More faults than this are not told. */
const MAX_ERRORS = 20;

/** A part of a document with a URI of its own: the document itself, or a subschema with an id. */
export interface Resource {
    readonly document: SchemaDocument;
    /** Relative references inside are resolved against it. */
    readonly uri: string;
    /** Where it begins in the document. */
    readonly pointer: string;
    /** Plain names of subschemas: name → pointer in the document. */
    readonly anchors: Map<string, string>;
    /** The anchors among them that `$dynamicRef` may find from another resource. */
    readonly dynamicAnchors: Set<string>;
    /** True when `$recursiveRef` may find this resource from another one. */
    readonly isRecursive: boolean;
}

/** A place in a document where a schema stands. */
export interface Subschema {
    readonly resource: Resource;
    /** JSON pointer within the document. */
    readonly pointer: string;
    readonly schema: Schema;
}

/** A JSON schema and what there is in it. Immutable for its users. */
export class SchemaDocument {

    readonly name: string;
    readonly schema: JsonValue;
    readonly draft: Draft;
    readonly root: Subschema;
    /** What is wrong with it; empty when every keyword has the right shape. */
    readonly faults: readonly ContentError[];
    readonly #faults: ContentError[] = [];
    readonly #subschemas = new Map<string, Subschema>();
    readonly #resources = new Map<string, Resource>();
    #states = 0;

    /**
     * @param name of the type, or the URI of a schema that is no type.
     * @param baseUri where the schema of a type stands besides its place among the types
     */
    constructor(name: string, schema: JsonValue, baseUri?: JsonValue) {

        this.name = name;
        this.schema = schema;
        this.draft = draftOf(isJsonObject(schema) ? schema['$schema'] : undefined);
        this.faults = this.#faults;
        const given = typeof baseUri === 'string' && baseUri !== '' ? resolveUri(baseUri, typeUri(name)) : null;
        const base = this.#resource(given ?? typeUri(name), '', isJsonObject(schema) && schema['$recursiveAnchor'] === true);
        this.root = { resource: base, pointer: '', schema: isSchema(schema) ? schema : false };
        if (!isSchema(schema)) {
            this.#fault('', 'must be a JSON schema: an object');
        }
        else if (isDeeper(schema, MAX_DEPTH)) {
            this.#fault('', `is nested more than ${MAX_DEPTH} levels deep`);
        }
        else {
            this.root = this.#examine(schema, '', base);
            this.#resources.set(base.uri, this.root.resource);
            this.#resources.set(typeUri(name), this.root.resource);
        }
    }

    /** All subschemas that were found, in no particular order. */
    subschemas(): Iterable<Subschema> {

        return this.#subschemas.values();
    }

    /** The URIs of the whole document. */
    get uris(): readonly string[] {

        return [...this.#resources].filter(([, { pointer }]) => pointer === '').map(([uri]) => uri);
    }

    /** The resource with a URI, if it is in this document. */
    resource(uri: string): Resource | undefined {

        return this.#resources.get(uri);
    }

    /**
     * The subschema at a pointer. One outside of the keywords (under a member that JSON Schema does not know) is examined
     * when it is first asked for; undefined when no schema stands there.
     */
    subschemaAt(pointer: string, resource: Resource): Subschema | undefined {

        const known = this.#subschemas.get(pointer);
        if (known) {
            return known;
        }

        const schema = isJsonObject(this.schema) ? getAt(this.schema, pointer) : undefined;
        return isSchema(schema) ? this.#examine(schema, pointer, resource) : undefined;
    }

    #examine(schema: Schema, pointer: string, outer: Resource): Subschema {

        const resource = isJsonObject(schema) ? this.#identify(schema, pointer, outer) : outer;
        const subschema = { resource, pointer, schema };
        this.#subschemas.set(pointer, subschema);
        if (this.#subschemas.size > MAX_SUBSCHEMAS) {
            this.#fault('', `has more than ${MAX_SUBSCHEMAS} subschemas`);
        }
        else if (isJsonObject(schema) && this.#states <= MAX_STATES) {
            this.#examineKeywords(schema, pointer, resource);
        }

        return subschema;
    }

    #examineKeywords(schema: JsonObject, pointer: string, resource: Resource): void {

        for (const [keyword, value] of Object.entries(schema)) {
            const shape = shapeOf(keyword, this.draft);
            const fault = shape ? shapeError(shape, value, this.draft) : null;
            if (fault !== null) {
                this.#fault(`${pointer}/${keyword}`, fault);
            }
            else if (shape) {
                this.#countStates(shape, value);
                mapSubschemas(shape, value, (child, path) => this.#examineChild(child, `${pointer}/${keyword}${path}`, resource));
            }
        }
    }

    #countStates(shape: Shape, value: JsonValue): void {

        const sources = shape === 'pattern-map' && isJsonObject(value) ? Object.keys(value) : [value];
        for (const source of shape === 'pattern' || shape === 'pattern-map' ? sources : []) {
            const before = this.#states;
            this.#states += typeof source === 'string' && before <= MAX_STATES ? SafeRegExp.of(source).states : 0;
            if (before <= MAX_STATES && this.#states > MAX_STATES) {
                this.#fault('', 'has patterns that are, together, too large');
            }
        }
    }

    #examineChild(child: JsonValue, pointer: string, resource: Resource): JsonValue {

        if (!isSchema(child)) {
            this.#fault(pointer, 'must be a schema: an object or a boolean');
        }
        else if (this.#faults.length < MAX_ERRORS) {
            this.#examine(child, pointer, resource);
        }

        return child;
    }

    /** The resource that a schema belongs to: its own when it has an id, else the one around it. Also notes its anchors. */
    #identify(schema: JsonObject, pointer: string, outer: Resource): Resource {

        const id = this.draft === 4 ? schema['id'] : schema['$id'] ?? (this.draft === 0 ? schema['id'] : undefined);
        const uri = typeof id === 'string' && !id.startsWith('#') ? resolveUri(id, outer.uri) : null;
        const resource = uri === null ? outer : this.#resource(uri, pointer, schema['$recursiveAnchor'] === true);
        const names = [schema['$anchor'], schema['$dynamicAnchor'], typeof id === 'string' && id.startsWith('#') ? id.slice(1) : ''];
        for (const name of names) {
            if (typeof name === 'string' && /^[A-Za-z_][-A-Za-z0-9._:]*$/.test(name) && !resource.anchors.has(name)) {
                resource.anchors.set(name, pointer);
            }
        }

        if (typeof schema['$dynamicAnchor'] === 'string') {
            resource.dynamicAnchors.add(schema['$dynamicAnchor']);
        }

        return resource;
    }

    #resource(uri: string, pointer: string, isRecursive: boolean): Resource {

        const resource = { document: this, uri, pointer, anchors: new Map(), dynamicAnchors: new Set<string>(), isRecursive };
        if (!this.#resources.has(uri)) {
            this.#resources.set(uri, resource);
        }

        return resource;
    }

    #fault(pointer: string, message: string): void {

        if (this.#faults.length < MAX_ERRORS) {
            this.#faults.push({ pointer, message });
        }
    }
}

/** True when JSON is nested deeper than a number of levels; never goes deeper itself. */
function isDeeper(value: JsonValue, levels: number): boolean {

    if (typeof value !== 'object' || value === null) {
        return false;
    }

    return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}
