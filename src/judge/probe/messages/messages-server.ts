import type { Fields } from '../../../shared/fields.js'
import { MESSAGES_CLIENTS } from '../../conformance/messages/clients/names.js'
import { messageEventSchema } from '../../conformance/messages/event-schema.js'
import { problemsOf } from '../../conformance/schemas/parse-event.js'
import { asFields } from '../../conformance/stream-event.js'
import type { ApiReader, ApiServer } from '../conversation/api-server.js'
import { judgeMessages } from '../judge-events.js'
import { type AssembledMessage, messageOfAnswer, messageOfEvents } from './message.js'
import { readMessagesRefusal } from './refusal.js'

/** The content of an answer of the Messages API. */
export interface MessagesContent extends AssembledMessage {
  /** The message as it began in a stream, or as a whole: the fields besides its content. */
  readonly message: Fields
}

/** The Messages API of a server, for a scenario. */
export interface MessagesServer extends ApiServer<MessagesContent> {
  /**
   * Requests a count of tokens. Throws if the server does not count, and resolves to undefined if a finding explains
   * why.
   */
  count(request: string, body: Fields): Promise<Fields | undefined>
}

export const MESSAGES: ApiReader<MessagesContent> = {
  api: 'messages',
  clients: MESSAGES_CLIENTS,
  readRefusal: readMessagesRefusal,
  nothing: { ...messageOfEvents([]), message: {} },
  judge: judgeMessages,
  isError: ({ type }) => type === 'error',
  ofStream: (events) => ({
    ...messageOfEvents(events),
    message: asFields(events.find(({ type }) => type === 'message_start')?.['message']),
  }),
  shape: 'message-shape',
  problemsOf: (message) => problemsOf({ type: 'message_start', message }, messageEventSchema),
  ofAnswer: (message) => ({ ...messageOfAnswer(message), message }),
  ending: 'stop_reason',
}
