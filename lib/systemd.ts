/**
 * Tells systemd the state of the service, for units with `Type=notify`. Node has no datagram sockets of the kind that the protocol needs, so
 * the program of systemd sends the message; the unit allows that by `NotifyAccess=all`.
 */

import { execFile } from 'node:child_process';
import type { Logger } from 'pino';

const PROGRAM = 'systemd-notify';
const TIMEOUT_MS = 5000;

/** Variables of a message; see sd_notify(3). */
export type ServiceState = 'READY=1' | 'STOPPING=1';

/** Sends a state; does nothing where systemd does not wait for it. Never throws: an error is logged. */
export function notifySystemd(state: ServiceState, status: string, log: Logger): void {

    if (!process.env['NOTIFY_SOCKET']) {
        return;
    }

    execFile(PROGRAM, [state, `STATUS=${status}`], { timeout: TIMEOUT_MS }, (error) => {

        if (error) {
            log.warn({ event: 'service.notify-failed', state, err: error }, 'systemd cannot be notified');
        }
    });
}
