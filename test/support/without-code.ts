/**
 * The lifecycle of objects without type code, for tests.
 */

import type { Lifecycle } from '../../lib/objects/hooks/lifecycle.js';

export const WITHOUT_CODE: Lifecycle = {
    has: () => false,
    mayGenerateIds: () => false,
    run: () => Promise.resolve(undefined),
    runAll: (hook, type, objects) => Promise.resolve(objects.map(() => ({ value: undefined }))),
    resolvePayload: () => Promise.resolve(null),
    generator: () => Promise.resolve(null)
};
