/** The clients that have a model. */
export const CLIENTS = ['openai', 'openai-python', 'ai-sdk', 'openai-agents', 'langchain', 'codex'] as const

/** A client of the Responses API that has a model. */
export type Client = (typeof CLIENTS)[number]
