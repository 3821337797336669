/**
 * Periodic job that cleans up the tables of logins.
 */

import type { JobKind } from '../jobs/job-kind.js';
import type { LoginStore } from '../stores/login-attempt-store.js';
import { FORGOTTEN_AFTER } from './throttling/login-throttle.js';
import type { ApiKeys } from './keys/api-keys.js';
import type { AccessTokens } from './tokens/access-tokens.js';

const MINUTE = 60_000;

/** Clocks of the servers of a cluster may differ, or be set back: until then, a used assertion may be valid elsewhere. */
const MAX_CLOCK_DIFFERENCE = 60 * MINUTE;

/** Returns the job that removes expired tokens and keys, used assertions and expired counts of failed logins. */
export function sweepLogins({ tokens, keys, logins }: { tokens: AccessTokens; keys: ApiKeys; logins: LoginStore }, now: () => number): JobKind {

    return {
        kind: 'logins.sweep',
        repeatMs: MINUTE,
        run: async ({ signal }) => {

            let removed: number;
            do {
                signal.throwIfAborted();
                removed = await tokens.sweep() + await keys.sweep() + await logins.sweep(now() - MAX_CLOCK_DIFFERENCE, now() - FORGOTTEN_AFTER);
            }
            while (removed > 0);
        }
    };
}
