import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type OfficialStreamableParser, officialParser } from '../../../src/core/harmony/official-parser.js'
import type { TokenChunk } from '../../../src/core/tokens/token-source.js'
import { translateBatches } from '../../../src/index.js'
import { fixed, tokenTable } from '../../laws/streams.js'
import { loadOfficial } from '../../support/official-parser.js'
import { RUNS } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'

const official = await loadOfficial()

/** Checks that each object of the wasm build is freed once and not used afterwards. */
class Heap {
  readonly faults: string[] = []
  made = 0
  freed = 0
  /** The number of uses until one of the objects fails. */
  readonly #usesUntilTrap: number
  #uses = 0

  constructor(usesUntilTrap = Number.POSITIVE_INFINITY) {
    this.#usesUntilTrap = usesUntilTrap
  }

  create = (): OfficialStreamableParser => {
    const raw = official.createRaw('assistant')
    let isFreed = false
    let isBroken = false
    this.made += 1
    const use = <T>(what: string, read: () => T): T => {
      if (isFreed) this.faults.push(`${what} after free`)
      if (isBroken) this.faults.push(`${what} after a trap`)
      if (isFreed || isBroken) throw new Error('null pointer passed to rust')
      this.#uses += 1
      if (this.#uses !== this.#usesUntilTrap) return read()
      isBroken = true
      throw new WebAssembly.RuntimeError('unreachable')
    }
    return {
      process: (id) => use('process', () => raw.process(id)),
      get state() {
        return use('state', () => raw.state)
      },
      get messages() {
        return use('messages', () => raw.messages)
      },
      get currentContent() {
        return use('currentContent', () => raw.currentContent)
      },
      get lastContentDelta() {
        return use('lastContentDelta', () => raw.lastContentDelta)
      },
      free: () => {
        if (isFreed) this.faults.push('a second free')
        isFreed = true
        this.freed += 1
        raw.free()
        // An object that a trap left borrowed cannot be freed, which the wasm build reports.
        if (isBroken) throw new Error('attempted to take ownership of Rust value while it was borrowed')
      },
    }
  }

  /** The errors, and the objects that were never freed. */
  get state(): unknown {
    return { faults: this.faults, leaked: this.made - this.freed }
  }
}

const SOUND = { faults: [], leaked: 0 }

const request = { tools: [{ type: 'mcp', server_label: 'github', require_approval: 'never' }] } as never
const CALL = encodeHarmony('<|channel|>commentary to=github.a<|message|>{}')
const ANSWER = encodeHarmony('<|channel|>final<|message|>Hi<|return|>')
const RESULT = encodeHarmony('<|start|>github.a to=assistant<|channel|>commentary<|message|>found')

function create(heap: Heap): Translator {
  return new Translator({
    ...fixed,
    tokenTable,
    request,
    ids: (prefix, ordinal) => `${prefix}_${ordinal}`,
    parser: officialParser(heap.create),
  })
}

describe('the official parser is freed once', () => {
  test.each<[string, (translator: Translator) => void]>([
    ['at the end', (translator) => translator.end('stop')],
    ['at a failure', (translator) => translator.fail({ message: 'engine died' })],
    ['at an abort', (translator) => translator.abort()],
    [
      'at the end of a message of the host',
      (translator) => {
        translator.push(encodeHarmony('<|call|>'))
        translator.push({ host: RESULT })
        translator.end()
      },
    ],
    [
      'at an end, followed by a failure',
      (translator) => {
        translator.end()
        translator.fail({ message: 'engine died' })
      },
    ],
    [
      'at the end of each turn',
      (translator) => {
        translator.beginTurn()
        translator.push(ANSWER)
        translator.end()
      },
    ],
    [
      'at the end of a turn in which nothing comes',
      (translator) => {
        translator.beginTurn()
        translator.end()
      },
    ],
  ])('the official parser is freed once: %s', (_, finish) => {
    const heap = new Heap()
    const translator = create(heap)
    translator.push(CALL)
    finish(translator)
    expect(heap.state).toEqual(SOUND)
  })

  test('the official parser is not made if it was never needed', () => {
    const heap = new Heap()
    create(heap).end()
    expect(heap.made).toBe(0)
  })

  test('the official parser is freed once if a result comes for the call that is being written, and tokens after it', () => {
    const heap = new Heap()
    const translator = create(heap)
    translator.push(CALL)
    translator.toolResult({ itemId: 'mcp_0', output: 'found' })
    translator.push(encodeHarmony('<|start|>assistant'))
    translator.push(ANSWER)
    translator.end('stop')
    expect(translator.response.output).toMatchObject([
      { type: 'mcp_call', output: 'found' },
      { type: 'message', content: [{ text: 'Hi' }] },
    ])
    expect(heap.state).toEqual(SOUND)
  })

  test('the official parser is freed once if a pulled stream is left', async () => {
    const heap = new Heap()
    const source: TokenChunk[] = [CALL, ANSWER]
    const batches = translateBatches(source, { ...fixed, tokenTable, request, parser: officialParser(heap.create) })
    await batches.next()
    await batches.next()
    await batches.return(undefined as never)
    expect(heap.made).toBe(1)
    expect(heap.state).toEqual(SOUND)
  })

  test('the official parser is freed once if a pulled stream is aborted, and left before it says so', async () => {
    const heap = new Heap()
    const abort = new AbortController()
    const options = {
      ...fixed,
      tokenTable,
      request,
      signal: abort.signal,
      parser: officialParser(heap.create),
    }
    const batches = translateBatches([CALL, ANSWER], options)
    await batches.next()
    await batches.next()
    abort.abort()
    await batches.return(undefined as never)
    expect(heap.state).toEqual(SOUND)
  })

  test('the official parser is freed once if it breaks down in a pulled stream, which fails', async () => {
    const heap = new Heap(5)
    const options = { ...fixed, tokenTable, request, parser: officialParser(heap.create) }
    const events = []
    for await (const batch of translateBatches([CALL], options)) events.push(...batch)
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['error', 'response.failed'])
    expect(heap.state).toEqual(SOUND)
  })

  test('the official parser is freed once if making one throws', () => {
    const heap = new Heap()
    let made = 0
    const parser = officialParser(() => {
      made += 1
      if (made === 2) throw new Error('out of memory')
      return heap.create()
    })
    const translator = new Translator({ ...fixed, tokenTable, request, parser })
    translator.push(CALL)
    translator.beginTurn()
    expect(() => translator.push(ANSWER)).toThrow('out of memory')
    translator.fail({ message: 'out of memory' })
    expect(heap.state).toEqual(SOUND)
  })

  test('the official parser is freed once, whatever is done to a translator and whenever the parser breaks down', () => {
    type Step = (translator: Translator) => void
    const steps: Record<string, Step> = {
      'push a call': (translator) => translator.push(CALL),
      'push an answer': (translator) => translator.push(ANSWER),
      'push half an answer': (translator) => translator.push(ANSWER.slice(0, -1)),
      'push <|start|>assistant': (translator) => translator.push(encodeHarmony('<|start|>assistant')),
      'push <|call|>': (translator) => translator.push(encodeHarmony('<|call|>')),
      'push half a header': (translator) => translator.push(encodeHarmony('<|channel|>commentary to')),
      'push a result of the host': (translator) => translator.push({ host: RESULT }),
      'push an <|end|> of the host': (translator) => translator.push({ host: encodeHarmony('<|end|>') }),
      'push a result for the last call': (translator) => {
        const call = translator.response.output.findLast(({ type }) => type === 'mcp_call')
        if (call?.id !== undefined) translator.toolResult({ itemId: call.id, output: 'found' })
      },
      'begin a turn': (translator) => translator.beginTurn(),
      'begin a turn with a prefill': (translator) => translator.beginTurn({ prefill: CALL }),
    }
    const endings: Record<string, Step> = {
      end: (translator) => translator.end(),
      'end as stopped': (translator) => translator.end('stop'),
      fail: (translator) => translator.fail({ message: 'engine died' }),
      abort: (translator) => translator.abort(),
    }
    const anySteps = fc.array(fc.constantFrom(...Object.keys(steps)), { maxLength: 12 })
    const usesUntilTrap = fc.option(fc.integer({ min: 1, max: 60 }), { nil: Number.POSITIVE_INFINITY, freq: 2 })
    fc.assert(
      fc.property(anySteps, fc.constantFrom(...Object.keys(endings)), usesUntilTrap, (names, ending, uses) => {
        const heap = new Heap(uses)
        const translator = create(heap)
        try {
          for (const name of names) steps[name]?.(translator)
          endings[ending]?.(translator)
        } catch (error) {
          expect(error).toBeInstanceOf(WebAssembly.RuntimeError)
          // A host that continues gets the same error again, without further effects.
          expect(() => translator.push(ANSWER)).toThrow('unreachable')
        }
        translator.fail({ message: 'engine died' })
        expect(heap.state).toEqual(SOUND)
      }),
      { numRuns: RUNS },
    )
  })
})

test('a host that continues with a new turn after a breakdown gets a new parser', () => {
  const heap = new Heap(5)
  const translator = create(heap)
  expect(() => translator.push(CALL)).toThrow('unreachable')
  translator.beginTurn()
  translator.push(ANSWER)
  translator.end('stop')
  expect(translator.response.output).toMatchObject([{ type: 'message', content: [{ text: 'Hi' }] }])
  expect(heap.state).toEqual(SOUND)
})
