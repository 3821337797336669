/** Texts of the frame of the administration. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: {
        title: 'Administration', sections: 'Sections', people: 'People', repository: 'Repository', operation: 'Operation', programs: 'Programs',
        users: 'Users', groups: 'Groups', keys: 'API keys', account: 'My account', design: 'Design', rights: 'Rights by default', handles: 'Handles',
        index: 'Search index', transfer: 'Import and export', status: 'Status', audit: 'Audit log', api: 'Interface',
        aboutUsers: 'Accounts: passwords, sessions, keys', aboutGroups: 'Groups and their members', aboutKeys: 'Keys by which programs log in',
        aboutDesign: 'Title, navigation and settings', aboutRights: 'Who may read, change and create', aboutHandles: 'Prefix, links, update of all records',
        aboutIndex: 'State, and indexing again', aboutTransfer: 'Objects from files, and all objects as a file', aboutStatus: 'Load, storage and jobs',
        aboutAudit: 'Who did what', aboutApi: 'All paths and operations, to try them', aboutAccount: 'Password, keys and sessions',
        forbidden: 'Only the administrator can see this page.', loggedOut: 'Log in to see this page.', logIn: 'Log in', unknown: 'There is no section “{name}”.',
        overview: 'Overview'
    },
    de: {
        title: 'Verwaltung', sections: 'Abschnitte', people: 'Personen', repository: 'Repositorium', operation: 'Betrieb', programs: 'Programme',
        users: 'Benutzer', groups: 'Gruppen', keys: 'API-Schlüssel', account: 'Mein Konto', design: 'Design', rights: 'Standardrechte', handles: 'Handles',
        index: 'Suchindex', transfer: 'Import und Export', status: 'Zustand', audit: 'Protokoll', api: 'Schnittstelle',
        aboutUsers: 'Konten: Passwörter, Sitzungen, Schlüssel', aboutGroups: 'Gruppen und ihre Mitglieder', aboutKeys: 'Schlüssel, mit denen sich Programme anmelden',
        aboutDesign: 'Titel, Navigation und Einstellungen', aboutRights: 'Wer lesen, ändern und anlegen darf', aboutHandles: 'Präfix, Verweise, Aktualisierung aller Einträge',
        aboutIndex: 'Zustand und neues Indexieren', aboutTransfer: 'Objekte aus Dateien, alle Objekte als Datei', aboutStatus: 'Last, Speicher und Aufträge',
        aboutAudit: 'Wer was getan hat', aboutApi: 'Alle Pfade und Operationen, zum Ausprobieren', aboutAccount: 'Passwort, Schlüssel und Sitzungen',
        forbidden: 'Diese Seite ist nur für den Administrator.', loggedOut: 'Melden Sie sich an, um diese Seite zu sehen.', logIn: 'Anmelden', unknown: 'Es gibt keinen Abschnitt „{name}“.',
        overview: 'Übersicht'
    },
    fr: {
        title: 'Administration', sections: 'Sections', people: 'Personnes', repository: 'Dépôt', operation: 'Exploitation', programs: 'Programmes',
        users: 'Utilisateurs', groups: 'Groupes', keys: 'Clés d’API', account: 'Mon compte', design: 'Design', rights: 'Droits par défaut', handles: 'Handles',
        index: 'Index de recherche', transfer: 'Import et export', status: 'État', audit: 'Journal d’audit', api: 'Interface',
        aboutUsers: 'Comptes : mots de passe, sessions, clés', aboutGroups: 'Groupes et leurs membres', aboutKeys: 'Clés avec lesquelles les programmes se connectent',
        aboutDesign: 'Titre, navigation et réglages', aboutRights: 'Qui peut lire, modifier et créer', aboutHandles: 'Préfixe, liens, mise à jour de tous les enregistrements',
        aboutIndex: 'État et réindexation', aboutTransfer: 'Objets depuis des fichiers, tous les objets en un fichier', aboutStatus: 'Charge, stockage et tâches',
        aboutAudit: 'Qui a fait quoi', aboutApi: 'Tous les chemins et opérations, à essayer', aboutAccount: 'Mot de passe, clés et sessions',
        forbidden: 'Seul l’administrateur peut voir cette page.', loggedOut: 'Connectez-vous pour voir cette page.', logIn: 'Se connecter', unknown: 'La section « {name} » n’existe pas.',
        overview: 'Aperçu'
    }
});
