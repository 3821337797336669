/** The part of an OpenAPI document that the page shows. */

/** A parameter of a request. */
export interface Parameter {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: ParameterSchema;
    readonly content?: Readonly<Record<string, { readonly schema?: ParameterSchema }>>;
}

interface ParameterSchema {
    readonly description?: string;
    readonly type?: string | readonly string[];
    readonly enum?: readonly unknown[];
    readonly const?: unknown;
    readonly default?: unknown;
}

/** A request that the service takes. */
export interface ApiOperation {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly summary: string;
    readonly tag: string;
    readonly parameters: readonly Parameter[];
    /** Forms of the body, one of which is sent; empty without one. */
    readonly bodies: readonly BodyForm[];
    /** True where the request may also have several segments as its body, which the page cannot send. */
    readonly takesSegments: boolean;
    /** Media types of the response when the request succeeds; empty where there is no body. */
    readonly answers: readonly string[];
}

/** A form in which a request takes its body. */
export interface BodyForm {
    readonly mediaType: string;
    /** Names of the parts that are texts, before those that are files; null for a body that is not in parts. */
    readonly parts: readonly string[] | null;
    /** True where the body may be the bytes of a file. */
    readonly isFile: boolean;
}

interface BodyContent {
    readonly schema?: { readonly properties?: Readonly<Record<string, unknown>> };
}

/** The name of a parameter that several requests have. */
interface Reference {
    readonly $ref: string;
}

/** An OpenAPI document, as far as the page reads it. */
export interface OpenApi {
    readonly paths: Readonly<Record<string, Readonly<Record<string, {
        readonly summary?: string; readonly tags?: readonly string[]; readonly parameters?: readonly (Parameter | Reference)[];
        readonly requestBody?: { readonly content?: Readonly<Record<string, BodyContent>> };
        readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
    }>>>>;
    readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> };
}

const METHODS = ['get', 'post', 'put', 'delete'];

/** Belongs to the cookie of a legacy session, which requests of the page do not have. */
const CSRF_TOKEN = 'X-Csrf-Token';

/** Bodies in parts, as a form sends them. */
const FORM = 'multipart/form-data';

/** Several segments, in parts that no form sends. */
export const MIXED = 'multipart/mixed';

/** Bodies of media types that are rather in a file. */
const OF_FILES = new Set(['application/octet-stream', 'application/x-ndjson']);

/** The first part of a form of which nothing else is known. */
const INPUT = 'input';

function bodyOf([mediaType, { schema }]: readonly [string, BodyContent]): BodyForm {

    return { mediaType, parts: mediaType === FORM ? Object.keys(schema?.properties ?? { [INPUT]: {} }) : null, isFile: OF_FILES.has(mediaType) };
}

/** The operations of a document, in its order. */
export function operationsOf({ paths, components = {} }: OpenApi): readonly ApiOperation[] {

    const named = (each: Parameter | Reference): readonly Parameter[] => {

        const found = '$ref' in each ? components.parameters?.[each.$ref.replace('#/components/parameters/', '')] : each;
        return found && found.name !== CSRF_TOKEN ? [found] : [];
    };

    return Object.entries(paths).flatMap(([path, item]) => METHODS.filter((method) => item[method]).map((method) => {

        const { summary = '', tags = [], parameters = [], requestBody, responses = {} } = item[method] ?? {};
        const forms = Object.entries(requestBody?.content ?? {});
        return {
            id: `${method} ${path}`, method: method.toUpperCase(), path, summary, tag: tags[0] ?? '', parameters: parameters.flatMap(named),
            bodies: forms.filter(([type]) => type !== MIXED).map(bodyOf), takesSegments: forms.some(([type]) => type === MIXED),
            answers: Object.keys(responses['200']?.content ?? {})
        };
    }));
}

/** The schema of a parameter, wherever the document has it. */
export function schemaOfParameter({ schema, content }: Parameter): ParameterSchema {

    return schema ?? Object.values(content ?? {})[0]?.schema ?? {};
}

/** The path and query of a request with the values that were entered. */
export function addressOf({ path, parameters }: ApiOperation, values: Readonly<Record<string, string>>): string {

    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => (values[name] ?? '').split('/').map(encodeURIComponent).join('/'));
    const query = new URLSearchParams(parameters.filter(({ in: place, name }) => place === 'query' && (values[name] ?? '') !== '').map(({ name }) => [name, values[name] ?? '']));
    return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}

/** The headers of a request with the values that were entered. */
export function headersOf({ parameters }: ApiOperation, values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {

    return Object.fromEntries(parameters.filter(({ in: place, name }) => place === 'header' && (values[name] ?? '') !== '').map(({ name }) => [name, values[name] ?? '']));
}
