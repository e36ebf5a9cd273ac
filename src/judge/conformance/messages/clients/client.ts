import type { ClientModel } from '../../clients/client.js'
import type { MessagesClient } from './names.js'

export { MESSAGES_CLIENTS, type MessagesClient } from './names.js'

/**
 * The model of a client of the Messages API. It reads any value in place of events. All of these clients show text,
 * reasoning and calls, so nothing is omitted by design.
 */
export type MessagesClientModel = Omit<ClientModel<unknown, MessagesClient, never>, 'reads'>
