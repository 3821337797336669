/** Texts of the object screen. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: {
        content: 'Content', files: 'Files', relations: 'Relations', rights: 'Rights', history: 'History', methods: 'Methods', json: 'JSON', tabs: 'Parts of the object', missing: 'There is no object “{id}”.',
        missingText: 'It may have been deleted, or its id is written differently.', search: 'Search for it', login: 'You have to log in to see this object.', logIn: 'Log in', forbidden: 'You may not read this object.',
        forbiddenText: 'Ask somebody who may change its rights.', version: 'This is a version of', publishedBy: 'published by', changed: 'Somebody else has changed this object since you opened it.', deleted: 'This object has been deleted since you opened it.',
        show: 'Show the new state', copyId: 'Copy the id', away: 'The object could not be read.',
        resolved: 'The code of this type changes objects when they are read. What is shown here is not what is stored, and cannot be stored in its place.'
    },
    de: {
        content: 'Inhalt', files: 'Dateien', relations: 'Beziehungen', rights: 'Rechte', history: 'Verlauf', methods: 'Methoden', json: 'JSON', tabs: 'Teile des Objekts', missing: 'Es gibt kein Objekt „{id}“.',
        missingText: 'Vielleicht wurde es gelöscht, oder seine Id schreibt sich anders.', search: 'Danach suchen', login: 'Um dieses Objekt zu sehen, müssen Sie sich anmelden.', logIn: 'Anmelden', forbidden: 'Sie dürfen dieses Objekt nicht lesen.',
        forbiddenText: 'Fragen Sie jemanden, der seine Rechte ändern darf.', version: 'Dies ist eine Version von', publishedBy: 'veröffentlicht von', changed: 'Jemand anderes hat dieses Objekt geändert, seit Sie es geöffnet haben.', deleted: 'Dieses Objekt wurde gelöscht, seit Sie es geöffnet haben.',
        show: 'Neuen Stand zeigen', copyId: 'Id kopieren', away: 'Das Objekt konnte nicht gelesen werden.',
        resolved: 'Der Code dieses Typs verändert Objekte beim Lesen. Was hier gezeigt wird, ist nicht das Gespeicherte und kann nicht an dessen Stelle gespeichert werden.'
    },
    fr: {
        content: 'Contenu', files: 'Fichiers', relations: 'Relations', rights: 'Droits', history: 'Historique', methods: 'Méthodes', json: 'JSON', tabs: 'Parties de l’objet', missing: 'Il n’y a pas d’objet « {id} ».',
        missingText: 'Il a peut-être été supprimé, ou son identifiant s’écrit autrement.', search: 'Le chercher', login: 'Vous devez vous connecter pour voir cet objet.', logIn: 'Se connecter', forbidden: 'Vous ne pouvez pas lire cet objet.',
        forbiddenText: 'Demandez à quelqu’un qui peut modifier ses droits.', version: 'Ceci est une version de', publishedBy: 'publiée par', changed: 'Quelqu’un d’autre a modifié cet objet depuis que vous l’avez ouvert.', deleted: 'Cet objet a été supprimé depuis que vous l’avez ouvert.',
        show: 'Afficher le nouvel état', copyId: 'Copier l’identifiant', away: 'L’objet n’a pas pu être lu.',
        resolved: 'Le code de ce type modifie les objets à la lecture. Ce qui est affiché ici n’est pas ce qui est enregistré, et ne peut pas être enregistré à sa place.'
    }
});
