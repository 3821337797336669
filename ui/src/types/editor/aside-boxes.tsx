/** Offers what somebody has typed and given up. */

import type { JSX } from 'preact';
import { isSameVersion } from '../../api/entity-tag.js';
import { DraftBox } from '../../edit/draft-box.js';
import type { SetAside } from './use-set-aside.js';

/** A box for each. `etag` is the present version. */
export function AsideBoxes({ aside: { found, restore, discard }, etag }: { readonly aside: SetAside; readonly etag: string | null }): JSX.Element {

    return (
        <>
            {found.map((draft) => (
                <DraftBox key={draft.savedOn} draft={draft} isOld={!isSameVersion(draft.etag, etag)}
                    onRestore={() => restore(draft)} onDiscard={() => discard(draft)} />
            ))}
        </>
    );
}
