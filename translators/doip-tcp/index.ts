/**
 * Native DOIP 2.0: messages over a connection, normally TLS. Knows neither how connections are accepted nor what operations do.
 */

export type { AnsweredRequest, Connection, DoipTcpLimits, DoipTcpOptions } from './options.js';
export { Session } from './session.js';
