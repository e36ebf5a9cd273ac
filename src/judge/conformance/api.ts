/** The APIs whose streams are judged. */
export type Api = 'responses' | 'chat' | 'messages'

/** The names of the APIs. Each stream belongs to one. */
export const API_NAMES: Readonly<Record<Api, string>> = {
  responses: 'the Responses API',
  chat: 'Chat Completions',
  messages: 'the Messages API',
}
