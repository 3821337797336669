/**
 * Composes the counting of usage. A service counts as its settings say. A command may lack them, and works beside nodes that count: it leaves the
 * totals of a database valid by counting its own changes wherever they are counted.
 */

import type { JsonObject } from '../util/json-types.js';
import { type QuotaOptions, Quotas } from '../objects/quotas/quotas.js';
import { UsageCounter, type UsageParts } from '../objects/quotas/usage-counter.js';
import { UsageStore } from '../stores/usage-store.js';
import type { GatewayOptions } from './options.js';

type Options = Pick<GatewayOptions, 'isForCommand' | 'quotas'>;

type Parts = Omit<UsageParts, 'store' | 'quotas'>;

const NO_QUOTAS: QuotaOptions = { countUsage: false, userObjects: 0, userBytes: 0, typeObjects: 0, typeBytes: 0 };

/** Returns what counts; null if nothing is counted. */
export async function composeUsage(options: Options, { design, ...parts }: Parts & { readonly design: () => JsonObject }): Promise<UsageCounter | null> {

    const { isForCommand = false, quotas = NO_QUOTAS } = options;
    return Quotas.isNeeded(quotas) || isForCommand && await UsageCounter.isCounted(parts.settings) ?
        new UsageCounter({ ...parts, store: new UsageStore(parts.db), quotas: new Quotas(quotas, design) }) : null;
}

/** To be called before the first write: counts all objects where that is necessary, or notes that a service does not count. */
export async function prepareUsage({ usage, ...parts }: Parts & { readonly usage: UsageCounter | null }, { isForCommand = false }: Options): Promise<void> {

    if (usage) {
        await usage.prepare();
    }
    else if (!isForCommand) {
        await UsageCounter.disable(parts);
    }
}
