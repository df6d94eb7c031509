export const mailConnections = 4;
/** Mails of destinations under way at once: enough to use every connection, and few that wait for one. */
export const maxConcurrentMails = 2 * mailConnections;
