/** Reads what a client certificate says about its owner. The TLS handshake has proved that the client has the private key, and nothing else. */

import type { X509Certificate } from 'node:crypto';
import type { ClientCertificate } from '../doip/envelope.js';
import { identityOf } from '../util/net/certificate-subject.js';
import type { JsonObject } from '../util/json-types.js';

/** Maximum length of an identity in characters. */
const MAX_LENGTH = 1024;

/** Returns the owner of a certificate; null if its subject names nobody, or too long a name. */
export function readClientCertificate(certificate: X509Certificate): ClientCertificate | null {

    const identity = identityOf(certificate.subject);
    return identity === null || identity.length > MAX_LENGTH ? null : { identity, publicKey: publicKeyOf(certificate) };
}

/** Returns a public key as a JWK; empty for a type of key that cannot be one, which is the key of nobody. */
function publicKeyOf(certificate: X509Certificate): JsonObject {

    try {
        return { ...certificate.publicKey.export({ format: 'jwk' }) } as JsonObject;
    }
    catch {
        return {};
    }
}
