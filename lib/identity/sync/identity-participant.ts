/**
 * Connects object writes with identity: secrets are extracted before content is stored, and accounts and groups are written in
 * the same unit, as is the end of the administrator's tokens with the key in the design.
 */

import type { Step } from '../../../db/database.js';
import { DESIGN_ID } from '../../doip/ids.js';
import type { ObjectChange, WriteParticipant } from '../../model/write-participant.js';
import { endsKey, type AccountWriter, type IdentityChange } from './account-sync.js';
import { ADMIN_ID, checkCredentialChange } from '../../model/caller.js';
import { isPrincipalContent, NO_ROLES } from '../../model/account-annotations.js';
import { identitySettings } from '../accounts/identity-settings.js';
import type { Principals } from '../accounts/principals.js';
import type { AccessTokens } from '../tokens/access-tokens.js';
import type { ExtractedContent, SecretExtractor } from '../secrets/secret-extractor.js';
import type { ProcessedContent } from '../../model/processed-content.js';
import type { Draft, SecretRemover } from '../../model/object-draft.js';

/** Write participant for accounts and groups. */
export class IdentityParticipant implements WriteParticipant {

    readonly #writer: AccountWriter;
    readonly #principals: Principals;
    readonly #tokens: Pick<AccessTokens, 'revokeAllSteps'>;

    constructor(parts: { accountWriter: AccountWriter; principals: Principals; accessTokens: Pick<AccessTokens, 'revokeAllSteps'> }) {

        this.#writer = parts.accountWriter;
        this.#principals = parts.principals;
        this.#tokens = parts.accessTokens;
    }

    async steps(change: ObjectChange): Promise<readonly Step[]> {

        const concern = concernOf(change);
        const names = this.#principals.namingSteps(change);
        const ended = endsKeyOfAdmin(change) ? this.#tokens.revokeAllSteps(ADMIN_ID) : [];
        return concern ? [...await this.#writer.steps(concern), ...names, ...ended] : [...names, ...ended];
    }

    committed(change: ObjectChange): void {

        this.#principals.committed(change);
    }

    explain(failed: string, { processed }: ObjectChange): Error | undefined {

        return this.#writer.explain(failed, { roles: processed?.roles ?? NO_ROLES });
    }
}

/** Extracts secrets from content that is about to be stored. Versions have none: their secrets are emptied. */
export class IdentitySecretRemover implements SecretRemover {

    readonly #values: SecretExtractor;

    constructor(values: SecretExtractor) {

        this.#values = values;
    }

    async extract(processed: ProcessedContent, { id, before, caller, restored, metadata }: Draft): Promise<ExtractedContent> {

        const { roles, content } = processed;
        if (!isPrincipalContent(roles) && !roles.mayHaveSecrets && roles.secure.length === 0) {
            return { content, steps: [] };
        }

        if (metadata.isVersion) {
            return { content: this.#values.emptied(false, content, roles), steps: [] };
        }

        const password = roles.password?.value;
        if (before !== null && password !== undefined && password !== '') {
            checkCredentialChange(caller, id);
        }

        const extracted = await this.#values.extract({
            id, isNew: before === null && restored !== 'as-it-was' && restored !== 'reviewed',
            content, roles, source: caller.userId ?? 'anonymous'
        });
        return { ...extracted, steps: [...this.#values.leftOverSteps(id, before === null, roles), ...extracted.steps] };
    }
}

/** True for a change of the design after which the administrator has another key, or none: tokens may have been requested with the former one. */
function endsKeyOfAdmin({ before, after }: ObjectChange): boolean {

    return before?.id === DESIGN_ID && before.content !== after?.content &&
        endsKey(identitySettings(before.content).adminPublicKey, identitySettings(after?.content ?? {}).adminPublicKey);
}

/**
 * Returns the change from the view of identity; null if it does not concern identity. Versions of user objects are not accounts: nothing that is
 * stored under the id of an object outlives its deletion, or its replacement by a version.
 */
function concernOf({ before, after, processed, caller, uploadEpoch }: ObjectChange): IdentityChange | null {

    const isUpload = uploadEpoch !== undefined;
    if (!after || after.metadata.isVersion) {
        return before ? { id: before.id, isNew: false, roles: null, caller, isUpload } : null;
    }

    return processed ? { id: after.id, isNew: before === null, roles: processed.roles, content: after.content, caller, isUpload } : null;
}
