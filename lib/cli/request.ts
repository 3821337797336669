/** Operations that commands perform. */

import type { ClientRequest } from '../client/connection.js';
import type { DoipResponse } from '../doip/envelope.js';

/** An operation to perform; without credentials of its own. */
export type CliRequest = Pick<ClientRequest, 'targetId' | 'operationId' | 'attributes' | 'input'>;

/** Response of an operation. Its output must be read to the end or closed. */
export type Reply = Pick<DoipResponse, 'status' | 'attributes' | 'output'>;
