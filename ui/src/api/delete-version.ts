/** The deletion of an object as it was shown: not of what somebody else has made of it since. */

import { repository, RepositoryError } from './client.js';

const [NOT_FOUND, CHANGED] = [404, 412];

/** Deletes an object if it still is in a version; null for any. @throws ChangedError with the text if somebody has changed it, else RepositoryError */
export async function deleteVersion(id: string, etag: string | null, changedText: string): Promise<void> {

    try {
        await repository.delete(id, { ifMatch: etag });
    }
    catch (error) {
        const failure = error instanceof RepositoryError ? error : null;
        if (failure?.status === CHANGED) {
            throw new ChangedError(changedText, { cause: error });
        }

        // The request is sent again where its response was lost: what is gone then was deleted by the first one.
        if (failure?.status !== NOT_FOUND || !failure.mayHaveChanged) {
            throw error;
        }
    }
}

/** Somebody else has changed the object, so that it was not deleted. */
export class ChangedError extends Error {}
