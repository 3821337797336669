/** Whether a component is still on the page, for what ends after the user may have left. */

import { useLayoutEffect, useRef } from 'preact/hooks';

/** Returns what says whether the component is on the page. */
export function useMounted(): () => boolean {

    const isMounted = useRef(true);
    useLayoutEffect(() => {

        isMounted.current = true;
        return () => {

            isMounted.current = false;
        };
    }, []);
    return () => isMounted.current;
}
