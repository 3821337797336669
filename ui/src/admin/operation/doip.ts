/** Operations of the service that have no path of their own, by DOIP over HTTP. */

import { getJson } from '../../api/client.js';

const PATH = '/doip';

/** Parameters of a request for an operation of the service. */
export function operationQuery(operationId: string, attributes: Readonly<Record<string, unknown>> = {}): Record<string, string> {

    const given = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ''));
    return { operationId, targetId: 'service', ...Object.keys(given).length === 0 ? {} : { attributes: JSON.stringify(given) } };
}

/** Performs a safe operation. @throws RepositoryError */
export async function getOperation<T>(operationId: string, attributes: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<T> {

    return getJson<T>(PATH, operationQuery(operationId, attributes), signal);
}
