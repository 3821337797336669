/** The part of the package that tests use. */
declare module 'oidc-provider' {

    import type { RequestListener } from 'node:http';

    export default class Provider {

        constructor(issuer: string, configuration: object);
        callback(): RequestListener;
    }
}
