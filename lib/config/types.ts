/** Types of the configuration, which `loadConfig` and `configure` create. Components receive only the part that they need. */

/** Address and protocols of the listener. */
export interface ListenConfig {
    readonly port: number;
    readonly host: string;
    /** Without trailing slash; empty for none. */
    readonly basePath: string;
    readonly tlsCert: string | null;
    readonly tlsKey: string | null;
    /** Addresses and CIDR ranges. */
    readonly trustedProxies: readonly string[];
    readonly corsOrigins: readonly string[];
    readonly corsMethods: readonly string[];
}

/** Limits and timeouts of HTTP. */
export interface HttpConfig {
    readonly maxUrlBytes: number;
    readonly maxHeaderBytes: number;
    readonly maxConnections: number;
    /** 0 for a quarter of `maxConnections`. */
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
    /** Disk space in bytes to keep free; null for a share of the disk. */
    readonly minFreeBytes: number | null;
    /** Null for SQLite in `dataDir`. Contains a password; never displayed. */
    readonly databaseUrl: string | null;
}

/** Initial values of the design object, and names. */
export interface ServiceConfig {
    readonly handlePrefix: string;
    readonly baseUri: string | null;
    readonly extensionKeyword: string;
}

/** Targets of handles, and the server where they are registered. */
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

/** Limits of requests and objects. */
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

/** Limits of searches. */
export interface SearchConfig {
    /** Budget of the cache of the index. */
    readonly memoryBytes: number;
    readonly timeoutSeconds: number;
}

/** Limits of type code. */
export interface ScriptsConfig {
    /** Maximum number of concurrent scripts. */
    readonly workers: number;
    readonly timeoutSeconds: number;
    readonly memoryBytes: number;
    readonly stackBytes: number;
}

/** Limits of text extraction from payloads. */
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
