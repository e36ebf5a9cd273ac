import type { AnyClient } from '../../src/testing/index.js'

/** A fault of the reference server. */
export interface Row {
  /** The name by which `findFaults` finds it. */
  readonly name: string
  /** The smallest output of a model that shows it, and the tools of its request. */
  readonly model: string
  readonly tools?: readonly ('function' | 'web_search' | 'code_interpreter')[]
  readonly breaks: readonly AnyClient[]
  /** What the first of these clients makes of it, in words of `explain`; what is wrong, if it breaks none. */
  readonly loses: string
}

const ALL: readonly AnyClient[] = ['openai', 'openai-python', 'ai-sdk', 'openai-agents', 'langchain', 'codex']
const ANSWER = '<|channel|>final<|message|>Hi<|return|>'
const NO_ANSWER = '<|channel|>final<|message|><|return|>'
const CALL = '<|channel|>commentary to=functions.get_weather<|message|>{}<|call|>'
const PYTHON = '<|channel|>analysis to=python<|message|>1<|call|>'
const PREAMBLE = '<|channel|>commentary<|message|><|end|><|start|>assistant'

/** All faults that the generated transcripts find in it. */
export const ROWS: readonly Row[] = [
  {
    name: 'connection',
    model: '<|channel|>analysis to=browser.search<|message|>{}<|call|>',
    tools: ['web_search'],
    breaks: ALL,
    loses: 'never learns that the response has ended',
  },
  {
    name: 'done-was-added',
    model: CALL,
    tools: ['function'],
    breaks: ['openai', 'langchain'],
    loses: 'shows no text, and throws',
  },
  {
    name: 'event-shape:output_index',
    model: ANSWER,
    breaks: ['openai', 'openai-python'],
    loses: 'shows no text, and throws',
  },
  {
    name: 'within-item',
    model: NO_ANSWER,
    breaks: ['openai', 'openai-python'],
    loses: 'shows no text, and throws',
  },
  {
    name: 'openai-output-index',
    model: PREAMBLE + ANSWER,
    breaks: ['openai'],
    loses: 'shows "Hi", and throws',
  },
  {
    name: 'openai-python-output-index',
    model: PREAMBLE + ANSWER,
    breaks: ['openai-python'],
    loses: 'throws',
  },
  {
    name: 'client-reasoning',
    model: `${PREAMBLE}<|channel|>analysis<|message|>Hm<|end|>`,
    breaks: ['openai-python'],
    loses: 'HmHm',
  },
  {
    name: 'output-index-order',
    model: `${PREAMBLE}<|channel|>final<|message|><|end|><|start|>assistant<|channel|>analysis<|message|>Hm<|end|>`,
    breaks: ['openai', 'openai-python'],
    loses: 'shows no text, and throws',
  },
  {
    name: 'ai-sdk-text-part',
    model: `<|channel|>final<|message|>Hi<|end|><|start|>assistant${NO_ANSWER}`,
    breaks: ['ai-sdk'],
    loses: 'text part not found',
  },
  {
    name: 'event-shape:item.container_id',
    model: PYTHON,
    tools: ['code_interpreter'],
    breaks: ['ai-sdk'],
    loses: 'Type validation failed',
  },
  {
    name: 'client-text',
    model: '<|start|>assistant<|channel|>final<|message|>Hi<|return|>',
    breaks: ['codex'],
    loses: 'will run <|start|>assistant with Hi',
  },
  {
    name: 'client-result',
    model: '<|channel|>final to=user<|message|>Hi<|end|>',
    breaks: ['openai-agents', 'langchain'],
    loses: 'shows no text, will run user with Hi',
  },
  {
    name: 'event-shape:item.status',
    model: NO_ANSWER,
    breaks: ['ai-sdk'],
    loses: 'text part not found',
  },
  { name: 'event-shape:response.prompt_cache_key', model: ANSWER, breaks: [], loses: 'it is missing' },
  { name: 'event-shape:part.annotations', model: PREAMBLE + ANSWER, breaks: [], loses: 'they are null' },
  { name: 'announced-part-empty', model: ANSWER, breaks: [], loses: 'annotations are null, and later a list' },
  { name: 'usage-adds-up', model: ANSWER, breaks: [], loses: 'it has no details' },
  {
    name: 'announced-empty',
    model: PYTHON,
    tools: ['code_interpreter'],
    breaks: [],
    loses: 'the item is announced with its whole code',
  },
  {
    name: 'event-shape:item.action.type',
    model: '<|channel|>analysis to=browser.find<|message|>{"pattern":"tide"}<|call|>',
    tools: ['web_search'],
    breaks: [],
    loses: 'it is `find`, and not `find_in_page`',
  },
]

/** It answers 500 to a request that every SDK may send: a function whose description is null. */
export const REFUSED: Row = {
  name: 'answers',
  model: CALL,
  tools: ['function'],
  breaks: ALL,
  loses: 'status 500 where the description of a function is null',
}
