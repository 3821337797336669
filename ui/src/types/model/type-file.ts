/** Files of types: Schema objects, as Cordra exports them, as JSON or JSON lines; or schemas by their names. */

import { isJsonMap, type Json, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';

/** A type of a file. */
export interface TypeInFile {
    readonly name: string;
    /** Members of the Schema object besides its name and id. */
    readonly content: JsonMap;
    /** Id of the Schema object, and what else the file says about it. */
    readonly object: JsonMap;
    /** True when the file has the whole type, not only its schema. */
    readonly isWhole: boolean;
}

/** What is in a file. */
export interface TypeFile {
    readonly types: readonly TypeInFile[];
    /** Number of objects that are no types. */
    readonly others: number;
}

/** Reads a file. @throws JsonSyntaxError */
export function readTypeFile(text: string): TypeFile {

    const items = itemsOf(text);
    const types = items.flatMap((item) => typesIn(item));
    const others = items.filter((item) => isJsonMap(item) && typeof item['type'] === 'string' && item['id'] !== undefined && item['type'] !== 'Schema').length;
    return { types: [...new Map(types.map((type) => [type.name, type])).values()], others };
}

function itemsOf(text: string): readonly Json[] {

    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length > 1 && lines.slice(0, 2).every((line) => /^\s*\{.*\}\s*$/.test(line))) {
        return lines.map(parseJson);
    }

    const value = parseJson(text);
    const results = isJsonMap(value) ? value['results'] : undefined;
    return Array.isArray(value) ? value as readonly Json[] : Array.isArray(results) ? results as readonly Json[] : [value];
}

function typesIn(item: Json): readonly TypeInFile[] {

    if (!isJsonMap(item)) {
        return [];
    }

    const attributes = item['attributes'];
    const content = item['content'] ?? (isJsonMap(attributes) ? attributes['content'] : undefined);
    if (item['type'] === 'Schema' && isJsonMap(content)) {
        const { identifier: _identifier, name, ...rest } = content;
        const { content: _content, attributes: _attributes, elements: _elements, metadata: _metadata, ...object } = item;
        return typeof name === 'string' ? [{ name, content: rest, object, isWhole: true }] : [];
    }

    if (typeof item['type'] === 'string' || item['export'] !== undefined || item['end'] !== undefined) {
        return [];
    }

    // Schemas by name, as GET /schemas has them, or the design of a user interface.
    const schemas = isJsonMap(item['schemas']) ? item['schemas'] : item;
    return Object.entries(schemas).filter(([, schema]) => isJsonMap(schema))
        .map(([name, schema]) => ({ name, content: { schema }, object: {}, isWhole: false }));
}
