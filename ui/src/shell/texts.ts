/** Texts of the frame around all screens. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: {
        skip: 'Skip to the content', search: 'Search objects, ids, handles', suggestions: 'Suggestions', searchButton: 'Search', create: 'New', types: 'Types', admin: 'Administration',
        logIn: 'Log in', logOut: 'Log out', loggedOut: 'You are logged out.', unsaved: 'You have changes that are not saved. Log out all the same? They are removed, as are drafts.', account: 'My account', myObjects: 'My objects', theme: 'Appearance', system: 'As the system', light: 'Light', dark: 'Dark',
        language: 'Language', all: 'All', allTypes: 'All types …', menu: 'Navigation', api: 'Interface for programs', unknown: 'There is no page “{name}”.', toHome: 'Go to the start page',
        away: 'The service does not respond. What you entered is kept; the page goes on when the service is back.', createType: 'New object of the type',
        chooseType: 'Type', createButton: 'Create', open: 'Open'
    },
    de: {
        skip: 'Zum Inhalt', search: 'Objekte, Ids, Handles suchen', suggestions: 'Vorschläge', searchButton: 'Suchen', create: 'Neu', types: 'Typen', admin: 'Verwaltung',
        logIn: 'Anmelden', logOut: 'Abmelden', loggedOut: 'Sie sind abgemeldet.', unsaved: 'Ihre Änderungen sind nicht gespeichert. Trotzdem abmelden? Sie werden entfernt, ebenso Entwürfe.', account: 'Mein Konto', myObjects: 'Meine Objekte', theme: 'Darstellung', system: 'Wie das System', light: 'Hell', dark: 'Dunkel',
        language: 'Sprache', all: 'Alle', allTypes: 'Alle Typen …', menu: 'Navigation', api: 'Schnittstelle für Programme', unknown: 'Es gibt keine Seite „{name}“.', toHome: 'Zur Startseite',
        away: 'Der Dienst antwortet nicht. Ihre Eingaben bleiben erhalten; es geht weiter, sobald er wieder da ist.', createType: 'Neues Objekt vom Typ',
        chooseType: 'Typ', createButton: 'Anlegen', open: 'Öffnen'
    },
    fr: {
        skip: 'Aller au contenu', search: 'Chercher objets, identifiants, handles', suggestions: 'Suggestions', searchButton: 'Chercher', create: 'Nouveau', types: 'Types', admin: 'Administration',
        logIn: 'Se connecter', logOut: 'Se déconnecter', loggedOut: 'Vous êtes déconnecté.', unsaved: 'Vos modifications ne sont pas enregistrées. Se déconnecter quand même ? Elles seront supprimées, ainsi que les brouillons.', account: 'Mon compte', myObjects: 'Mes objets', theme: 'Apparence', system: 'Comme le système', light: 'Clair', dark: 'Sombre',
        language: 'Langue', all: 'Tous', allTypes: 'Tous les types …', menu: 'Navigation', api: 'Interface pour programmes', unknown: 'La page « {name} » n’existe pas.', toHome: 'Aller à l’accueil',
        away: 'Le service ne répond pas. Vos saisies sont conservées ; la page reprend dès qu’il est de retour.', createType: 'Nouvel objet du type',
        chooseType: 'Type', createButton: 'Créer', open: 'Ouvrir'
    }
});
