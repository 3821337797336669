/** New users and groups: one that was stored although its response was lost is found, not created again. */

import type { JsonObject } from '../../../../lib/client/web/index.js';
import { repository } from '../../api/client.js';
import { useOnce, type Sent } from '../../components/use-once.js';
import { findLost } from '../../edit/lost-response.js';
import type { EditedObject } from '../../edit/object-access.js';
import { isEqual } from '../../json/exact-number.js';

/** An object to create. */
export interface NewObject {
    readonly type: string;
    readonly content: JsonObject;
    /** The content without secrets, which the service does not return. */
    readonly readable: JsonObject;
}

type Created = Pick<EditedObject, 'id' | 'etag'>;

/** Returns a function that creates an object once. What was sent before without a response, and edited since, is changed. */
export function useCreateOnce(): (object: NewObject) => Promise<void> {

    const once = useOnce(async ({ sent: { type, readable }, began }: Sent<NewObject>): Promise<Created | null> =>
        (await findLost({ kind: 'new', type }, { content: readable, began }, '')).object);
    return async (object) => {

        const { type, content } = object;
        const { made: { id, etag }, sent } = await once(object, async () => {

            const created = await repository.create(type, content);
            return { id: created.id, etag: created.etag ?? null };
        });
        if (sent.type !== type || !isEqual(sent.content, content)) {
            await repository.update(id, content, { ...sent.type === type ? {} : { type }, ...etag === null ? {} : { ifMatch: etag } });
        }
    };
}
