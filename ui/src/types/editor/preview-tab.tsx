/** The form as editors see it, empty or with a real object. */

import type { JSX } from 'preact';
import { t } from './texts.js';
import type { TabProps } from './type-screen.js';

export function PreviewTab(_props: TabProps): JSX.Element {

    return <p class="muted">{t('previewHint')}</p>;
}
