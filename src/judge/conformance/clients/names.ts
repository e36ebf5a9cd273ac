/** The clients that have a model. */
export const CLIENTS = ['openai', 'ai-sdk', 'openai-agents', 'langchain', 'codex'] as const

export type Client = (typeof CLIENTS)[number]
