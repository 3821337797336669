/** What forms of the editor ask of the page: types, references, labels. */

import { findObjects } from '../components/object-picker.js';
import { caller } from '../api/session.js';
import { config } from '../config.js';
import type { FormContext, ReferenceOption } from '../form/schema-form.js';
import type { JsonMap } from '../json/exact-number.js';
import { to } from '../router.js';
import { schemaOf, servicePrefix } from '../state/design.js';
import { labelOf } from '../state/labels.js';
import { say } from '../state/messages.js';

/** Types that are not offered: there is one object of it. */
const SINGLE = 'CordraDesign';

/** Types that are offered to create an object to refer to. */
const MAX_OFFERED = 5;

/** The schema of a type, as forms read it. */
export function formSchema(type: string): JsonMap | null {

    return schemaOf(type);
}

/** Makes the context of a form. `create` lets the user create an object to refer to. */
export function editContext(create: (type: string) => Promise<ReferenceOption | null>): FormContext {

    return {
        keyword: config.keyword,
        servicePrefix: servicePrefix(),
        lookup: formSchema,
        findReferences: async ({ text, ...filter }, signal) => findObjects(text, filter, signal).then((found) =>
            found.map(({ id, label }) => ({ id, label, ...typeOf(id) }))),
        labelOf: (id) => labelOf(id).value?.label ?? null,
        addressOf: (id) => to.object(id),
        creatableTypes: ({ types, excludeTypes }) => (caller.value.typesPermittedToCreate ?? [])
            .filter((type) => type !== SINGLE && (types.length === 0 ? false : types.includes(type)) && !excludeTypes.includes(type)).slice(0, MAX_OFFERED),
        createReference: (type) => create(type),
        announce: (text) => say(text, 'info')
    };
}

function typeOf(id: string): { readonly type?: string } {

    const type = labelOf(id).value?.type;
    return type === undefined ? {} : { type };
}
