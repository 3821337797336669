/** How references are written: some leave out the beginning of the id. */

/** The `handleReference` of a schema, as far as ids depend on it. */
interface Rule {
    readonly prepend?: unknown;
    readonly prependHandleMintingConfigPrefix?: unknown;
}

/** What precedes a reference in the id that it stands for. `servicePrefix` is that of the ids that the service makes, without a slash; empty if unknown. */
export function referencePrefix({ prepend, prependHandleMintingConfigPrefix }: Rule, servicePrefix: string): string {

    return prependHandleMintingConfigPrefix === true && servicePrefix !== '' ? `${servicePrefix}/` : typeof prepend === 'string' ? prepend : '';
}
