/** Names of what the service counts and records by keys: kinds of jobs, ways of logging in, and rules. One that is not known is shown as it is. */

import { defineTexts } from '../../i18n/index.js';
import { serverText } from '../../server-texts/index.js';

const t = defineTexts({
    en: {
        auditSeal: 'seal the audit log', auditPurge: 'remove old entries of the audit log', blobsSweep: 'remove bytes of files that nothing uses', handlesDeliver: 'register handles', handlesUpdate: 'update all handles', jobsPurge: 'remove old jobs',
        loginsSweep: 'remove expired logins', objectsUpload: 'store many objects', payloadsMove: 'move files', payloadsText: 'read the text of files', searchFeed: 'pass changes to the search engine', searchReindex: 'index objects again',
        none: 'without a login', password: 'by password', key: 'by a signed assertion', token: 'by an access token', session: 'by a session', apiKey: 'by an API key', hook: 'by type code', asUser: 'as another user', internal: 'the service itself',
        anyone: 'everybody may', inHandler: 'the operation itself decides', needsLogin: 'whoever is logged in', admin: 'administrators only', isAdmin: 'is an administrator', reader: 'whoever may read', writer: 'whoever may change'
    },
    de: {
        auditSeal: 'Protokoll versiegeln', auditPurge: 'alte Einträge des Protokolls entfernen', blobsSweep: 'Bytes ungenutzter Dateien entfernen', handlesDeliver: 'Handles registrieren', handlesUpdate: 'alle Handles erneuern', jobsPurge: 'alte Aufträge entfernen',
        loginsSweep: 'abgelaufene Anmeldungen entfernen', objectsUpload: 'viele Objekte speichern', payloadsMove: 'Dateien verschieben', payloadsText: 'Text aus Dateien lesen', searchFeed: 'Änderungen an die Suchmaschine geben', searchReindex: 'Objekte neu indexieren',
        none: 'ohne Anmeldung', password: 'mit Passwort', key: 'mit einer signierten Zusicherung', token: 'mit einem Zugriffstoken', session: 'mit einer Sitzung', apiKey: 'mit einem API-Schlüssel', hook: 'durch Code eines Typs', asUser: 'als ein anderer Benutzer', internal: 'der Dienst selbst',
        anyone: 'alle dürfen', inHandler: 'die Operation selbst entscheidet', needsLogin: 'wer angemeldet ist', admin: 'nur die Administration', isAdmin: 'gehört zur Administration', reader: 'wer lesen darf', writer: 'wer ändern darf'
    },
    fr: {
        auditSeal: 'sceller le journal', auditPurge: 'supprimer les anciennes entrées du journal', blobsSweep: 'supprimer les octets inutilisés', handlesDeliver: 'enregistrer les handles', handlesUpdate: 'mettre à jour tous les handles', jobsPurge: 'supprimer les anciennes tâches',
        loginsSweep: 'supprimer les connexions expirées', objectsUpload: 'enregistrer de nombreux objets', payloadsMove: 'déplacer les fichiers', payloadsText: 'lire le texte des fichiers', searchFeed: 'transmettre les changements au moteur de recherche', searchReindex: 'réindexer des objets',
        none: 'sans connexion', password: 'par mot de passe', key: 'par une assertion signée', token: 'par un jeton d’accès', session: 'par une session', apiKey: 'par une clé API', hook: 'par le code d’un type', asUser: 'en tant qu’un autre utilisateur', internal: 'le service lui-même',
        anyone: 'tout le monde peut', inHandler: 'l’opération elle-même décide', needsLogin: 'toute personne connectée', admin: 'l’administration seulement', isAdmin: 'fait partie de l’administration', reader: 'qui peut lire', writer: 'qui peut modifier'
    }
});

type Names = Readonly<Record<string, Parameters<typeof t>[0]>>;

const JOBS: Names = {
    'audit.seal': 'auditSeal', 'audit.purge': 'auditPurge', 'blobs.sweep': 'blobsSweep', 'handles.deliver': 'handlesDeliver', 'handles.update': 'handlesUpdate', 'jobs.purge': 'jobsPurge', 'logins.sweep': 'loginsSweep',
    'objects.upload': 'objectsUpload', 'payloads.move': 'payloadsMove', 'payloads.text': 'payloadsText', 'search.feed': 'searchFeed', 'search.reindex': 'searchReindex'
};

const METHODS: Names = {
    'none': 'none', 'password': 'password', 'key': 'key', 'token': 'token', 'session': 'session', 'api-key': 'apiKey', 'hook': 'hook', 'as-user': 'asUser', 'internal': 'internal'
};

const RULES: Names = {
    'anyone': 'anyone', 'in-handler': 'inHandler', 'caller': 'needsLogin', 'needs a login': 'needsLogin', 'admin only': 'admin', 'admin': 'isAdmin', 'reader': 'reader', 'writer': 'writer'
};

function nameIn(names: Names, key: string): string | null {

    const name = Object.hasOwn(names, key) ? names[key] : undefined;
    return name === undefined ? null : t(name);
}

/** What a job does, by its kind; the version of what it feeds may stand at its end. */
export function jobName(kind: string): string {

    return nameIn(JOBS, kind) ?? nameIn(JOBS, kind.replace(/\.\d+$/, '')) ?? kind;
}

/** How a user has logged in. */
export function methodName(method: string): string {

    return nameIn(METHODS, method) ?? method;
}

/** Why something was permitted or denied. */
export function ruleName(rule: string): string {

    return nameIn(RULES, rule) ?? serverText(rule);
}
