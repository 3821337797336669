/** How long versions of Node get security updates (https://github.com/nodejs/release#release-schedule), and which do not suit the service. */

/** Last day of support by major version. Versions that are not listed were not planned yet. */
const LAST_DAYS: Readonly<Record<number, string>> = {
    20: '2026-04-30', 21: '2024-06-01', 22: '2027-04-30', 23: '2025-06-01', 24: '2028-04-30', 25: '2026-06-01', 26: '2029-04-30'
};

/**
 * Returns the last day of support, such as `2026-04-30`, of a version whose support has ended; null for others.
 *
 * @param version such as `20.20.2`
 * @param now epoch ms
 */
export function supportEnd(version: string, now: number): string | null {

    const day = LAST_DAYS[Number.parseInt(version, 10)];
    return day !== undefined && now > Date.parse(`${day}T23:59:59Z`) ? day : null;
}

/** Major versions on which the driver of the embedded database aborts the process now and then, when it releases a statement: seen with 24.21. */
const UNSTABLE: ReadonlySet<number> = new Set([24]);

/**
 * True for a version on which the embedded database is not stable.
 *
 * @param version such as `24.21.0`
 */
export function isUnstable(version: string): boolean {

    return UNSTABLE.has(Number.parseInt(version, 10));
}
