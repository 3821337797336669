/**
 * Self-signed certificate of the service for native DOIP, with the id of the service as its subject, by which clients recognise it. Key
 * and certificate are generated once and stored in the database, so that they stay the same across restarts and nodes.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { asn1 } from 'node-forge';
import type { Database } from '../../../db/database.js';
import { identityOf } from '../../util/net/certificate-subject.js';
import type { JsonObject } from '../../util/json-types.js';
import type { SettingStore } from '../../stores/setting-store.js';
import { ServiceKey } from './service-key.js';

const KEY_SETTING = 'doip.key';
const CERTIFICATE_SETTING = 'doip.certificate';

/** Object identifier of the attribute UID. */
const UID = '0.9.2342.19200300.100.1.1';

const DAY_MS = 86_400_000;

/** The end of validity that stands for none (RFC 5280, section 4.1.2.5). */
const NEVER = new Date(Date.UTC(9999, 11, 31, 23, 59, 59));

/** Certificate and keys. */
export interface CertifiedKey {
    /** PEM. */
    readonly key: string;
    /** PEM. */
    readonly cert: string;
    readonly publicKey: JsonObject;
}

/** Provides the certificate. */
export class ServiceCertificate {

    readonly #settings: SettingStore;
    readonly #db: Database;
    readonly #key: ServiceKey;

    constructor(db: Database, settings: SettingStore) {

        this.#db = db;
        this.#settings = settings;
        this.#key = new ServiceKey(db, settings, KEY_SETTING);
    }

    /** Returns the certificate for a service id, a new one if the id has changed. */
    async of(serviceId: string): Promise<CertifiedKey> {

        const { privateKey, publicKey } = await this.#key.pair();
        const key = createPrivateKey({ key: privateKey, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString();
        const stored = await this.#settings.get(CERTIFICATE_SETTING);
        if (stored !== null && isFor(stored, serviceId, key)) {
            return { key, cert: stored, publicKey };
        }

        const cert = await selfSigned(key, serviceId);
        await this.#db.commit({ steps: this.#settings.setSteps(CERTIFICATE_SETTING, cert) });
        return { key, cert, publicKey };
    }
}

function isFor(pem: string, serviceId: string, key: string): boolean {

    try {
        const certificate = new X509Certificate(pem);
        return identityOf(certificate.subject) === serviceId && certificate.checkPrivateKey(createPrivateKey(key));
    }
    catch {
        return false;
    }
}

/** Returns a certificate (PEM) with an id as its subject. `key` is an RSA key as PEM. */
export async function selfSigned(key: string, id: string): Promise<string> {

    const { default: forge } = await import('node-forge');  // loaded at the first start only
    const certificate = forge.pki.createCertificate();
    const privateKey = forge.pki.privateKeyFromPem(key);
    certificate.publicKey = forge.pki.setRsaPublicKey(privateKey.n, privateKey.e);
    certificate.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(15))}`;
    certificate.validity.notBefore = new Date(Date.now() - DAY_MS);
    certificate.validity.notAfter = NEVER;
    const subject = [{ type: UID, value: id, valueTagClass: forge.asn1.Type.UTF8 as unknown as asn1.Class }];
    certificate.setSubject(subject);
    certificate.setIssuer(subject);
    certificate.sign(privateKey, forge.md.sha256.create());
    return forge.pki.certificateToPem(certificate);
}
