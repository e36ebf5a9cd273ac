import { describe, expect, test } from 'vitest'
import { describeWithShared, sharedFolder } from '../../../support/shared-data.js'
import { eventFiles, type Json, problemsOf, projectFixtures, readEvents, shared } from './captures.js'

describe("the project's fixtures", () => {
  test.each(eventFiles(projectFixtures))("the project's fixture %s passes event by event", (file) => {
    expect(problemsOf(readEvents(projectFixtures, file))).toEqual([])
  })
})

const isShared = sharedFolder() !== undefined

describeWithShared('genuine captures', () => {
  describe.each(['openai', 'azure', 'lmstudio'])('of %s', (server) => {
    const folder = shared(`captured/${server}`)
    test.each(isShared ? eventFiles(folder) : [])('the genuine capture %s passes event by event', (file) => {
      const events = readEvents(folder, file)
      expect(events.length).toBeGreaterThan(3)
      expect(problemsOf(events)).toEqual([])
    })
  })
})

describeWithShared("vLLM's capture", () => {
  const folder = shared('captured/vllm')
  const events = () => eventFiles(folder).flatMap((file) => readEvents(folder, file))

  test("vLLM's capture fails at its deviations from the standard", () => {
    // Ids are random: here they are as short as their prefix.
    const problems = problemsOf(events()).map((problem) => problem.replace(/"(\w+)_[0-9a-f]{32}"/, '"$1_..."'))
    expect(problems).toEqual([
      // The response has no error, and lacks three more keys that every capture of OpenAI has.
      'response.created response.error: expected an object or null, got nothing',
      'response.in_progress response.error: expected an object or null, got nothing',
      // Reasoning is announced without a list to put its parts into.
      'response.output_item.added item.content: expected an array, got null',
      // Its parts have events that vLLM made up, in place of content_part.added and .done.
      'response.reasoning_part.added type: expected the type of a stream event, got "response.reasoning_part.added"',
      // An index of no part.
      'response.reasoning_text.done content_index: expected a whole number from 0, got -1',
      'response.reasoning_part.done type: expected the type of a stream event, got "response.reasoning_part.done"',
      // An MCP call is named by its id alone, and its arguments name no tool.
      'response.output_item.added item.call_id: expected no such key, got "mcp_..."',
      'response.mcp_call_arguments.done name: expected no such key, got "python"',
      'response.output_item.done item.call_id: expected no such key, got "mcp_..."',
      'response.output_text.done content_index: expected a whole number from 0, got -1',
      'response.content_part.done content_index: expected a whole number from 0, got -1',
      // What has no log-probabilities has an empty list of them.
      'response.output_item.done item.content[0].logprobs: expected an array, got null',
      'response.completed response.error: expected an object or null, got nothing',
    ])
  })

  test("vLLM's capture passes once that is put right, so at nothing else", () => {
    expect(problemsOf(events().map(putRight))).toEqual([])
  })
})

/** Puts right what vLLM does otherwise. */
function putRight(event: Json): Json {
  const right: Json = structuredClone(event)
  right.type = right.type.replace('response.reasoning_part.', 'response.content_part.')
  if (Number(right['content_index']) === -1) Object.assign(right, { content_index: 0 })
  if (right.type === 'response.mcp_call_arguments.done') delete right['name']
  const { response, item, part } = right
  for (const one of [part, item, ...((response?.['output'] ?? []) as Json[])]) {
    if (one === undefined) continue
    if (one.type === 'mcp_call') delete one['call_id']
    // The terminal response has reasoning whose status is null.
    if (one.type === 'reasoning' && one['status'] === null) delete one['status']
    if (one.type === 'reasoning' && one['content'] === null) Object.assign(one, { content: [] })
    for (const piece of [one, ...((one['content'] ?? []) as Json[])]) {
      if (piece['logprobs'] === null) Object.assign(piece, { logprobs: [] })
    }
  }
  if (response !== undefined) {
    // It echoes settings as null that are objects everywhere else.
    const lacking = { error: null, prompt_cache_key: null, safety_identifier: null, store: true, text: {} }
    Object.assign(response, lacking)
  }
  return right
}

describeWithShared('synthetic streams', () => {
  const folder = shared('responses/synthetic')

  /** By file, what is wrong with the shape of its events. All others are right in shape, whatever their order. */
  const wrong: { [file: string]: string[] } = {
    'reasoning-raw-via-response-reasoning-part-vLLM-.jsonl': [
      'response.reasoning_part.added type: expected the type of a stream event, got "response.reasoning_part.added"',
      'response.reasoning_part.done type: expected the type of a stream event, got "response.reasoning_part.done"',
    ],
  }

  test.each(isShared ? eventFiles(folder) : [])('the synthetic stream %s passes or fails as its name says', (file) => {
    expect(problemsOf(readEvents(folder, file))).toEqual(wrong[file] ?? [])
  })
})
