/** The clients of Chat Completions that have a model. */
export const CHAT_CLIENTS = ['openai', 'openai-python', 'ai-sdk'] as const

/** A client of Chat Completions that has a model. */
export type ChatClient = (typeof CHAT_CLIENTS)[number]
