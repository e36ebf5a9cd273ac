/** The clients of the Messages API that have a model. */
export const MESSAGES_CLIENTS = ['anthropic', 'ai-sdk', 'langchain'] as const

export type MessagesClient = (typeof MESSAGES_CLIENTS)[number]
