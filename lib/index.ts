/**
 * The public interface of the package: what a program needs to embed the service and to extend it.
 */

export { createGateway } from './gateway.js';
export type { Gateway, GatewayStart } from './gateway.js';
export type { GatewayOptions } from './runtime.js';
export { gatewayOptions } from './server/gateway-options.js';
export { createServer, serverUrl } from './server.js';
export type { ServerOptions } from './server.js';
export { plugin } from '../translators/index.js';
export type { PluginOptions, TranslatorName } from '../translators/index.js';
export { ConfigError, configure, loadConfig } from './config.js';
export type { Config } from './config.js';
export { result } from './core/operation.js';
export { defineOwnOperation as defineOperation } from './core/own-operation.js';
export type { OperationResult, Rule } from './core/operation.js';
export type {
    CallerObjects, ElementSource, ObjectSource, OwnContext as OperationContext, OwnOperation as Operation, Performed, SearchOptions, SearchPage
} from './core/own-operation.js';
export type { OperationResolver } from './core/registry.js';
export { flag, text, texts } from './core/attributes.js';
export * from './doip/error.js';
export { Status } from './doip/status.js';
export type { DoipRequest, DoipResponse, Segment, JsonSegment, BytesSegment, Transport } from './doip/envelope.js';
export type { JsonObject, JsonValue } from './doip/json.js';
export type { Acl, DigitalObject, Element, Metadata } from './doip/object.js';
export { bytesSegment, drain, empty, json, jsonOf, jsonSegment, readBytes, readJson, sequence } from './doip/segments.js';
export type { Caller } from './identity/caller.js';
export type { StoredElement, StoredObject } from './objects/stored-object.js';
export type { ElementStore, StoreChooser } from './stores/element-store.js';
export type { Services } from './services.js';
