/** What the page tells its scripts. */

interface PageConfig {
    /** Prefix of the paths of REST. */
    readonly base: string;
    /** Name of the extension keyword in the schemas of types. */
    readonly keyword: string;
    /** Name and version of the service. */
    readonly name: string;
    readonly version: string;
}

function readConfig(): PageConfig {

    const text = document.querySelector('meta[name="doip-gateway"]')?.getAttribute('content') ?? '{}';
    return { base: '', keyword: 'cordra', name: '', version: '', ...JSON.parse(text) as Partial<PageConfig> };
}

export const config: PageConfig = readConfig();

/** The nonce for style sheets that libraries add. */
export function styleNonce(): string {

    return document.querySelector<HTMLStyleElement>('#nonce')?.nonce ?? '';
}
