/**
 * The types of `doip-gateway/client/web`, generated from the schemas and paths of the OpenAPI document. As a part of `npm run docs` they are
 * written to `lib/client/web/types.ts`; a test compares them.
 */

import { join } from 'node:path';
import { schemaType } from '../../lib/cli/declarations/schema-type.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { PATHS } from '../../translators/web/openapi/paths.js';
import { SCHEMAS } from '../../translators/web/openapi/schemas.js';
import { ROOT } from './doc-pages.js';

/** The file with the types. */
export const CLIENT_TYPES = join(ROOT, 'lib/client/web/types.ts');

/** What a type has besides its schema: its name, parameters, and members whose types they are. */
interface TypeOptions {
    readonly name?: string;
    readonly parameter?: string;
    readonly members?: Readonly<Record<string, string>>;
    /** Before the description of the schema, if it has one. */
    readonly summary?: string;
}

/** The schemas that become types. */
const TYPES: Readonly<Record<string, TypeOptions>> = {
    Acl: { summary: 'An access control list' },
    Metadata: { summary: 'Metadata of an object' },
    Payload: { summary: 'A payload of an object, without its bytes' },
    Object: { name: 'DigitalObject', parameter: 'C = JsonValue', members: { content: 'C' } },
    SearchResults: { parameter: 'R = DigitalObject', members: { results: 'readonly R[]' }, summary: 'A page of results; `size` is the number of all, or -1' },
    Version: { summary: 'A version of an object, or the object itself (`isTip`)' },
    BatchItem: { parameter: 'C = JsonValue', members: { content: 'C' }, summary: 'An object of a batch; with the id of an existing one, that is changed' },
    BatchResults: { summary: 'What became of the items of a batch; `position` is the index of an item' },
    ApiKeyScope: { summary: 'The API key of a caller, and what it permits' },
    Caller: { summary: 'Who is calling' }
};

const HEADER = `/** Types of requests and responses. Generated from the OpenAPI document by \`npm run docs\`; do not edit. */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
`;

/** Returns the text of the file. */
export function clientTypes(): string {

    const interfaces = Object.entries(TYPES).map(([name, options]) => interfaceOf(name, options, SCHEMAS[name] ?? {}));
    const search = PATHS.find(({ method, path }) => method === 'get' && path === '/search')?.query ?? [];
    const properties = Object.fromEntries(search.map(({ name, description, schema }) => [name, { ...parameterSchema(schema), description }]));
    return [HEADER, ...interfaces, interfaceOf('SearchParameters', { summary: 'Parameters of a search' }, { properties })].join('\n');
}

/** In a JSON body a flag is a boolean, and what is JSON text in a URL is any value. */
function parameterSchema(schema: JsonObject): JsonObject {

    const isFlag = Array.isArray(schema['enum']);
    return isFlag ? { type: 'boolean' } : schema['contentMediaType'] === undefined ? schema : {};
}

function interfaceOf(schemaName: string, { name = schemaName, parameter, members = {}, summary }: TypeOptions, schema: JsonObject): string {

    const { description } = schema;
    const comment = [summary, description].filter((text) => typeof text === 'string').map((text) => `${capital(text)}.`).join(' ');
    const lines = membersOf(schema).map(([member, type, isRequired, remark]) =>
        `${remark === undefined ? '' : `    /** ${capital(remark)}. */\n`}    readonly ${member}${isRequired ? '' : '?'}: ${members[member] ?? type};\n`);
    return `/** ${comment} */\nexport interface ${name}${parameter === undefined ? '' : `<${parameter}>`} {\n${lines.join('')}}\n`;
}

type Member = readonly [name: string, type: string, isRequired: boolean, remark: string | undefined];

function membersOf({ properties, required }: JsonObject): Member[] {

    const needed = Array.isArray(required) ? required : [];
    return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]): Member => {

        const description = isJsonObject(schema) ? schema['description'] : undefined;
        return [name, typeOf(schema), needed.includes(name), typeof description === 'string' ? description : undefined];
    });
}

function capital(text: string): string {

    return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the TypeScript type of a JSON schema. Those without a name are written where they are referred to. */
export function typeOf(schema: JsonValue): string {

    return schemaType(schema, { nameOf, indent: '    ', isReadonly: true }).text;
}

function nameOf(reference: string): string {

    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return TYPES[name]?.name ?? (TYPES[name] ? name : typeOf(SCHEMAS[name] ?? {}));
}
