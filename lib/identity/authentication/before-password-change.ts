/** What users may do who must change their password. */

import { Op } from '../../doip/operation-ids.js';

/** The change itself, and what is public. */
const OPERATIONS: ReadonlySet<string> = new Set([Op.changePassword, Op.getDesign, Op.getInitData, Op.schemasList, Op.schemasGet, Op.sessionsDelete]);

/** True for an operation that is allowed to users who must change their password; undefined is one that the target determines. */
export function mayWaitFor(operationId: string | undefined): boolean {

    return operationId !== undefined && OPERATIONS.has(operationId);
}
