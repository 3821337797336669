/** Import of objects from files, and export of all objects as a file. */

import type { JSX } from 'preact';
import { ImportSection } from './import-section.js';
import { ExportSection } from './export-section.js';
import { t } from './texts.js';

export function Transfer(): JSX.Element {

    return (
        <>
            <h1>{t('transfer')}</h1>
            <ImportSection />
            <ExportSection />
        </>
    );
}
