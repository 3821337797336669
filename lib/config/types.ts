/**
 * The configuration as the service sees it. Made by `loadConfig` and `configure`; components are handed the part they need.
 */

/** Where and how the service listens. */
export interface ListenConfig {
    readonly port: number;
    readonly host: string;
    /** Without a slash at the end; empty for none. */
    readonly basePath: string;
    readonly tlsCert: string | null;
    readonly tlsKey: string | null;
    /** Addresses and ranges (CIDR). */
    readonly trustedProxies: readonly string[];
    readonly corsOrigins: readonly string[];
    readonly corsMethods: readonly string[];
}

/** Bounds of HTTP itself. */
export interface HttpConfig {
    readonly maxUrlBytes: number;
    readonly maxHeaderBytes: number;
    readonly maxConnections: number;
    /** 0 for a quarter of them. */
    readonly maxConnectionsPerAddress: number;
    readonly maxStreams: number;
    readonly headersSeconds: number;
    readonly stallSeconds: number;
    readonly keepAliveSeconds: number;
    readonly shutdownSeconds: number;
}

export interface LogConfig {
    readonly level: string;
}

export interface StorageConfig {
    readonly dataDir: string;
    /** Bytes of the disk that stay free; null for a share of it. */
    readonly minFreeBytes: number | null;
    /** Null for SQLite in `dataDir`. Holds a password: never to be shown. */
    readonly databaseUrl: string | null;
}

/** Seeds of the design object, and names. */
export interface ServiceConfig {
    readonly handlePrefix: string;
    readonly baseUri: string | null;
    readonly extensionKeyword: string;
}

/** What handles lead to, and where they are registered. */
export interface HandlesConfig {
    readonly uiBaseUri: string | null;
    readonly serverUrl: string | null;
    readonly serverIdentity: string | null;
    readonly serverSecret: string | null;
    readonly serverCert: string | null;
    readonly serverKey: string | null;
    readonly serverCa: string | null;
    readonly serverSeconds: number;
}

/** Bounds of what clients may send. */
export interface LimitsConfig {
    readonly jsonBytes: number;
    readonly jsonDepth: number;
    readonly jsonValues: number;
    readonly anonymousBytes: number;
    readonly bodyMemoryBytes: number;
    readonly formBytes: number;
    readonly parameters: number;
    readonly itemBytes: number;
    readonly contentBytes: number;
    readonly idBytes: number;
    readonly nameBytes: number;
    readonly aclEntries: number;
    readonly elements: number;
    readonly elementBytes: number;
    readonly parts: number;
    readonly partHeaderBytes: number;
    readonly relatedObjects: number;
}

/** Bounds of searches. */
export interface SearchConfig {
    /** Of the index, as far as it can be read again. */
    readonly memoryBytes: number;
    readonly timeoutSeconds: number;
}

/** Bounds of type code. */
export interface ScriptsConfig {
    /** Scripts that run at a time. */
    readonly workers: number;
    readonly timeoutSeconds: number;
    readonly memoryBytes: number;
    readonly stackBytes: number;
}

/** What is spent on finding text in payloads. */
export interface TextsConfig {
    readonly characters: number;
    readonly objectCharacters: number;
    readonly bytes: number;
    readonly seconds: number;
    readonly memory: number;
}

/** The whole configuration. */
export interface Config {
    readonly listen: ListenConfig;
    readonly http: HttpConfig;
    readonly log: LogConfig;
    readonly storage: StorageConfig;
    readonly service: ServiceConfig;
    readonly handles: HandlesConfig;
    readonly admin: { readonly password: string | null };
    readonly tokens: { readonly lifetimeSeconds: number; readonly perUser: number };
    readonly limits: LimitsConfig;
    readonly search: SearchConfig;
    readonly scripts: ScriptsConfig;
    readonly texts: TextsConfig;
}
