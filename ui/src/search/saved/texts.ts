/** Texts of the searches that were saved. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        title: 'Saved searches', save: 'Save the search', name: 'Name', submit: 'Save', replaces: 'A search of this name is replaced.', saved: 'The search “{name}” is saved.',
        rename: 'Rename {name}', newName: 'New name of {name}', keep: 'Rename', delete: 'Delete {name}', deleted: 'The search “{name}” is deleted.', close: 'Close', manage: 'Rename and delete',
        note: 'They are kept in this browser. To share a search, send its address.', full: 'The search was not saved: its name or address is too long, there are 100 already, or the browser has no room.', none: 'No search is saved.'
    },
    de: {
        title: 'Gespeicherte Suchen', save: 'Suche speichern', name: 'Name', submit: 'Speichern', replaces: 'Eine Suche dieses Namens wird ersetzt.', saved: 'Die Suche „{name}“ ist gespeichert.',
        rename: '{name} umbenennen', newName: 'Neuer Name von {name}', keep: 'Umbenennen', delete: '{name} löschen', deleted: 'Die Suche „{name}“ ist gelöscht.', close: 'Schließen', manage: 'Umbenennen und löschen',
        note: 'Sie bleiben in diesem Browser. Um eine Suche weiterzugeben, senden Sie ihre Adresse.', full: 'Die Suche wurde nicht gespeichert: Ihr Name oder ihre Adresse ist zu lang, es gibt schon 100, oder im Browser ist kein Platz.', none: 'Es ist keine Suche gespeichert.'
    },
    fr: {
        title: 'Recherches enregistrées', save: 'Enregistrer la recherche', name: 'Nom', submit: 'Enregistrer', replaces: 'Une recherche de ce nom sera remplacée.', saved: 'La recherche « {name} » est enregistrée.',
        rename: 'Renommer {name}', newName: 'Nouveau nom de {name}', keep: 'Renommer', delete: 'Supprimer {name}', deleted: 'La recherche « {name} » est supprimée.', close: 'Fermer', manage: 'Renommer et supprimer',
        note: 'Elles sont conservées dans ce navigateur. Pour partager une recherche, envoyez son adresse.', full: 'La recherche n’a pas été enregistrée : son nom ou son adresse est trop long, il y en a déjà 100, ou le navigateur n’a plus de place.', none: 'Aucune recherche n’est enregistrée.'
    }
});
