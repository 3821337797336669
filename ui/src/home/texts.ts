/** Texts of the start page. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: {
        welcome: 'Welcome', empty: 'This repository is empty.', hidden: 'There is nothing here that you may read without a login.',
        adminHint: 'Log in as admin. The password was printed at the first start of the service; `npx doip-gateway set-admin-password` sets another one.', logIn: 'Log in',
        steps: 'First steps', typeTitle: 'Make a type', typeText: 'A type describes the fields of objects. Begin with an example, a CSV file or a template.', typeLink: 'New type',
        objectTitle: 'Add an object', objectText: 'With a form that is made from its type, and with files.', objectLink: 'New document',
        peopleTitle: 'Invite people', peopleText: 'Users and groups, and what they may read and change.', peopleLink: 'Users and groups',
        demoTitle: 'Or look around first', demoText: 'Three types and thirty objects about painters and their works, with references and pictures. They can be deleted like any others.',
        noPicture: 'The browser cannot draw pictures.', demo: 'Load the demo data', demoLoading: 'Loading the demo data', demoDone: 'The demo data are loaded.',
        demoPart: 'Some of the demo data are missing', demoPartText: 'They were not loaded to the end. What is there already stays as it is.', demoMore: 'Load what is missing', demoLeave: 'Leave it at that',
        recent: 'Recent changes', types: 'Objects by type', mine: 'Changed by me', allChanges: 'All recent changes', allMine: 'All that I created', by: 'by', programs: 'For programs', docs: 'Interface', schemas: 'Types',
        size: { one: '{count} object', other: '{count} objects' }, start: 'Start page', untyped: 'without a type'
    },
    de: {
        welcome: 'Willkommen', empty: 'Dieses Repository ist leer.', hidden: 'Hier ist nichts, was Sie ohne Anmeldung lesen dürfen.',
        adminHint: 'Melden Sie sich als admin an. Das Passwort wurde beim ersten Start des Dienstes angezeigt; `npx doip-gateway set-admin-password` setzt ein anderes.', logIn: 'Anmelden',
        steps: 'Erste Schritte', typeTitle: 'Einen Typ anlegen', typeText: 'Ein Typ beschreibt die Felder von Objekten. Beginnen Sie mit einem Beispiel, einer CSV-Datei oder einer Vorlage.', typeLink: 'Neuer Typ',
        objectTitle: 'Ein Objekt anlegen', objectText: 'Mit einem Formular, das aus seinem Typ entsteht, und mit Dateien.', objectLink: 'Neues Dokument',
        peopleTitle: 'Menschen einladen', peopleText: 'Benutzer und Gruppen, und was sie lesen und ändern dürfen.', peopleLink: 'Benutzer und Gruppen',
        demoTitle: 'Oder erst einmal umsehen', demoText: 'Drei Typen und dreißig Objekte über Malerinnen, Maler und ihre Werke, mit Verweisen und Bildern. Sie lassen sich löschen wie alle anderen.',
        noPicture: 'Der Browser kann keine Bilder zeichnen.', demo: 'Demodaten laden', demoLoading: 'Demodaten werden geladen', demoDone: 'Die Demodaten sind geladen.',
        demoPart: 'Ein Teil der Demodaten fehlt', demoPartText: 'Sie wurden nicht bis zum Ende geladen. Was schon da ist, bleibt, wie es ist.', demoMore: 'Fehlendes laden', demoLeave: 'Dabei belassen',
        recent: 'Letzte Änderungen', types: 'Objekte nach Typ', mine: 'Von mir geändert', allChanges: 'Alle letzten Änderungen', allMine: 'Alles von mir Angelegte', by: 'von', programs: 'Für Programme', docs: 'Schnittstelle', schemas: 'Typen',
        size: { one: '{count} Objekt', other: '{count} Objekte' }, start: 'Startseite', untyped: 'ohne Typ'
    },
    fr: {
        welcome: 'Bienvenue', empty: 'Ce dépôt est vide.', hidden: 'Il n’y a rien ici que vous puissiez lire sans vous connecter.',
        adminHint: 'Connectez-vous en tant qu’admin. Le mot de passe a été affiché au premier démarrage du service ; `npx doip-gateway set-admin-password` en définit un autre.', logIn: 'Se connecter',
        steps: 'Premiers pas', typeTitle: 'Créer un type', typeText: 'Un type décrit les champs des objets. Partez d’un exemple, d’un fichier CSV ou d’un modèle.', typeLink: 'Nouveau type',
        objectTitle: 'Ajouter un objet', objectText: 'Avec un formulaire issu de son type, et avec des fichiers.', objectLink: 'Nouveau document',
        peopleTitle: 'Inviter des personnes', peopleText: 'Utilisateurs et groupes, et ce qu’ils peuvent lire et modifier.', peopleLink: 'Utilisateurs et groupes',
        demoTitle: 'Ou regarder d’abord', demoText: 'Trois types et trente objets sur des peintres et leurs œuvres, avec des références et des images. Ils se suppriment comme les autres.',
        noPicture: 'Le navigateur ne peut pas dessiner d’images.', demo: 'Charger les données de démonstration', demoLoading: 'Chargement des données de démonstration', demoDone: 'Les données de démonstration sont chargées.',
        demoPart: 'Une partie des données de démonstration manque', demoPartText: 'Elles n’ont pas été chargées jusqu’au bout. Ce qui est déjà là reste tel quel.', demoMore: 'Charger ce qui manque', demoLeave: 'En rester là',
        recent: 'Modifications récentes', types: 'Objets par type', mine: 'Modifiés par moi', allChanges: 'Toutes les modifications récentes', allMine: 'Tout ce que j’ai créé', by: 'par', programs: 'Pour les programmes', docs: 'Interface', schemas: 'Types',
        size: { one: '{count} objet', other: '{count} objets' }, start: 'Accueil', untyped: 'sans type'
    }
});
