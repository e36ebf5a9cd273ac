import Anthropic from '@anthropic-ai/sdk'
import type { Endpoint } from './endpoint.js'

/** The official SDK of Messages in front of an endpoint in this process. The key is the owner's name. */
export function anthropicOf({ fetch }: Pick<Endpoint, 'fetch'>, apiKey = 'anonymous'): Anthropic {
  return new Anthropic({
    baseURL: 'http://localhost',
    apiKey,
    maxRetries: 0,
    fetch: async (url, init) => await fetch(new Request(url as string, init)),
  })
}
