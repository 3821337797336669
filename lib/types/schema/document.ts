/**
 * One JSON schema as written: shape checked; subschemas, ids and anchors collected. Knows no other schema; the linker resolves
 * references.
 */

import type { ContentError } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { getAt } from '../../json/pointer.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import { atOnce, type Steps } from '../../util/concurrency/steps.js';
import { SafeRegExp } from '../../util/regexp/safe-regexp.js';
import type { Schema } from './shapes.js';
import { isSchema, namePatternsOf, patternError, patternSyntaxError, shapeError, subschemasOf } from './shapes.js';
import type { Draft } from './vocabulary.js';
import { draftOf, shapeOf } from './vocabulary.js';
import { resolveUri, typeUri } from './uri.js';

/** Maximum number of subschemas; more take too long to compile. */
const MAX_SUBSCHEMAS = 5000;

/** Maximum nesting depth of the JSON of a schema. */
const MAX_DEPTH = 100;

/** Maximum number of states of all patterns together; more take too long to compile. */
const MAX_STATES = 20_000;

/** Maximum length of the JSON pointers of all subschemas together. */
const MAX_POINTERS = 20_000_000;

/** Maximum length of an id, or of the base URI of a type. */
const MAX_ID = 8192;
const LONG_ID = `has an id of more than ${MAX_ID} characters`;

/** Maximum number of faults that are reported. */
const MAX_ERRORS = 20;

/** A schema resource: a part of a document with a URI of its own, which is the document itself or a subschema with an id. */
export interface Resource {
    readonly document: SchemaDocument;
    /** Base URI of the relative references inside. */
    readonly uri: string;
    /** JSON pointer of its root in the document. */
    readonly pointer: string;
    /** Plain-name fragments: anchor → JSON pointer in the document. */
    readonly anchors: Map<string, string>;
    /** The anchors that `$dynamicRef` may find from another resource. */
    readonly dynamicAnchors: Set<string>;
    /** True if `$recursiveRef` may find this resource from another one. */
    readonly isRecursive: boolean;
}

/** A schema and its location in a document. */
export interface Subschema {
    readonly resource: Resource;
    /** JSON pointer within the document. */
    readonly pointer: string;
    readonly schema: Schema;
    /** Errors in it. Those of a subschema outside of known keywords, as which others may refer to anything, are not errors of its document. */
    readonly errors: readonly ContentError[];
}

/**
 * A JSON schema with its subschemas and resources. Immutable for its users. It is examined when it is first used: at once, or before that in
 * steps.
 */
export class SchemaDocument {

    readonly name: string;
    readonly schema: JsonValue;
    readonly draft: Draft;
    readonly #errors: ContentError[] = [];
    readonly #subschemas = new Map<string, Subschema>();
    readonly #resources = new Map<string, Resource>();
    /** Errors of patterns by their text; null for those without. */
    readonly #patterns = new Map<string, { readonly error: string | null }>();
    readonly #isDescriptive: boolean;
    /** What is left to examine, the next step last. */
    readonly #pending: (() => void)[] = [];
    #root: Subschema;
    #states = 0;
    #pointersLength = 0;

    /**
     * @param name name of the type, or URI of a schema that belongs to no type
     * @param baseUri a second URI for the schema of a type, beside the one that its name gives
     * @param isDescriptive true for a schema that validates nothing here: its patterns are not compiled
     */
    constructor(name: string, schema: JsonValue, baseUri?: JsonValue, isDescriptive = false) {

        this.#isDescriptive = isDescriptive;
        this.name = name;
        this.schema = schema;
        this.draft = draftOf(isJsonObject(schema) ? schema['$schema'] : undefined);
        const isTooLong = typeof baseUri === 'string' && baseUri.length > MAX_ID;
        const declared = typeof baseUri === 'string' && baseUri !== '' && !isTooLong ? resolveUri(baseUri, typeUri(name)) : null;
        const base = this.#resource(declared ?? typeUri(name), '', isJsonObject(schema) && schema['$recursiveAnchor'] === true);
        this.#root = { resource: base, pointer: '', schema: isSchema(schema) ? schema : false, errors: this.#errors };
        if (isTooLong) {
            addError(this.#errors, '', LONG_ID);
        }

        if (!isSchema(schema)) {
            addError(this.#errors, '', 'must be a JSON schema: an object');
            return;
        }

        this.#pending.push(() => {

            if (isDeeper(schema, MAX_DEPTH)) {
                addError(this.#errors, '', `is nested more than ${MAX_DEPTH} levels deep`);
            }
            else {
                this.#examineNext(schema, () => this.#examineRoot(schema, base));
            }
        });
    }

    /** Takes the steps that are left until the schema is examined, if it is not. */
    *examine(): Steps<void> {

        for (let step = this.#pending.pop(); step; step = this.#pending.pop()) {
            step();
            yield;
        }
    }

    /** The schema as a whole. */
    get root(): Subschema {

        atOnce(this.examine());
        return this.#root;
    }

    /** Errors in the schema; empty if every keyword has the right shape. */
    get errors(): readonly ContentError[] {

        atOnce(this.examine());
        return this.#errors;
    }

    /** Returns all subschemas found so far, in no particular order. */
    subschemas(): Iterable<Subschema> {

        atOnce(this.examine());
        return this.#subschemas.values();
    }

    /** URIs of the document as a whole. */
    get uris(): readonly string[] {

        atOnce(this.examine());
        return [...this.#resources].filter(([, { pointer }]) => pointer === '').map(([uri]) => uri);
    }

    /** Returns the resource with a URI; undefined if it is not in this document. */
    resource(uri: string): Resource | undefined {

        atOnce(this.examine());
        return this.#resources.get(uri);
    }

    /** Returns the subschema at a JSON pointer; undefined if there is none. A subschema outside of known keywords is examined on first access. */
    *subschemaAt(pointer: string, resource: Resource): Steps<Subschema | undefined> {

        yield* this.examine();
        const cached = this.#subschemas.get(pointer);
        if (cached) {
            return cached;
        }

        const schema = isJsonObject(this.schema) ? getAt(this.schema, pointer) : undefined;
        if (isSchema(schema)) {
            const errors: ContentError[] = [];
            this.#examineNext(schema, () => this.#examineSchema(schema, pointer, resource, errors));
            yield* this.examine();
        }

        return this.#subschemas.get(pointer);
    }

    #examineRoot(schema: Schema, base: Resource): void {

        this.#root = this.#examineSchema(schema, '', base, this.#errors);
        this.#resources.set(base.uri, this.#root.resource);
        this.#resources.set(typeUri(this.name), this.#root.resource);
    }

    /** Adds the steps for a schema, before those that are pending: one for each of its patterns of names, which take long, then one for itself. */
    #examineNext(schema: Schema, examine: () => void): void {

        this.#pending.push(examine);
        for (const source of namePatternsOf(schema)) {
            this.#pending.push(() => void this.#patternError(source));
        }
    }

    #examineSchema(schema: Schema, pointer: string, outer: Resource, errors: ContentError[]): Subschema {

        const resource = isJsonObject(schema) ? this.#identify(schema, pointer, outer, errors) : outer;
        const subschema = { resource, pointer, schema, errors };
        this.#subschemas.set(pointer, subschema);
        this.#pointersLength += pointer.length;
        if (isJsonObject(schema) && this.#excess === null) {
            this.#examineKeywords(schema, subschema);
        }

        if (this.#excess !== null) {
            addError(errors, '', this.#excess);
            this.#pending.length = 0;
        }

        return subschema;
    }

    /** Of what there is too much, as the predicate of a sentence; null for nothing. Once there is, nothing more is examined. */
    get #excess(): string | null {

        return this.#subschemas.size > MAX_SUBSCHEMAS ? `has more than ${MAX_SUBSCHEMAS} subschemas` :
            this.#pointersLength > MAX_POINTERS ? 'has names that are, together, too long' :
                this.#states > MAX_STATES ? 'has patterns that are, together, too large' : null;
    }

    #examineKeywords(schema: JsonObject, { pointer, resource, errors }: Subschema & { readonly errors: ContentError[] }): void {

        const children: (() => void)[] = [];
        for (const [keyword, value] of Object.entries(schema)) {
            const shape = shapeOf(keyword, this.draft);
            const message = shape ? shapeError(shape, value, this.draft, this.#patternError) : null;
            if (message !== null) {
                addError(errors, `${pointer}/${keyword}`, message);
            }
            else if (shape) {
                for (const [path, child] of subschemasOf(shape, value)) {
                    children.push(() => this.#examineChild(child, `${pointer}/${keyword}${path}`, resource, errors));
                }
            }
        }

        for (const child of children.reverse()) {
            this.#pending.push(child);
        }
    }

    /** Checks a pattern, and counts its states. Patterns after those that are too large together are not compiled. */
    readonly #patternError = (source: string): string | null => {

        return getOrAdd(this.#patterns, source, () => ({ error: this.#newPatternError(source) })).error;
    };

    #newPatternError(source: string): string | null {

        if (this.#isDescriptive || this.#states > MAX_STATES) {
            return this.#isDescriptive ? patternSyntaxError(source) : null;
        }

        const error = patternError(source);
        this.#states += error === null ? SafeRegExp.of(source).states : 0;
        return error;
    }

    #examineChild(child: JsonValue, pointer: string, resource: Resource, errors: ContentError[]): void {

        if (!isSchema(child)) {
            addError(errors, pointer, 'must be a schema: an object or a boolean');
        }
        else if (errors.length < MAX_ERRORS) {
            this.#examineNext(child, () => this.#examineSchema(child, pointer, resource, errors));
        }
    }

    /** Returns the resource of a schema: its own if it has an id, otherwise the enclosing one. Also collects its anchors. */
    #identify(schema: JsonObject, pointer: string, outer: Resource, errors: ContentError[]): Resource {

        const id = idOf(schema, this.draft);
        const isTooLong = typeof id === 'string' && id.length > MAX_ID;
        if (isTooLong) {
            addError(errors, pointer, LONG_ID);
        }

        const uri = typeof id === 'string' && !isTooLong && !id.startsWith('#') ? resolveUri(id, outer.uri) : null;
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
}

function addError(errors: ContentError[], pointer: string, message: string): void {

    if (errors.length < MAX_ERRORS) {
        errors.push({ pointer, message });
    }
}

/** Returns the id of a schema: `id` in draft 4, `$id` from draft 6 on, and either without `$schema`. */
export function idOf(schema: JsonObject, draft: Draft): JsonValue | undefined {

    return draft === 4 ? schema['id'] : schema['$id'] ?? (draft === 0 ? schema['id'] : undefined);
}

/** True if JSON is nested deeper than `levels`. The recursion itself ends at that depth. */
function isDeeper(value: JsonValue, levels: number): boolean {

    if (typeof value !== 'object' || value === null) {
        return false;
    }

    return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}
