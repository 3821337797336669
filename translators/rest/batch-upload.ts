/**
 * `/batchUpload`: many objects in one request (interface specification, "POST /batchUpload"). The body is streamed to the operation, which
 * reads the items in REST form itself; the results are converted to REST form here.
 */

import type { JsonValue } from '../../lib/util/json-types.js';
import type { RecordShape } from './mapping/record-writer.js';
import type { Route } from '../http/route.js';
import { isJsonObject } from '../../lib/util/json-types.js';
import { writeJson } from '../../lib/json/serializer.js';
import { SerializedJson } from '../../lib/doip/serialized-object.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { bytesInput, hasLines } from './mapping/json-input.js';
import { omitUndefined } from '../http/request/params.js';
import { asDigitalObject, asJson, toRestObject } from './mapping/rest-object.js';
import { restRecordText } from './mapping/record-writer.js';

/** Format of the record of a batch. */
const batchRecord: RecordShape = {
    surround: ({ results, ...others }) => ({ before: {}, after: others }),
    text: (result) => writeJson(batchResult(result instanceof SerializedJson ? result.toJSON() : result as JsonValue))
};

export const batchUploadRoutes: readonly Route[] = [
    {
        methods: ['POST'],
        path: '/batchUpload',
        toEnvelope(call) {

            const format = call.params.text('format') ?? (hasLines(call) ? 'ndjson' : undefined);
            return {
                operationId: Op.batchUpload,
                attributes: omitUndefined({
                    format,
                    failFast: call.params.flag('failFast'),
                    parallel: call.params.flag('parallel', true)
                }),
                input: bytesInput(call, format === 'ndjson' ? 'application/x-ndjson' : 'application/json'),
                fromEnvelope: ({ output }) => ({ headers: {}, body: { kind: 'texts', texts: restRecordText(output, batchRecord) } })
            };
        }
    }
];

/** Converts the result of one item: a stored object to its REST form. The message of a rejected item stays as it is. */
function batchResult(result: JsonValue): JsonValue {

    if (!isJsonObject(result) || !isJsonObject(result['response']) || !isJsonObject(result['response']['attributes'])) {
        return result;
    }

    return { ...result, response: asJson(toRestObject(asDigitalObject(result['response']))) };
}
