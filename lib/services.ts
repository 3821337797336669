/**
 * The services that operation handlers may use, composed once in `gateway.ts`.
 */

export interface Services {
    readonly placeholder?: never;
}
