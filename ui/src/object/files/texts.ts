/** Texts of the tab for files. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        title: 'Files', none: 'This object has no files.', drop: 'Drop files here, or', choose: 'choose files', name: 'Name', size: 'Size', type: 'Type', actions: 'Actions', preview: 'Preview', close: 'Close the preview',
        download: 'Download', rename: 'Rename …', replace: 'Replace …', delete: 'Delete …', more: 'More about {name}', deleteTitle: 'Delete {name}?', deleteText: 'The file cannot be restored, unless a version has it.', deleteAction: 'Delete',
        renameTitle: 'Rename {name}', renameText: 'The service has no renaming: the file is read and sent again under its new name.', newName: 'Name of the file in the object', filename: 'File name for downloads', save: 'Rename', taken: 'The object has another file of the name {name}.',
        replaceTitle: 'Replace {name}?', replaceText: 'The object has a file of this name already.', replaceAction: 'Replace', uploading: '{name}: {sent} of {total}', cancel: 'Cancel', cancelled: 'The upload was cancelled. Nothing has changed.',
        added: { one: 'The file is stored.', other: '{count} files are stored.' }, renamed: 'The file is renamed.', deleted: 'The file is deleted.', changed: 'Somebody else has changed this object meanwhile. It is shown anew; repeat what you did.',
        unsafe: 'Files of this kind may hold scripts. Opened by themselves, the browser keeps them in a sandbox; here they are shown as text.', open: 'Open by itself', noPreview: 'There is no preview for files of this type.',
        part: 'The first {shown} of {total}.', rows: { one: 'The first {count} row.', other: 'The first {count} rows.' }, failed: 'The preview could not be loaded: {reason}', dynamic: 'The code of this type changes objects when they are read: files cannot be changed here.',
        uploadDone: 'The service stores the files …', pdf: 'If your browser shows nothing here, download the file.', unknownType: 'unknown'
    },
    de: {
        title: 'Dateien', none: 'Dieses Objekt hat keine Dateien.', drop: 'Dateien hierher ziehen oder', choose: 'Dateien auswählen', name: 'Name', size: 'Größe', type: 'Art', actions: 'Aktionen', preview: 'Vorschau', close: 'Vorschau schließen',
        download: 'Herunterladen', rename: 'Umbenennen …', replace: 'Ersetzen …', delete: 'Löschen …', more: 'Mehr zu {name}', deleteTitle: '{name} löschen?', deleteText: 'Die Datei lässt sich nicht wiederherstellen, außer eine Version hat sie.', deleteAction: 'Löschen',
        renameTitle: '{name} umbenennen', renameText: 'Der Dienst kennt kein Umbenennen: Die Datei wird gelesen und unter dem neuen Namen noch einmal gesendet.', newName: 'Name der Datei im Objekt', filename: 'Dateiname beim Herunterladen', save: 'Umbenennen', taken: 'Das Objekt hat eine andere Datei mit dem Namen {name}.',
        replaceTitle: '{name} ersetzen?', replaceText: 'Das Objekt hat schon eine Datei dieses Namens.', replaceAction: 'Ersetzen', uploading: '{name}: {sent} von {total}', cancel: 'Abbrechen', cancelled: 'Das Hochladen ist abgebrochen. Nichts hat sich geändert.',
        added: { one: 'Die Datei ist gespeichert.', other: '{count} Dateien sind gespeichert.' }, renamed: 'Die Datei ist umbenannt.', deleted: 'Die Datei ist gelöscht.', changed: 'Jemand anderes hat dieses Objekt inzwischen geändert. Es wird neu gezeigt; wiederholen Sie, was Sie getan haben.',
        unsafe: 'Dateien dieser Art können Skripte enthalten. Allein geöffnet hält der Browser sie in einer Sandbox; hier werden sie als Text gezeigt.', open: 'Allein öffnen', noPreview: 'Für Dateien dieser Art gibt es keine Vorschau.',
        part: 'Die ersten {shown} von {total}.', rows: { one: 'Die erste Zeile.', other: 'Die ersten {count} Zeilen.' }, failed: 'Die Vorschau konnte nicht geladen werden: {reason}', dynamic: 'Der Code dieses Typs verändert Objekte beim Lesen: Dateien lassen sich hier nicht ändern.',
        uploadDone: 'Der Dienst speichert die Dateien …', pdf: 'Wenn Ihr Browser hier nichts zeigt, laden Sie die Datei herunter.', unknownType: 'unbekannt'
    },
    fr: {
        title: 'Fichiers', none: 'Cet objet n’a pas de fichiers.', drop: 'Déposez des fichiers ici, ou', choose: 'choisissez des fichiers', name: 'Nom', size: 'Taille', type: 'Type', actions: 'Actions', preview: 'Aperçu', close: 'Fermer l’aperçu',
        download: 'Télécharger', rename: 'Renommer …', replace: 'Remplacer …', delete: 'Supprimer …', more: 'Plus sur {name}', deleteTitle: 'Supprimer {name} ?', deleteText: 'Le fichier ne peut pas être restauré, sauf si une version le contient.', deleteAction: 'Supprimer',
        renameTitle: 'Renommer {name}', renameText: 'Le service ne sait pas renommer : le fichier est lu et envoyé de nouveau sous son nouveau nom.', newName: 'Nom du fichier dans l’objet', filename: 'Nom de fichier au téléchargement', save: 'Renommer', taken: 'L’objet a un autre fichier du nom {name}.',
        replaceTitle: 'Remplacer {name} ?', replaceText: 'L’objet a déjà un fichier de ce nom.', replaceAction: 'Remplacer', uploading: '{name} : {sent} sur {total}', cancel: 'Annuler', cancelled: 'L’envoi a été annulé. Rien n’a changé.',
        added: { one: 'Le fichier est enregistré.', other: '{count} fichiers sont enregistrés.' }, renamed: 'Le fichier est renommé.', deleted: 'Le fichier est supprimé.', changed: 'Quelqu’un d’autre a modifié cet objet entre-temps. Il est affiché de nouveau ; répétez votre action.',
        unsafe: 'Les fichiers de ce genre peuvent contenir des scripts. Ouverts seuls, le navigateur les garde dans un bac à sable ; ici ils sont montrés comme du texte.', open: 'Ouvrir seul', noPreview: 'Il n’y a pas d’aperçu pour les fichiers de ce type.',
        part: 'Les premiers {shown} sur {total}.', rows: { one: 'La première ligne.', other: 'Les {count} premières lignes.' }, failed: 'L’aperçu n’a pas pu être chargé : {reason}', dynamic: 'Le code de ce type modifie les objets à la lecture : les fichiers ne peuvent pas être modifiés ici.',
        uploadDone: 'Le service enregistre les fichiers …', pdf: 'Si votre navigateur n’affiche rien ici, téléchargez le fichier.', unknownType: 'inconnu'
    }
});
