/** Texts of the tab for relations. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        graph: 'Graph', list: 'As a list', outgoing: 'Refers to', incoming: 'Referred to by', none: 'No object that you may read refers to this one, and it refers to none.', filter: 'Property', all: 'all properties',
        truncated: 'There are more than the service returns at once: the graph and the list are incomplete.', hint: 'Double click an object, or press Enter on it, to see what is around it. Drag to move, turn the wheel to zoom.',
        node: '{label}, {type}', expanded: 'what is around it is shown', selected: 'Selected', open: 'Open', expand: 'Show what is around it', zoomIn: 'Zoom in', zoomOut: 'Zoom out', reset: 'Show all', others: 'Other relations in the graph',
        tooMany: 'The graph shows the first {count} objects.', legend: 'Types', by: 'by {property}'
    },
    de: {
        graph: 'Graph', list: 'Als Liste', outgoing: 'Verweist auf', incoming: 'Verwiesen von', none: 'Kein Objekt, das Sie lesen dürfen, verweist auf dieses, und es verweist auf keines.', filter: 'Eigenschaft', all: 'alle Eigenschaften',
        truncated: 'Es gibt mehr, als der Dienst auf einmal liefert: Graph und Liste sind unvollständig.', hint: 'Ein Doppelklick auf ein Objekt, oder Enter, zeigt, was darum herum ist. Ziehen verschiebt, das Rad vergrößert.',
        node: '{label}, {type}', expanded: 'was darum herum ist, wird gezeigt', selected: 'Ausgewählt', open: 'Öffnen', expand: 'Zeigen, was darum herum ist', zoomIn: 'Vergrößern', zoomOut: 'Verkleinern', reset: 'Alles zeigen', others: 'Weitere Beziehungen im Graphen',
        tooMany: 'Der Graph zeigt die ersten {count} Objekte.', legend: 'Typen', by: 'durch {property}'
    },
    fr: {
        graph: 'Graphe', list: 'Comme liste', outgoing: 'Fait référence à', incoming: 'Référencé par', none: 'Aucun objet que vous pouvez lire ne fait référence à celui-ci, et il n’en référence aucun.', filter: 'Propriété', all: 'toutes les propriétés',
        truncated: 'Il y en a plus que le service n’en renvoie à la fois : le graphe et la liste sont incomplets.', hint: 'Double-cliquez sur un objet, ou appuyez sur Entrée, pour voir ce qui l’entoure. Glissez pour déplacer, tournez la molette pour zoomer.',
        node: '{label}, {type}', expanded: 'ce qui l’entoure est affiché', selected: 'Sélection', open: 'Ouvrir', expand: 'Montrer ce qui l’entoure', zoomIn: 'Agrandir', zoomOut: 'Réduire', reset: 'Tout afficher', others: 'Autres relations du graphe',
        tooMany: 'Le graphe montre les {count} premiers objets.', legend: 'Types', by: 'par {property}'
    }
});
