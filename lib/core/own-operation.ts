/**
 * Custom operations of programs that embed the service. Objects and searches in their context are bound to the caller of the
 * request, so that the default way checks access, runs hooks and validates; the unchecked way has a name that says so.
 */

import type { Segment } from '../doip/envelope.js';
import type { DoipRequest } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Acl, DigitalObject } from '../doip/digital-object.js';
import type { Caller } from '../model/caller.js';
import type { StoredObject } from '../model/stored-object.js';
import type { Services } from './services.js';
import type { Operation, OperationResult } from './operation.js';
import { DoipError, internal } from '../errors/errors.js';
import { readableError } from '../util/readable-error.js';
import { denied } from '../model/caller.js';
import { Op } from '../doip/operation-ids.js';
import { empty, jsonOf, jsonSegment, sequence } from '../doip/segments.js';
import type { OperationContext } from './operation-context.js';
import { OpenedOutputs } from './opened-outputs.js';
import type { Rule } from './operation-summary.js';

/** An operation performed by a handler. */
export interface Performed {
    /** Default: the service. */
    readonly targetId?: string;
    readonly attributes?: JsonObject;
    /** One JSON value, or a sequence of segments; default none. */
    readonly input?: JsonValue | AsyncIterable<Segment>;
}

/** Bytes of an element to store. */
export interface ElementSource {
    readonly body: AsyncIterable<Uint8Array>;
    readonly mediaType?: string;
    readonly filename?: string;
}

/** An object to store. */
export interface ObjectSource {
    readonly type?: string;
    readonly content?: JsonObject;
    readonly acl?: Acl;
    readonly userMetadata?: JsonObject;
    /** Name → bytes. */
    readonly elements?: Readonly<Record<string, ElementSource>>;
}

/** Objects with the permissions of the caller. All functions throw the DoipError that the caller would get. */
export interface CallerObjects {
    /** Returns the object as the caller may see it. @throws DoipError 404, or 401 or 403 if the caller may not read it */
    retrieve(id: string): Promise<DigitalObject>;
    /** Returns the bytes of an element; `range` is 0-based, both ends inclusive. */
    element(id: string, name: string, range?: { readonly start?: number; readonly end?: number }): Promise<AsyncIterable<Uint8Array>>;
    /** Creates an object; an id is generated if neither `id` nor `suffix` is given. */
    create(
        object: ObjectSource & { readonly type: string; readonly id?: string }, options?: { readonly suffix?: string; readonly dryRun?: boolean }
    ): Promise<DigitalObject>;
    /** Updates an object; `content` replaces the whole content. */
    update(id: string, object: ObjectSource, options?: { readonly dryRun?: boolean; readonly elementsToDelete?: readonly string[] }): Promise<DigitalObject>;
    delete(id: string): Promise<void>;
}

/** Parameters of a search; the attributes of `0.DOIP/Op.Search`. */
export interface SearchOptions {
    /** 0-based. */
    readonly pageNum?: number;
    /** Default 100; -1 for all. */
    readonly pageSize?: number;
    readonly sortFields?: JsonValue;
    readonly filterQueries?: readonly string[];
    readonly facets?: readonly { readonly field: string; readonly maxBuckets?: number }[];
}

/** Results of a search. */
export interface SearchPage {
    /** Total number of results. */
    readonly size: number;
    readonly results: readonly DigitalObject[];
    readonly facets?: JsonValue;
}

/** Context of the handler of a custom operation. */
export interface OwnContext<A extends object = JsonObject> extends Omit<OperationContext<A>, 'services' | 'latest' | 'allowTypeChange'> {
    /**
     * The target. With the rule `reader` in the form that type code (`onObjectResolution`) shows to the caller, and hidden where it hides it;
     * with every other rule as it is stored.
     */
    readonly target: StoredObject;
    /** Objects, with the permissions of the caller. */
    readonly objects: CallerObjects;
    /** Searches among objects that the caller may read. */
    readonly search: (query: string, options?: SearchOptions) => Promise<SearchPage>;
    /**
     * Performs any operation with the permissions of the caller. An output that is not read to its end is closed with the output of
     * the handler. Rejected if the request must not change anything and the operation may.
     */
    readonly perform: (operationId: string, performed?: Performed) => Promise<OperationResult>;
    /** The services behind the operations. They check no permissions; the handler has to. */
    readonly uncheckedServices: Services;
}

/** A custom operation; see {@link Operation}. */
export interface OwnOperation<A extends object = JsonObject> extends Omit<Operation<A>, 'authorise' | 'handler'> {
    /** Required, so that it cannot be forgotten. A function denies access by throwing a DoipError, or by returning false. */
    readonly authorise: Rule | ((context: OwnContext<A>) => unknown);
    handler(context: OwnContext<A>): Promise<OperationResult>;
}

/** Performs a request on behalf of an authenticated caller. */
export type PerformFor = (caller: Caller, request: DoipRequest) => Promise<OperationResult>;

/** Default page size. */
const PAGE_SIZE = 100;

/**
 * Declares a custom operation, with the types of its attributes inferred from its schema.
 *
 * @example
 * const wordCount = defineOperation({ id: '20.500.123/Op.WordCount', summary: 'count the words of the content',
 *     target: 'object', methods: ['GET', 'POST'], authorise: 'reader',
 *     handler: async ({ target }) => result.json({ words: count(target.content) }) });
 */
export function defineOwnOperation<A extends object = JsonObject>(operation: OwnOperation<A>): OwnOperation<A> {

    return operation;
}

/** Returns the operation in the form for the registry, which also rejects malformed ones. */
export function toOperation<A extends object>(declaration: OwnOperation<A>, performFor: PerformFor): Operation<A> {

    if (typeof declaration !== 'object' || declaration === null) {
        return declaration;
    }

    const operation = membersOf(declaration);
    if (typeof operation.handler !== 'function') {
        return operation as unknown as Operation<A>;
    }

    const { authorise } = operation;
    return {
        ...operation,
        authorise: typeof authorise !== 'function' ? authorise : async (context) => {

            const opened = new OpenedOutputs(() => context.log);
            try {
                if (await authorise(ownContext(context, performFor, opened)) === false) {
                    throw denied(context.caller, `the rule of operation ${operation.id}`);
                }
            }
            catch (error) {
                throw readable(error);
            }
            finally {
                opened.close();
            }
        },
        handler: async (context) => {

            const opened = new OpenedOutputs(() => context.log);
            try {
                const shown = authorise === 'reader' ? await context.services.resolution.resolve(context.target, context) : null;
                const performed = resultOf(operation.id, await operation.handler(ownContext(context, performFor, opened, shown)));
                return { ...performed, output: opened.closedWith(performed.output) };
            }
            catch (error) {
                opened.close();
                throw readable(error);
            }
        }
    };
}

/** Returns the members of a declaration as they are now. @throws Error for one that cannot be read */
function membersOf<A extends object>(declaration: OwnOperation<A>): OwnOperation<A> {

    try {
        // Functions may be those of a class, which a copy of the members lacks.
        return {
            ...declaration,
            authorise: typeof declaration.authorise === 'function' ? declaration.authorise.bind(declaration) : declaration.authorise,
            ...typeof declaration.handler === 'function' ? { handler: declaration.handler.bind(declaration) } : {}
        };
    }
    catch (error) {
        const id: unknown = Object.getOwnPropertyDescriptor(declaration, 'id')?.value;
        throw new Error(`operation ${String(id)}: ${readableError(error).message}`);
    }
}

/** Returns what an extension has thrown, as an error that can be logged and sent. */
function readable(thrown: unknown): Error {

    const error = readableError(thrown);
    return error instanceof DoipError && !isJson([error.details, error.attributes]) ? internal(error) : error;
}

/** Returns the result of a handler. @throws Error if it is none */
function resultOf(id: string, performed: unknown): OperationResult {

    const { status, attributes, output, http } = (performed ?? {}) as Partial<OperationResult>;
    const isResult = typeof status === 'string' && typeof attributes === 'object' && attributes !== null && isJson(attributes) &&
        typeof output === 'object' && output !== null && typeof output[Symbol.asyncIterator] === 'function' &&
        (http === undefined || Number.isInteger(http) && http >= 400 && http < 600);
    if (!isResult) {
        throw new Error(`the handler of operation ${id} returned no result: make it by result.json(), result.segments() or result.empty()`);
    }

    return performed as OperationResult;
}

function isJson(value: unknown): boolean {

    try {
        JSON.stringify(value);
        return true;
    }
    catch {
        return false;
    }
}

/**
 * Returns the context for a custom operation: everything but the services, which are bound to the caller.
 *
 * @param shown what the handler gets as the target, null for the stored object
 */
function ownContext<A extends object>(
    context: OperationContext<A>, performFor: PerformFor, opened: OpenedOutputs, shown: StoredObject | null = null
): OwnContext<A> {

    const perform: OwnContext['perform'] = async (operationId, { targetId = 'service', attributes = {}, input } = {}) => {

        const { isSafe, requestContext, signal } = context;
        const caller = await context.currentCaller();
        // Nested requests are those of the caller, whoever owns the certificate of the connection.
        const { clientCertificate: _, ...transport } = context.transport;
        const performed = await performFor(caller, {
            requestId: null, clientId: null, targetId, operationId, authentication: {},
            attributes: Object.keys(requestContext).length > 0 ? { requestContext, ...attributes } : attributes,
            input: segmentsOf(input), transport, signal, ...isSafe ? { safe: true } : {}
        });
        return { ...performed, output: opened.output(performed.output) };
    };

    return Object.create(context, {
        services: { value: undefined },
        ...shown ? { target: { value: shown } } : {},
        uncheckedServices: { value: context.services },
        perform: { value: perform },
        objects: { value: callerObjects(perform, opened) },
        search: { value: callerSearch(perform) }
    }) as OwnContext<A>;
}

function callerObjects(perform: OwnContext['perform'], opened: OpenedOutputs): CallerObjects {

    return {
        async retrieve(targetId) {

            return await objectOf(await perform(Op.retrieve, { targetId }));
        },
        async element(targetId, element, range) {

            const { output } = await perform(Op.retrieve, { targetId, attributes: { element, ...range ? { range: { ...range } } : {} } });
            return opened.sequence(await bytesOf(output));
        },
        async create({ id, ...object }, { suffix, dryRun = false } = {}) {

            const attributes = { dryRun, ...suffix === undefined ? {} : { suffix } };
            return await objectOf(await perform(Op.create, { attributes, input: objectSegments(object, id) }));
        },
        async update(targetId, object, { dryRun = false, elementsToDelete = [] } = {}) {

            const attributes = { dryRun, elementsToDelete: [...elementsToDelete] };
            return await objectOf(await perform(Op.update, { targetId, attributes, input: objectSegments(object) }));
        },
        async delete(targetId) {

            await perform(Op.delete, { targetId });
        }
    };
}

function callerSearch(perform: OwnContext['perform']): OwnContext['search'] {

    return async (query, { pageNum = 0, pageSize = PAGE_SIZE, sortFields, filterQueries, facets } = {}) => {

        const attributes: JsonObject = {
            query, pageNum, pageSize,
            ...sortFields === undefined ? {} : { sortFields },
            ...filterQueries === undefined ? {} : { filterQueries: [...filterQueries] },
            ...facets === undefined ? {} : { facets: facets.map((facet) => ({ ...facet })) }
        };
        const { size, results, facets: counted } = await valueOf(await perform(Op.search, { attributes })) as JsonObject;
        return { size: size as number, results: results as unknown as DigitalObject[], ...counted === undefined ? {} : { facets: counted } };
    };
}

/** Yields the input of Create and Update: the object, then header and bytes of each element. */
async function *objectSegments({ type, content, acl, userMetadata, elements = {} }: ObjectSource, id?: string): AsyncGenerator<Segment> {

    const sources = Object.entries(elements);
    yield jsonSegment({
        ...id === undefined ? {} : { id },
        ...type === undefined ? {} : { type },
        attributes: {
            ...content === undefined ? {} : { content },
            ...acl === undefined ? {} : { acl: { ...acl } as JsonObject },
            ...userMetadata === undefined ? {} : { userMetadata }
        },
        ...sources.length === 0 ? {} : {
            elements: sources.map(([name, { mediaType, filename }]) => ({
                id: name, ...mediaType === undefined ? {} : { type: mediaType }, ...filename === undefined ? {} : { attributes: { filename } }
            }))
        }
    });
    for (const [name, { body }] of sources) {
        yield jsonSegment({ id: name });
        yield { kind: 'bytes', body };
    }
}

function segmentsOf(input: Performed['input']): AsyncIterable<Segment> {

    if (input === undefined) {
        return empty();
    }

    return isSequence(input) ? input : sequence(jsonSegment(input));
}

function isSequence(input: JsonValue | AsyncIterable<Segment>): input is AsyncIterable<Segment> {

    return typeof input === 'object' && input !== null && Symbol.asyncIterator in input;
}

async function objectOf(performed: OperationResult): Promise<DigitalObject> {

    return await valueOf(performed) as unknown as DigitalObject;
}

async function valueOf({ output }: OperationResult): Promise<JsonValue> {

    for await (const segment of output) {
        return await jsonOf(segment);
    }

    throw internal(new Error('an operation gave no output'));
}

/** Returns the bytes of an output with one segment; the output stays open until they are read. */
async function bytesOf(output: AsyncIterable<Segment>): Promise<AsyncIterable<Uint8Array>> {

    const segments = output[Symbol.asyncIterator]();
    const next = await segments.next();
    if (next.done === true || next.value.kind !== 'bytes') {
        throw internal(new Error('an operation gave no bytes'));
    }

    const { body } = next.value;

    return (async function *() {

        try {
            yield *body;
        }
        finally {
            await segments.return?.();
        }
    })();
}
