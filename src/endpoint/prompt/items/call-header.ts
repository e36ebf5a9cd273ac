/*
 * The usual header of a call in gpt-oss's samples: `<|channel|>commentary to=functions.get_weather <|constrain|>json`.
 * The official renderer puts the recipient before the channel. A call that is not rendered as the model wrote it makes
 * engines read everything after it again.
 */

/** The common fields of the assistant's calls. */
export const CALL = { role: 'assistant', recipientAfter: 'channel' } as const

/** The content type of JSON arguments. */
export const JSON_BODY = { contentType: 'json', constrained: true } as const
