/** Stores drafts of Schema objects and of the design. What an earlier request has stored without a response is not taken for the change of somebody else. */

import { useRef } from 'preact/hooks';
import { RepositoryError } from '../../api/client.js';
import { isLost } from '../../components/use-once.js';
import { isChangedBy } from '../../edit/lost-response.js';
import type { JsonMap } from '../../json/exact-number.js';
import { DESIGN, readTypeObject, writeTypeObject, type TypeObject } from '../model/type-object.js';

/** Somebody else has stored the object. */
export const CHANGED = 412;

type Version = Pick<TypeObject, 'id' | 'content' | 'etag'>;

/**
 * Returns a function that stores a content over the version on which it is based, and returns the new version.
 *
 * @throws RepositoryError with status 412 for the change of somebody else
 */
export function useStore(): (version: Version) => Promise<string | null> {

    const unanswered = useRef<readonly JsonMap[]>([]);
    const store = async ({ id, content, etag }: Version): Promise<string | null> => {

        try {
            const version = await writeTypeObject({ id, content, etag });
            unanswered.current = [];
            return version;
        }
        catch (error) {
            if (isLost(error)) {
                unanswered.current = [...unanswered.current, content];
            }

            if (!(error instanceof RepositoryError) || error.status !== CHANGED || unanswered.current.length === 0) {
                throw error;
            }

            const stored = { ...await readTypeObject(id), type: id === DESIGN ? 'CordraDesign' : 'Schema' };
            const isOwn = await isChangedBy(stored, unanswered.current);
            unanswered.current = [];
            if (!isOwn) {
                throw error;
            }

            return await isChangedBy(stored, [content]) ? stored.etag : await store({ id, content, etag: stored.etag });
        }
    };

    return store;
}
