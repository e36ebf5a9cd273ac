/** The clients of Chat Completions that have a model. */
export const CHAT_CLIENTS = ['openai', 'ai-sdk'] as const

export type ChatClient = (typeof CHAT_CLIENTS)[number]
