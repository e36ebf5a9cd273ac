import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkEvents, readStreams, reportOn, type Violation } from '../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../src/judge/conformance/stream-event.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'

interface Recording {
  readonly file: string
  readonly server: string
  readonly repo: string
  readonly created_at?: number
}

/** Recordings of OpenAI's streams whose recorder changed them, or made them up: what is wrong with them is so. */
const EDITED: Readonly<Record<string, string>> = {
  'coder+aibridge__cached_input_tokens': 'fields of the response left out',
  'coder+aibridge__commentary_builtin_tool': 'deltas written by hand, without logprobs',
  'coder+aibridge__stream_error': 'made up: a delta of no item, a flat error, and half a frame',
  'coder+aibridge__summary_and_commentary_builtin_tool': 'deltas written by hand, without logprobs',
  'coder+aibridge__wrong_response_format': 'made up: an item that was never announced',
  'openai-php+client__CreateStreamedResponseFixture': 'put together from the documentation, deltas left out',
  'openai-php+client__ResponseCompletionCreate': 'put together from the documentation',
  'openai-php+client__ResponseImageGenerationCreate': 'put together, two items under one id',
  'prism-php+prism__stream-multiple-output-items': 'made up: ids by hand, fields left out',
  'vercel+ai__openai-phase.': 'shortened: deltas and items left out',
  'vercel+ai__openai-shell-container.': 'shortened: a delta left out',
}

/** Streams that begin after `starting_after`. */
const RESUMED = /starting_after_vcr\.yaml__1__/

/** OpenAI and those that pass on what it sends as it is. */
const SERVERS = ['openai', 'chatgpt-codex', 'azure', 'bedrock-mantle', 'lmstudio']

const AUGUST_2025 = Date.UTC(2025, 7, 1) / 1000

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

describeWithShared('genuine streams', () => {
  const folder = `${sharedFolder()}/data/captured`
  const recordings: Recording[] = JSON.parse(readFileSync(`${folder}/more/index.json`, 'utf8'))
  const errorsOf = (path: string, resumed = false): Violation[] =>
    readStreams(readFileSync(path, 'utf8'))
      .flatMap((events) => checkEvents(events as StreamEvent[], { resumed }))
      .filter(({ severity }) => severity === 'error')
  const said = (errors: readonly Violation[]): string[] => errors.map(({ rule, position }) => `${position} ${rule}`)

  const nameOf = ({ file }: Recording): string | undefined => Object.keys(EDITED).find((name) => file.includes(name))
  const asTheyWere = recordings.filter((one) => SERVERS.includes(one.server) && nameOf(one) === undefined)
  const isOlder = ({ created_at }: Recording): boolean =>
    created_at !== undefined && created_at > 0 && created_at < AUGUST_2025
  const current = asTheyWere.filter((one) => !isOlder(one))

  test.each(SERVERS)('genuine streams of %s since August 2025 are accused of nothing', (server) => {
    const files = current.filter((one) => one.server === server)
    expect(files.length).toBeGreaterThan(1)
    for (const { file } of files)
      expect([file, said(errorsOf(`${folder}/more/${file}`, RESUMED.test(file)))]).toEqual([file, []])
  })

  test.each(['openai', 'azure', 'lmstudio'])(
    'genuine streams of %s in its own folder are accused of nothing',
    (server) => {
      for (const file of readdirSync(`${folder}/${server}`).filter((name) => name.endsWith('.txt')))
        expect([file, said(errorsOf(`${folder}/${server}/${file}`))]).toEqual([file, []])
    },
  )

  test('genuine streams of OpenAI before August 2025 are of an older wire, and of nothing else', () => {
    const older = asTheyWere.filter(isOlder)
    expect(older.length).toBeGreaterThan(10)
    for (const { file } of older) {
      const errors = errorsOf(`${folder}/more/${file}`)
      if (errors.length > 0) expect([file, said(errors)]).toEqual([file, ['0 older-wire']])
    }
  })

  test('genuine streams that were edited are accused each', () => {
    for (const name of Object.keys(EDITED)) {
      const edited = recordings.filter(({ file }) => file.includes(name))
      expect([name, edited.length]).not.toEqual([name, 0])
      for (const { file } of edited) {
        // Input that is not a stream is not read, and that is reported too.
        const read = (): Violation[] => errorsOf(`${folder}/more/${file}`)
        const isUnreadable = name.startsWith('coder+aibridge__') && !isReadable(read)
        if (!isUnreadable) expect(`${file}: ${said(read()).length > 0}`).toBe(`${file}: true`)
      }
    }
  })

  /** What vLLM 0.32 does otherwise than the API, by what the judge says of it. */
  const VLLM: Readonly<Record<string, RegExp>> = {
    'the response has no error': /^event-shape response\.error: an object or null$/,
    'null in the place of no logprobs': /^event-shape (?:part|item\.content\[0\])\.logprobs: an array$/,
    'null in the place of no namespace': /^event-shape item\.namespace: a string$/,
    'null in the place of no content': /^event-shape item\.content: an array$/,
    'fields of the event in its item': /^event-keys no field item\.output_index$/,
    'a message that is incomplete at the end, or reasoning without a status':
      /^terminal-items-unchanged .* a different status$/,
    'completed, though the limit ended it': /^terminal-type-is-status status "completed"/,
  }
  const MESSAGE = ['null in the place of no logprobs']
  const CALL = ['fields of the event in its item', 'null in the place of no namespace']
  const STATUS = ['a message that is incomplete at the end, or reasoning without a status']
  const REASONING = [...STATUS, 'null in the place of no content']

  test.each<[string, readonly string[]]>([
    ['hello', MESSAGE],
    ['months', MESSAGE],
    ['emoji', MESSAGE],
    ['half', MESSAGE],
    ['forge', MESSAGE],
    ['required-hello', MESSAGE],
    ['malformed', [...MESSAGE, ...REASONING]],
    ['files', [...MESSAGE, ...CALL]],
    ['weather', [...CALL, ...REASONING]],
    ['count', [...MESSAGE, ...STATUS, 'completed, though the limit ended it']],
  ])("each cause that a report finds in vLLM 0.32's own stream is something that vLLM does: %s", (name, causes) => {
    const text = readFileSync(`${folder}/engines/vllm-0.32-responses/${name}.jsonl`, 'utf8')
    const leads = readStreams(text).flatMap((events) =>
      reportOn(events as StreamEvent[]).causes.map(({ lead }) => lead),
    )
    const found = leads.map(({ rule, expected, got }) => {
      const said = `${rule} ${expected}${rule === 'terminal-items-unchanged' ? ` ${got}` : ''}`
      return Object.entries(VLLM).find(([, pattern]) => pattern.test(said))?.[0] ?? said
    })
    expect([...new Set(found)].toSorted()).toEqual([...new Set(['the response has no error', ...causes])].toSorted())
  })
})
