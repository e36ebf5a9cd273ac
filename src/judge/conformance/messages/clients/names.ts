/** The clients of the Messages API that have a model. */
export const MESSAGES_CLIENTS = ['anthropic', 'anthropic-python', 'ai-sdk', 'langchain'] as const

/** A client of the Messages API that has a model. */
export type MessagesClient = (typeof MESSAGES_CLIENTS)[number]
