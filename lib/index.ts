/** The public API of the package, to embed and extend the service. */

export { createGateway } from './app/gateway.js';
export type { Gateway, GatewayStart } from './app/gateway.js';
export type { GatewayOptions } from './app/options.js';
export { gatewayOptions } from './app/options.js';
export { run } from './run.js';
export type { RunOptions } from './run.js';
export { createServer, drainServer, serverUrl } from './server.js';
export type { ServerOptions } from './server.js';
export { plugin } from '../translators/index.js';
export type { PluginOptions, TranslatorName } from '../translators/index.js';
export { ConfigError, configure, loadConfig } from './config/index.js';
export type { Config } from './config/index.js';
export { result } from './core/operation.js';
export { defineOwnOperation as defineOperation } from './core/own-operation.js';
export type { OperationResult } from './core/operation.js';
export type { Rule } from './core/operation-summary.js';
export type {
    CallerObjects, ElementSource, ObjectSource, OwnContext as OperationContext, OwnOperation as Operation, Performed, SearchOptions, SearchPage
} from './core/own-operation.js';
export type { ChangeEvent, ChangeListener } from './objects/change-events.js';
export type { OperationResolver } from './core/registry.js';
export { flag, text, texts } from './core/attributes.js';
export * from './errors/errors.js';
export { Status } from './errors/status.js';
export type { DoipRequest, DoipResponse, Segment, JsonSegment, BytesSegment, Transport } from './doip/envelope.js';
export type { JsonObject, JsonValue } from './util/json-types.js';
export type { Acl, DigitalObject, Element, Metadata } from './doip/digital-object.js';
export { bytesSegment, drain, empty, json, jsonOf, jsonSegment, readBytes, readJson, sequence } from './doip/segments.js';
export type { Caller } from './model/caller.js';
export type { StoredElement, StoredObject } from './model/stored-object.js';
export type { ElementStore, StoreChooser } from './stores/blobs/element-store.js';
export type { Services } from './core/services.js';
