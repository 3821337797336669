/** Exports the whole repository as JSON lines for `gateway/Op.Import`: types, objects with metadata and payloads, and password hashes. */

import { EXPORT_TYPE } from '../../bulk/format/export-format.js';
import { defineOperation, result } from '../../core/operation.js';
import { sequence } from '../../doip/segments.js';
import { Op } from '../../doip/operation-ids.js';

export const exportObjects = defineOperation({
    id: Op.exportObjects,
    summary: 'write all objects with their metadata and payloads',
    target: 'service',
    authorise: 'admin',
    unlisted: true,
    outputs: ['bytes'],

    async handler({ services: { transfer } }) {

        return result.segments(sequence({ kind: 'bytes', mediaType: EXPORT_TYPE, body: await transfer.exporter.start() }), { mediaType: EXPORT_TYPE });
    }
});
