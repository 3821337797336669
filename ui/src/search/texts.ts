/** Texts of the search. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: {
        searching: 'Searching …', found: { one: '{count} object', other: '{count} objects' }, foundFor: { one: '{count} object for', other: '{count} objects for' },
        sort: 'Sort by', relevance: 'Relevance', modified: 'Modified', created: 'Created', by: 'By', type: 'Type', id: 'Id', object: 'Object',
        ascending: 'Ascending', descending: 'Descending', direction: 'Direction: {direction}', view: 'View', table: 'Table', cards: 'Cards', export: 'Export', more: 'More',
        filters: 'Filters', clear: 'Remove all filters', remove: 'Remove the filter {name}', showAll: 'Show all {count}', showLess: 'Show fewer', from: 'From', to: 'To', apply: 'Apply',
        yes: 'yes', no: 'no', pages: 'Pages', previous: 'Previous page', next: 'Next page', page: 'Page {number}', perPage: 'per page', select: 'Select {name}',
        selectPage: 'Select all of this page', selected: { one: '{count} selected', other: '{count} selected' }, selectAll: { one: 'Select {count} result', other: 'Select all {count} results' },
        unselect: 'Cancel selection', change: 'Change …', nothing: 'Nothing was found', nothingFor: 'Nothing was found for', pastEnd: 'There are no results on this page.', firstPage: 'To the first page', hidden: 'The results of this page are hidden by the code of their types.',
        withoutFilters: 'Search without the filters', without: 'Without {name}', useField: 'There is no field {wrong}. Search for {right}', everywhere: 'Search for these words anywhere',
        allObjects: 'Show all objects', hints: 'What you can do', files: { one: '{count} file', other: '{count} files' }, version: 'Version', explain: 'About this query', error: 'The query could not be read', unanswered: 'The search was not answered',
        place: 'Go to the place', at: 'At character {position}', results: 'Results', lastDay: 'Last 24 hours', lastWeek: 'Last 7 days', lastMonth: 'Last 30 days', lastYear: 'Last year', since: 'since {from}', until: 'until {to}',
        unreadable: 'The counts could not be read.', milliseconds: '{ms} ms', columns: 'Details'
    },
    de: {
        searching: 'Suche läuft …', found: { one: '{count} Objekt', other: '{count} Objekte' }, foundFor: { one: '{count} Objekt für', other: '{count} Objekte für' },
        sort: 'Sortieren nach', relevance: 'Relevanz', modified: 'Geändert', created: 'Angelegt', by: 'Von', type: 'Typ', id: 'Id', object: 'Objekt',
        ascending: 'aufsteigend', descending: 'absteigend', direction: 'Reihenfolge: {direction}', view: 'Ansicht', table: 'Tabelle', cards: 'Karten', export: 'Exportieren', more: 'Mehr',
        filters: 'Filter', clear: 'Alle Filter entfernen', remove: 'Filter {name} entfernen', showAll: 'Alle {count} zeigen', showLess: 'Weniger zeigen', from: 'Von', to: 'Bis', apply: 'Anwenden',
        yes: 'ja', no: 'nein', pages: 'Seiten', previous: 'Vorige Seite', next: 'Nächste Seite', page: 'Seite {number}', perPage: 'je Seite', select: '{name} auswählen',
        selectPage: 'Alle dieser Seite auswählen', selected: { one: '{count} ausgewählt', other: '{count} ausgewählt' }, selectAll: { one: '{count} Ergebnis auswählen', other: 'Alle {count} Ergebnisse auswählen' },
        unselect: 'Auswahl aufheben', change: 'Ändern …', nothing: 'Nichts gefunden', nothingFor: 'Nichts gefunden für', pastEnd: 'Auf dieser Seite gibt es keine Ergebnisse.', firstPage: 'Zur ersten Seite', hidden: 'Die Ergebnisse dieser Seite verbirgt der Code ihrer Typen.',
        withoutFilters: 'Ohne die Filter suchen', without: 'Ohne {name}', useField: 'Es gibt kein Feld {wrong}. Suchen Sie nach {right}', everywhere: 'Diese Wörter überall suchen',
        allObjects: 'Alle Objekte zeigen', hints: 'Was Sie tun können', files: { one: '{count} Datei', other: '{count} Dateien' }, version: 'Version', explain: 'Über diese Suchanfrage', error: 'Die Suchanfrage ist nicht lesbar', unanswered: 'Die Suche wurde nicht beantwortet',
        place: 'Zur Stelle', at: 'Bei Zeichen {position}', results: 'Ergebnisse', lastDay: 'Letzte 24 Stunden', lastWeek: 'Letzte 7 Tage', lastMonth: 'Letzte 30 Tage', lastYear: 'Letztes Jahr', since: 'ab {from}', until: 'bis {to}',
        unreadable: 'Die Anzahlen konnten nicht gelesen werden.', milliseconds: '{ms} ms', columns: 'Angaben'
    },
    fr: {
        searching: 'Recherche …', found: { one: '{count} objet', other: '{count} objets' }, foundFor: { one: '{count} objet pour', other: '{count} objets pour' },
        sort: 'Trier par', relevance: 'Pertinence', modified: 'Modifié', created: 'Créé', by: 'Par', type: 'Type', id: 'Identifiant', object: 'Objet',
        ascending: 'croissant', descending: 'décroissant', direction: 'Ordre : {direction}', view: 'Affichage', table: 'Tableau', cards: 'Fiches', export: 'Exporter', more: 'Plus',
        filters: 'Filtres', clear: 'Supprimer tous les filtres', remove: 'Supprimer le filtre {name}', showAll: 'Afficher les {count}', showLess: 'Afficher moins', from: 'De', to: 'À', apply: 'Appliquer',
        yes: 'oui', no: 'non', pages: 'Pages', previous: 'Page précédente', next: 'Page suivante', page: 'Page {number}', perPage: 'par page', select: 'Sélectionner {name}',
        selectPage: 'Sélectionner toute la page', selected: { one: '{count} sélectionné', other: '{count} sélectionnés' }, selectAll: { one: 'Sélectionner {count} résultat', other: 'Sélectionner les {count} résultats' },
        unselect: 'Annuler la sélection', change: 'Modifier …', nothing: 'Aucun résultat', nothingFor: 'Aucun résultat pour', pastEnd: 'Cette page n’a pas de résultats.', firstPage: 'À la première page', hidden: 'Les résultats de cette page sont cachés par le code de leurs types.',
        withoutFilters: 'Chercher sans les filtres', without: 'Sans {name}', useField: 'Le champ {wrong} n’existe pas. Cherchez {right}', everywhere: 'Chercher ces mots partout',
        allObjects: 'Afficher tous les objets', hints: 'Ce que vous pouvez faire', files: { one: '{count} fichier', other: '{count} fichiers' }, version: 'Version', explain: 'À propos de cette requête', error: 'La requête est illisible', unanswered: 'La recherche est restée sans réponse',
        place: 'Aller à l’endroit', at: 'Au caractère {position}', results: 'Résultats', lastDay: 'Dernières 24 heures', lastWeek: '7 derniers jours', lastMonth: '30 derniers jours', lastYear: 'Dernière année', since: 'depuis {from}', until: 'jusqu’à {to}',
        unreadable: 'Les nombres n’ont pas pu être lus.', milliseconds: '{ms} ms', columns: 'Détails'
    }
});
