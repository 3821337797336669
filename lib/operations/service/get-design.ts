/**
 * `20.DOIP/Op.GetDesign`: the content of the design object with all types. Public, since clients read it before they log in; the content
 * contains no secrets.
 */

import { tagged } from '../../core/entity-tags.js';
import { defineOperation, result } from '../../core/operation.js';
import { Op } from '../../doip/operation-ids.js';
import { design, TYPE_SCHEMAS } from '../../doip/result-schemas.js';
import { withText } from '../../json/raw-json.js';
import { designDocument, designTag } from '../../types/design-document.js';

export const getDesign = defineOperation({
    id: Op.getDesign,
    summary: 'read the design and all types',
    target: 'service',
    methods: ['GET', 'POST'],
    authorise: 'anyone',
    resultSchema: design(TYPE_SCHEMAS),

    async handler({ services: { catalog } }) {

        const types = catalog.current;
        return tagged(result.json(withText(designDocument(types))), await designTag(types));
    }
});
