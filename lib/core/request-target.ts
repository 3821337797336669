/** Reads the target of a request, together with the epochs of the same moment, which tell whether what is cached is current. */

import type { DoipRequest } from '../doip/envelope.js';
import type { ObjectView } from '../stores/objects/object-store.js';
import type { JsonObject } from '../util/json-types.js';
import type { Services } from './services.js';
import { SERVICE_ALIAS } from '../doip/ids.js';

/** The target of a request: the service, which is not an object, or an object that may not exist. */
export interface Target extends ObjectView {
    readonly id: string;
    readonly isService: boolean;
    /** The type that a request with `isCallForType` names as its target: the object is the Schema object that defines it, if one does. Null for all others. */
    readonly calledType: string | null;
}

export function isOnService({ targetId }: DoipRequest, serviceId: string): boolean {

    return targetId === SERVICE_ALIAS || targetId === serviceId;
}

/**
 * Reads the target; of the service only the epochs.
 *
 * @param isFixed false for an operation that the target determines, such as a method of its type
 */
export async function readTarget(request: DoipRequest, services: Services, isFixed: boolean): Promise<Target> {

    if (isOnService(request, services.serviceId)) {
        const epochs = await services.reader.epochs();
        // Reading the epochs may have brought a newer design, with another prefix.
        if (isOnService(request, services.serviceId)) {
            return { id: services.serviceId, isService: true, object: null, epochs, calledType: null };
        }
    }

    if (!isFixed && isCallForType(request.attributes)) {
        return await readType(request.targetId, services);
    }

    const { object, epochs } = services.reader.recall(request.targetId) ?? await services.reader.view(request.targetId);
    return isOnService(request, services.serviceId) ?
        { id: services.serviceId, isService: true, object: null, epochs, calledType: null } :
        { id: request.targetId, isService: false, object, epochs, calledType: null };
}

/** True if the request is for a static method of the type that it names as its target, even where an object has this id. */
function isCallForType({ isCallForType: value }: JsonObject): boolean {

    return value === true || typeof value === 'string' && value.toLowerCase() === 'true';
}

async function readType(calledType: string, { catalog, reader }: Services): Promise<Target> {

    const epochs = await reader.epochs();
    const schemaId = catalog.current.get(calledType)?.schemaId ?? null;
    return schemaId === null ?
        { id: calledType, isService: false, object: null, epochs, calledType } :
        { id: schemaId, isService: false, ...await reader.view(schemaId), calledType };
}
