/**
 * `20.DOIP/Op.GetDesign`: the design object's content together with all types. Readable by everyone, since clients ask for it
 * before they log in; what the design keeps secret is not part of its content.
 */

import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { designDocument } from '../../types/design-document.js';

export const getDesign = defineOperation({
    id: Op.getDesign,
    summary: 'read the design and all types',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',

    async handler({ services: { catalog } }) {

        return result.json(designDocument(catalog.current));
    }
});
