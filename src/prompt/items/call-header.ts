/*
 * How gpt-oss mostly writes the header of a call, by what was sampled: `<|channel|>commentary to=functions.get_weather
 * <|constrain|>json`. The official renderer puts the recipient before the channel. A call that is written otherwise than
 * the model wrote it has engines read everything after it again.
 */

/** A call of the assistant's, but for what it calls and says. */
export const CALL = { role: 'assistant', recipientAfter: 'channel' } as const

/** The content type of arguments that are JSON. */
export const JSON_BODY = { contentType: 'json', constrained: true } as const
