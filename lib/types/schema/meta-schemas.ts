/**
 * Published meta-schemas of JSON Schema. Schemas may refer to them: `{"$ref": "http://json-schema.org/draft-07/schema#"}`
 * requires the value to be a schema. They come with installed packages; nothing is fetched.
 */

import { createRequire } from 'node:module';
import type { JsonObject } from '../../util/json-types.js';
import { SchemaDocument } from './document.js';

const load = createRequire(__filename);

const FILES: ReadonlyMap<string, string> = new Map([
    ['http://json-schema.org/draft-04/schema', 'ajv-draft-04/dist/refs/json-schema-draft-04.json'],
    ['http://json-schema.org/draft-06/schema', 'ajv/dist/refs/json-schema-draft-06.json'],
    ['http://json-schema.org/draft-07/schema', 'ajv/dist/refs/json-schema-draft-07.json'],
    ...filesOf('2019-09', ['applicator', 'content', 'core', 'format', 'meta-data', 'validation']),
    ...filesOf('2020-12', ['applicator', 'content', 'core', 'format-annotation', 'meta-data', 'unevaluated', 'validation'])
]);

const loaded = new Map<string, SchemaDocument>();

/** Returns the meta-schema with a URI; undefined if there is none. Loaded on first use. */
export function metaSchema(uri: string): SchemaDocument | undefined {

    const file = FILES.get(uri);
    const cached = loaded.get(uri);
    if (cached || file === undefined) {
        return cached;
    }

    const document = new SchemaDocument(uri, load(file) as JsonObject);
    loaded.set(uri, document);
    return document;
}

function filesOf(draft: string, vocabularies: readonly string[]): [uri: string, file: string][] {

    return ['schema', ...vocabularies.map((name) => `meta/${name}`)].map((name) =>
        [`https://json-schema.org/draft/${draft}/${name}`, `ajv/dist/refs/json-schema-${draft}/${name}.json`]);
}
