/**
 * Operations of one's own: what their handlers are given. Objects and searches are bound to the caller of the request, so that the
 * obvious way asks the policy, runs the hooks of types and checks what is stored; what does not ask bears a name that says so.
 */

import type { Segment } from '../doip/envelope.js';
import type { DoipRequest } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import type { Acl, DigitalObject } from '../doip/digital-object.js';
import type { Caller } from '../model/caller.js';
import type { Services } from './services.js';
import type { Operation, OperationResult } from './operation.js';
import { internal } from '../errors/errors.js';
import { Op } from '../doip/operation-ids.js';
import { empty, jsonOf, jsonSegment } from '../doip/segments.js';
import type { OperationContext } from './operation-context.js';
import type { Rule } from './operation-summary.js';

/** Another operation that a handler performs. */
export interface Performed {
    /** Default: the service. */
    readonly targetId?: string;
    readonly attributes?: JsonObject;
    /** One JSON value, or a sequence of segments; default none. */
    readonly input?: JsonValue | AsyncIterable<Segment>;
}

/** The bytes of an element that is to be stored. */
export interface ElementSource {
    readonly body: AsyncIterable<Uint8Array>;
    readonly mediaType?: string;
    readonly filename?: string;
}

/** An object that is to be stored. */
export interface ObjectSource {
    readonly type?: string;
    readonly content?: JsonObject;
    readonly acl?: Acl;
    readonly userMetadata?: JsonObject;
    /** By name. */
    readonly elements?: Readonly<Record<string, ElementSource>>;
}

/** The objects of the repository, with the rights of the caller. Each function throws the DoipError that the caller would be answered with. */
export interface CallerObjects {
    /** The object as the caller may see it. 404, or 401 and 403 where the caller may not read it. */
    retrieve(id: string): Promise<DigitalObject>;
    /** Bytes of an element; `range` in bytes from 0, both ends included. */
    element(id: string, name: string, range?: { readonly start?: number; readonly end?: number }): Promise<AsyncIterable<Uint8Array>>;
    /** Without `id` and `suffix` an id is made. */
    create(
        object: ObjectSource & { readonly type: string; readonly id?: string }, options?: { readonly suffix?: string; readonly dryRun?: boolean }
    ): Promise<DigitalObject>;
    /** `content` replaces the whole content. */
    update(id: string, object: ObjectSource, options?: { readonly dryRun?: boolean; readonly elementsToDelete?: readonly string[] }): Promise<DigitalObject>;
    delete(id: string): Promise<void>;
}

/** What is asked of a search; the attributes of `0.DOIP/Op.Search`. */
export interface SearchOptions {
    /** 0-based. */
    readonly pageNum?: number;
    /** Default 100; -1 for all. */
    readonly pageSize?: number;
    readonly sortFields?: JsonValue;
    readonly filterQueries?: readonly string[];
    readonly facets?: readonly { readonly field: string; readonly maxBuckets?: number }[];
}

/** What a search has found. */
export interface SearchPage {
    /** Of all results. */
    readonly size: number;
    readonly results: readonly DigitalObject[];
    readonly facets?: JsonValue;
}

/** What the handler of an operation of one's own may use for a request. */
export interface OwnContext<A extends object = JsonObject> extends Omit<OperationContext<A>, 'services' | 'latest' | 'allowTypeChange'> {
    /** Objects, with the rights of the caller. */
    readonly objects: CallerObjects;
    /** Finds what the caller may read. */
    readonly search: (query: string, options?: SearchOptions) => Promise<SearchPage>;
    /** Performs any operation with the rights of the caller; refused where the request promised to change nothing and the operation may. */
    readonly perform: (operationId: string, performed?: Performed) => Promise<OperationResult>;
    /** The services behind the operations. They ask nobody's rights: what the caller may is for the handler to find out. */
    readonly uncheckedServices: Services;
}

/** An operation of one's own; see {@link Operation}. */
export interface OwnOperation<A extends object = JsonObject> extends Omit<Operation<A>, 'authorise' | 'handler'> {
    /** No default on purpose: forgetting it is an error. A function decides by throwing a DoipError. */
    readonly authorise: Rule | ((context: OwnContext<A>) => Promise<void> | void);
    handler(context: OwnContext<A>): Promise<OperationResult>;
}

/** Performs a request for somebody who has been authenticated. */
export type PerformFor = (caller: Caller, request: DoipRequest) => Promise<OperationResult>;

/** Results that are read where nobody says how many. */
const PAGE_SIZE = 100;

/**
 * Declares an operation of one's own, with the types of its attributes inferred from its schema.
 *
 * @example
 * const wordCount = defineOperation({ id: '20.500.123/Op.WordCount', summary: 'count the words of the content',
 *     target: 'object', methods: ['GET', 'POST'], authorise: 'reader',
 *     handler: async ({ target }) => result.json({ words: count(target.content) }) });
 */
export function defineOwnOperation<A extends object = JsonObject>(operation: OwnOperation<A>): OwnOperation<A> {

    return operation;
}

/** The operation as it is registered. What is no operation at all is left for the registry to refuse. */
export function toOperation<A extends object>(own: OwnOperation<A>, performFor: PerformFor): Operation<A> {

    if (typeof own !== 'object' || own === null || typeof own.handler !== 'function') {
        return own as unknown as Operation<A>;
    }

    const { authorise } = own;
    return {
        ...own,
        authorise: typeof authorise === 'function' ? (context) => authorise(ownContext(context, performFor)) : authorise,
        handler: (context) => own.handler(ownContext(context, performFor))
    };
}

/** Everything of a context but the services, and what is bound to the caller in their place. */
function ownContext<A extends object>(context: OperationContext<A>, performFor: PerformFor): OwnContext<A> {

    const perform: OwnContext['perform'] = (operationId, { targetId = 'service', attributes = {}, input } = {}) => {

        const { caller, isSafe, requestContext, signal, transport } = context;
        return performFor(caller, {
            requestId: null, clientId: null, targetId, operationId, authentication: {},
            attributes: Object.keys(requestContext).length > 0 ? { requestContext, ...attributes } : attributes,
            input: segmentsOf(input), transport, signal, ...isSafe ? { safe: true } : {}
        });
    };

    return Object.create(context, {
        services: { value: undefined },
        uncheckedServices: { value: context.services },
        perform: { value: perform },
        objects: { value: callerObjects(perform) },
        search: { value: callerSearch(perform) }
    }) as OwnContext<A>;
}

function callerObjects(perform: OwnContext['perform']): CallerObjects {

    return {
        async retrieve(targetId) {

            return await objectOf(await perform(Op.retrieve, { targetId }));
        },
        async element(targetId, element, range) {

            const { output } = await perform(Op.retrieve, { targetId, attributes: { element, ...range ? { range: { ...range } } : {} } });
            return bytesOf(output);
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

/** The input of Create and Update: the object, then the name and the bytes of each element. */
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

    return isSequence(input) ? input : only(input);
}

function isSequence(input: JsonValue | AsyncIterable<Segment>): input is AsyncIterable<Segment> {

    return typeof input === 'object' && input !== null && Symbol.asyncIterator in input;
}

async function *only(value: JsonValue): AsyncGenerator<Segment> {

    yield jsonSegment(value);
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

/** The one sequence of bytes of an output, which stays open until they are read. */
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
