/** PROVISIONAL, to be replaced as a whole by the real module; the names used by callers stay. */

import type { ContentFault } from '../doip/error.js';
import type { JsonObject } from '../doip/json.js';
import Ajv from 'ajv';
import { invalidContent } from '../doip/error.js';

export interface ContentReference {
    readonly pointer: string;
    readonly id: string;
    readonly types?: readonly string[];
    readonly excludeTypes?: readonly string[];
}

export interface ProcessedContent {
    readonly content: JsonObject;
    readonly references: readonly ContentReference[];
}

export interface ProcessInput {
    readonly content: JsonObject;
    readonly id: string;
    readonly createdOn: number;
    readonly createdBy: string;
    readonly modifiedOn: number;
    readonly modifiedBy: string;
}

const ajv = new Ajv({ strict: false });

export class TypeDefinition {

    readonly name: string;
    readonly schemaId: string | null;
    readonly schema: JsonObject;

    constructor(name: string, schemaId: string | null, schema: JsonObject) {

        this.name = name;
        this.schemaId = schemaId;
        this.schema = schema;
    }

    process({ content, id }: ProcessInput): ProcessedContent {

        const filled = { ...content, ...('id' in (this.schema.properties as JsonObject ?? {}) ? { id } : {}) };
        const validate = ajv.compile(this.schema);
        if (!validate(filled)) {
            const faults = (validate.errors ?? []).map(({ instancePath, message }): ContentFault => ({ pointer: instancePath, message: message ?? '' }));
            throw invalidContent(faults);
        }

        return { content: filled, references: [] };
    }

    primaryOf(_content: JsonObject): string | undefined {

        return undefined;
    }

    textMediaTypeAt(_content: JsonObject, _pointer: string): string | undefined {

        return undefined;
    }
}
