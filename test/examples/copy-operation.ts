/**
 * An operation that docs/extending.md shows: an operation that writes, with the rights of its caller.
 */

import { defineOperation, result } from '../../lib/index.js';

export const copy = defineOperation({
    id: '20.500.123/Op.Copy',
    summary: 'make a copy of an object that belongs to the caller',
    target: 'object',
    authorise: 'reader',

    async handler({ target, objects, search }) {

        const { attributes: { content } } = await objects.retrieve(target.id);
        const copied = await objects.create({ type: target.type, content: { ...content, id: '' } });
        const { size } = await search('type:Document', { pageSize: 0 });
        return result.json({ id: copied.id, documents: size });
    }
});
