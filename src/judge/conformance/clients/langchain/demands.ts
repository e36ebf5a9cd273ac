import type { Fields } from '../../../../shared/fields.js'
import { asFields, type StreamEvent } from '../../stream-event.js'

// The values in events without which LangChain throws.

/** An exception that LangChain throws at an event. */
export class LangchainError extends Error {
  readonly rule: string
  readonly expected: string
  readonly got: unknown

  constructor(rule: string, expected: string, got: unknown) {
    super(`${rule}: expected ${expected}`)
    this.rule = rule
    this.expected = expected
    this.got = got
  }
}

export function requireItem({ item }: StreamEvent): Fields {
  if (item === undefined || item === null) throw new LangchainError('langchain-item', 'an item', item)
  return asFields(item)
}

export function requireResponse(response: unknown): Fields {
  if (response === undefined || response === null)
    throw new LangchainError('langchain-response', 'a response', response)
  return asFields(response)
}

/** Checks the whole output, which LangChain converts: it throws if a list is missing. */
export function checkOutput(output: unknown): void {
  const fail = (expected: string, got: unknown): never => {
    throw new LangchainError('langchain-output', expected, got)
  }
  if (!Array.isArray(output)) fail('output: a list', output)
  for (const item of output as unknown[]) {
    if (item === undefined || item === null) fail('a list of items', output)
    const { type, content, summary } = asFields(item)
    if (type === 'message') {
      if (!Array.isArray(content)) fail('content: a list', content)
      for (const part of content as unknown[]) checkPart(part, fail)
    } else if (type === 'reasoning' && summary !== undefined && summary !== null) {
      if (!Array.isArray(summary)) fail('summary: a list', summary)
      if ((summary as unknown[]).includes(null)) fail('summary: a list of parts', summary)
    }
  }
}

function checkPart(part: unknown, fail: (expected: string, got: unknown) => never): void {
  if (part === undefined || part === null) fail('content: a list of parts', part)
  const { type, annotations } = asFields(part)
  if (type !== 'output_text') return
  if (!Array.isArray(annotations)) fail('annotations: a list', annotations)
  if ((annotations as unknown[]).includes(null)) fail('annotations: a list of objects', annotations)
}
