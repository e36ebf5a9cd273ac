import { EngineError } from './engine-error.js'

/**
 * Returns the error for a prompt that leaves no room for an answer. Clients recognise OpenAI's words, with which it begins,
 * and shorten their conversation.
 */
export function promptTooLong(tokens: number, contextLength: number): EngineError {
  const message =
    `This model's maximum context length is ${contextLength} tokens. However, your prompt has ${tokens} tokens, ` +
    'and an answer needs at least one more. Please shorten the prompt.'
  return new EngineError('context_length_exceeded', message)
}
