import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHarmonyParser } from '../../../src/core/harmony/event-parser.js'
import type { HarmonyEvent, HarmonyMessage, Origin, Repair, Terminator } from '../../../src/core/harmony/events.js'
import { parseMessages } from '../../../src/core/harmony/parse-messages.js'
import type { HarmonyParser, HarmonyParserOptions, ParserSnapshot } from '../../../src/core/harmony/parser.js'
import { MAX_UNDECIDED_TOKENS } from '../../../src/core/harmony/undecided-text.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { cutText, editedTranscript, headerSoup, malformedTranscript, tokenSoup } from '../../support/arbitraries.js'
import { RUNS } from '../../support/runs.js'
import { encodeHarmony, encodeText, m, showToken, tokenBytes } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()

const tools: HarmonyParserOptions = {
  tokenTable,
  toolNamed: (word) => (word === 'x' || word === 'functions.x' ? 'functions.x' : undefined),
}

/** The messages that a model wrote after `<|start|>assistant`. There must be nothing to repair. */
function messagesOf(text: string, options: HarmonyParserOptions = {}): HarmonyMessage[] {
  const { messages, repairs } = parseMessages(encodeHarmony(text), { tokenTable, ...options })
  expect(repairs).toEqual([])
  return messages
}

/** A parser and the events that it has given so far. */
class Session {
  readonly events: HarmonyEvent[] = []
  readonly parser: HarmonyParser

  constructor(options: HarmonyParserOptions = {}, snapshot?: ParserSnapshot) {
    this.parser = createHarmonyParser({ tokenTable, ...options }, (event) => this.events.push(event), snapshot)
  }

  /** Pushes text as ids, and gives the events that this gave. */
  push(text: string | readonly number[], origin: Origin = 'model'): HarmonyEvent[] {
    const from = this.events.length
    for (const id of typeof text === 'string' ? encodeHarmony(text) : text) this.parser.push(id, origin)
    return this.events.slice(from)
  }

  terminators(): Terminator[] {
    return this.events.flatMap((event) => (event.type === 'message_end' ? [event.terminator] : []))
  }

  repairs(): Repair[] {
    return this.events.flatMap((event) => (event.type === 'repair' ? [event.repair] : []))
  }
}

/** The events with texts that follow each other joined. */
function joined(events: readonly HarmonyEvent[]): HarmonyEvent[] {
  const out: HarmonyEvent[] = []
  for (const event of events) {
    const last = out.at(-1)
    if (event.type === 'message_text' && last?.type === 'message_text' && last.origin === event.origin) {
      out[out.length - 1] = { ...last, text: last.text + event.text }
    } else out.push(event)
  }
  return out
}

describe('the header', () => {
  test('the header of the first message begins after the <|start|>assistant of the prompt', () => {
    expect(messagesOf('<|channel|>final<|message|>Hi<|return|>')).toEqual([
      { role: 'assistant', channel: 'final', content: 'Hi' },
    ])
  })

  test('the header may say nothing at all', () => {
    expect(messagesOf('<|message|>Hi<|return|>')).toEqual([{ role: 'assistant', content: 'Hi' }])
  })

  test('the header of a later message begins with <|start|> and a role', () => {
    const [, second] = messagesOf(
      '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|>',
    )
    expect(second).toEqual({ role: 'assistant', channel: 'analysis', content: 'b' })
  })

  test('the header names a recipient in the role section', () => {
    expect(messagesOf(' to=functions.f<|channel|>commentary<|message|>{}<|call|>')).toEqual([
      { role: 'assistant', recipient: 'functions.f', channel: 'commentary', content: '{}' },
    ])
  })

  test('the header names a recipient in the channel section', () => {
    expect(messagesOf('<|channel|>commentary to=functions.f<|message|>{}<|call|>')).toEqual([
      { role: 'assistant', recipient: 'functions.f', channel: 'commentary', content: '{}' },
    ])
  })

  test('the header names a recipient without a channel', () => {
    expect(messagesOf(' to=functions.f<|message|>{}<|call|>')).toEqual([
      { role: 'assistant', recipient: 'functions.f', content: '{}' },
    ])
  })

  test.each(['functions.my-tool/v1:run', 'mcp.acme.v2.repo.search', 'a=b', 'to=x', 'é'])(
    'the header keeps the recipient %s as it is written',
    (recipient) => {
      expect(messagesOf(`<|channel|>commentary to=${recipient} json<|message|>{}<|call|>`)[0]?.recipient).toBe(
        recipient,
      )
    },
  )

  test.each([
    ['spaced', ' <|constrain|>json'],
    ['adjacent', '<|constrain|>json'],
  ])('the header has a constrained content type, %s', (_, type) => {
    expect(messagesOf(`<|channel|>commentary to=functions.f${type}<|message|>{}<|call|>`)).toEqual([
      {
        role: 'assistant',
        recipient: 'functions.f',
        channel: 'commentary',
        contentType: 'json',
        constrained: true,
        content: '{}',
      },
    ])
  })

  test.each(['json', 'code', 'text/plain', 'something-else'])(
    'the header has the content type %s without <|constrain|>',
    (type) => {
      expect(messagesOf(`<|channel|>commentary to=functions.f ${type}<|message|>{}<|call|>`)).toEqual([
        { role: 'assistant', recipient: 'functions.f', channel: 'commentary', contentType: type, content: '{}' },
      ])
    },
  )

  test('the header may be broken into lines', () => {
    expect(messagesOf('<|start|>assistant\n<|channel|>final\n<|message|>Hi<|return|>', { role: null })).toEqual([
      { role: 'assistant', channel: 'final', content: 'Hi' },
    ])
  })

  test.each(['system', 'developer', 'user'] as const)('the header names the role %s', (role) => {
    expect(messagesOf(`<|start|>${role}<|message|>Hi<|end|>`, { role: null })).toEqual([{ role, content: 'Hi' }])
  })

  test('the header of a tool names its author and its addressee', () => {
    const result = '<|start|>functions.f to=assistant<|channel|>commentary<|message|>3<|end|>'
    expect(messagesOf(result, { role: null })).toEqual([
      { role: 'tool', name: 'functions.f', recipient: 'assistant', channel: 'commentary', content: '3' },
    ])
  })

  test('the header of a tool without a name gives it the name tool', () => {
    expect(messagesOf('<|start|>tool to=assistant<|message|>3<|end|>', { role: null })).toEqual([
      { role: 'tool', name: 'tool', recipient: 'assistant', content: '3' },
    ])
  })

  test('the header is reported before the first text, and once', () => {
    const session = new Session()
    session.push('<|channel|>final')
    expect(session.events).toEqual([])
    expect(session.push('<|message|>')).toEqual([
      { type: 'message_start', header: { role: 'assistant', channel: 'final' }, origin: 'model' },
    ])
    expect(session.push('Hi')).toEqual([{ type: 'message_text', text: 'Hi', origin: 'model' }])
  })
})

describe('the content', () => {
  test('the content is reported token by token', () => {
    const session = new Session()
    session.push('<|channel|>final<|message|>')
    const texts = encodeText('Hello there').map((id) => session.push([id]))
    expect(texts).toEqual(['Hello', ' there'].map((text) => [{ type: 'message_text', text, origin: 'model' }]))
  })

  test('the content keeps a character that is spread over tokens together', () => {
    const session = new Session()
    session.push('<|channel|>final<|message|>')
    const texts = encodeText('💖').map((id) => session.push([id]))
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.flat()).toEqual([{ type: 'message_text', text: '💖', origin: 'model' }])
  })

  test('the content ends half a character in U+FFFD before the message ends', () => {
    const session = new Session()
    session.push([...encodeHarmony('<|channel|>final<|message|>'), ...encodeText('💖').slice(0, 1)])
    expect(session.push([m.end])).toEqual([
      { type: 'message_text', text: '\ufffd', origin: 'model' },
      { type: 'message_end', terminator: 'end', origin: 'model' },
    ])
  })

  test('the content does not let half a character into the next message', () => {
    const [half, ...rest] = encodeText('💖')
    const { messages } = parseMessages(
      [...encodeHarmony('<|message|>'), half ?? 0, m.end, ...encodeHarmony('<|start|>assistant<|message|>'), ...rest],
      { tokenTable },
    )
    expect(messages[0]?.content).toBe('\ufffd')
    expect(messages[1]?.content).not.toContain('💖')
  })

  test('the content may spell markers, which is text', () => {
    const text = 'a<|end|><|start|>assistant<|channel|>final<|message|>b'
    const tokens = [...encodeHarmony('<|channel|>final<|message|>'), ...encodeText(text), m.return]
    expect(parseMessages(tokens, { tokenTable })).toEqual({
      messages: [{ role: 'assistant', channel: 'final', content: text }],
      repairs: [],
    })
  })

  test('the content may look like a header', () => {
    expect(messagesOf('<|channel|>final<|message|>assistant to=functions.f json<|end|>')[0]?.content).toBe(
      'assistant to=functions.f json',
    )
  })

  test('the content may be empty, and blank', () => {
    expect(
      messagesOf('<|channel|>final<|message|><|end|><|start|>assistant<|message|> \n<|end|>').map(
        ({ content }) => content,
      ),
    ).toEqual(['', ' \n'])
  })
})

describe('the end of a message', () => {
  test.each([
    ['<|end|>', 'end'],
    ['<|call|>', 'call'],
    ['<|return|>', 'return'],
    ['<|endoftext|>', 'endoftext'],
    ['<|start|>', 'implicit'],
    ['<|channel|>', 'implicit'],
    ['', 'turn'],
  ] as const)('the end of a message says what ended it: %s', (marker, terminator) => {
    const session = new Session()
    session.push(`<|channel|>final<|message|>Hi${marker}`)
    session.parser.end()
    expect(session.terminators()).toEqual([terminator])
  })

  test('the end of a message says what ended it if the header had no <|message|>, too', () => {
    const session = new Session()
    session.push('I must refuse<|end|><|start|>assistant<|channel|>final {"a":1}<|return|>')
    expect(session.terminators()).toEqual(['end', 'return'])
  })

  test('a <|return|> is not the end of the stream, and what comes after it is reported once', () => {
    const session = new Session()
    session.push('<|channel|>final<|message|>a<|return|>')
    expect(session.repairs()).toEqual([])
    session.push('<|start|>assistant<|channel|>final<|message|>b<|end|><|start|>assistant<|message|>c<|end|>')
    expect(session.repairs().map(({ code }) => code)).toEqual(['tokens_after_return'])
    session.parser.end()
    expect(session.terminators()).toEqual(['return', 'end', 'end'])
  })

  test("the host's messages after <|return|> are not reported, nor is a fresh turn", () => {
    const session = new Session()
    session.push('<|channel|>final<|message|>a<|return|>')
    session.push('<|start|>user<|message|>More?<|end|><|start|>assistant', 'host')
    session.push('<|channel|>final<|message|>b<|return|>')
    session.parser.beginTurn()
    session.push('<|channel|>final<|message|>c<|return|>')
    expect(session.repairs()).toEqual([])
  })
})

describe('the host', () => {
  test('the host writes results, and the next <|start|>assistant', () => {
    const session = new Session()
    session.push('<|channel|>commentary to=python<|message|>1<|call|>')
    session.push('<|start|>python to=assistant<|channel|>commentary<|message|>1<|end|><|start|>assistant', 'host')
    session.push('<|channel|>final<|message|>One.<|return|>')
    expect(
      joined(session.events).map((event) => ('origin' in event ? `${event.origin} ${event.type}` : event)),
    ).toEqual([
      'model message_start',
      'model message_text',
      'model message_end',
      'host message_start',
      'host message_text',
      'host message_end',
      'model message_start',
      'model message_text',
      'model message_end',
    ])
    expect(session.repairs()).toEqual([])
  })

  test('the host may prefill a message, which starts at the first token of the model', () => {
    const session = new Session()
    expect(session.push('<|channel|>final<|message|>The', 'host')).toEqual([])
    expect(session.push(' answer')).toEqual([
      { type: 'message_start', header: { role: 'assistant', channel: 'final' }, origin: 'model' },
      { type: 'message_text', text: ' answer', origin: 'model' },
    ])
    expect(session.push('<|return|>')).toEqual([{ type: 'message_end', terminator: 'return', origin: 'model' }])
  })

  test('the host may prefill a whole message, which the model only ends', () => {
    const session = new Session()
    session.push('<|channel|>final<|message|>The answer', 'host')
    expect(session.push('<|return|>')).toEqual([
      { type: 'message_start', header: { role: 'assistant', channel: 'final' }, origin: 'model' },
      { type: 'message_end', terminator: 'return', origin: 'model' },
    ])
  })

  test('the host may prefill a part of the header', () => {
    const session = new Session()
    session.push('<|channel|>', 'host')
    session.push('analysis<|message|>So', 'model')
    expect(session.events[0]).toEqual({
      type: 'message_start',
      header: { role: 'assistant', channel: 'analysis' },
      origin: 'model',
    })
    expect(session.repairs()).toEqual([])
  })

  test('the host may prefill text that the model does not continue, and nothing is reported', () => {
    for (const prefill of ['<|channel|>final<|message|>The', '<|channel|>final', '<|start|>assistant', '']) {
      const session = new Session()
      session.push(prefill, 'host')
      session.parser.end()
      expect(session.events).toEqual([])
    }
  })

  test('the host ends a message of the model with <|start|>, for engines that swallow stop tokens', () => {
    const session = new Session()
    session.push('<|channel|>commentary to=python<|message|>1')
    expect(session.push('<|start|>', 'host')).toEqual([{ type: 'message_end', terminator: 'implicit', origin: 'host' }])
    expect(session.repairs()).toEqual([])
  })

  test('the host ends a message of the model with a stop token', () => {
    const session = new Session()
    session.push('<|channel|>commentary to=python<|message|>1')
    expect(session.push('<|call|>', 'host')).toEqual([{ type: 'message_end', terminator: 'call', origin: 'host' }])
    expect(session.repairs()).toEqual([])
  })

  test('the host says long things in headers that are no prose', () => {
    const session = new Session()
    session.push(`<|start|>functions.${'f'.repeat(200)} to=assistant<|channel|>commentary<|message|>1<|end|>`, 'host')
    expect(session.repairs()).toEqual([])
    expect(session.events[0]).toMatchObject({ header: { role: 'tool', name: `functions.${'f'.repeat(200)}` } })
  })

  test('the host does not complete a character that the model began', () => {
    const session = new Session()
    const [half = 0, ...rest] = encodeText('💖')
    session.push([...encodeHarmony('<|channel|>final<|message|>'), half])
    session.push(rest, 'host')
    session.push([m.end])
    expect(joined(session.events)).toContainEqual({ type: 'message_text', text: '\ufffd', origin: 'model' })
  })

  describe('has written a message that it does not end, and the model samples', () => {
    const RESULT = '<|start|>python to=assistant<|channel|>analysis<|message|>56088'
    const ANSWER = '<|channel|>final<|message|>It is 56088.<|return|>'

    function parseAfter(host: string, sampled: string): { messages: string[]; repairs: string[]; origins: string[] } {
      const session = new Session()
      session.push(host, 'host')
      session.push(sampled)
      session.parser.end()
      const messages: string[] = []
      for (const event of session.events) {
        if (event.type === 'message_start') messages.push(`${event.header.role} ${event.header.channel ?? '-'}: `)
        else if (event.type === 'message_text') messages[messages.length - 1] += event.text
      }
      const origins = session.events.flatMap((event) => (event.type === 'message_text' ? [event.origin] : []))
      return { messages, repairs: session.repairs().map(({ code }) => code), origins: [...new Set(origins)] }
    }

    test.each([
      ['a header', ANSWER],
      ['a complete message', `<|start|>assistant${ANSWER}`],
      ['the stop token first', `<|end|><|start|>assistant${ANSWER}`],
    ])('tokens sampled after an open message of the host are the message of a fresh turn: %s', (_, sampled) => {
      expect(parseAfter(RESULT, sampled)).toEqual({
        messages: ['tool analysis: 56088', 'assistant final: It is 56088.'],
        repairs: ['missing_end'],
        origins: ['host', 'model'],
      })
    })

    test('text alone, after a message that the host does not end, is an answer without a header', () => {
      expect(parseAfter(RESULT, 'It is fifty-six thousand and eighty-eight.')).toEqual({
        messages: ['tool analysis: 56088', 'assistant -: It is fifty-six thousand and eighty-eight.'],
        repairs: ['missing_end', 'missing_message'],
        origins: ['host', 'model'],
      })
    })

    test('tokens sampled after an open message of a user are the message of a fresh turn', () => {
      expect(parseAfter('<|start|>user<|message|>Sum it up', ANSWER).messages).toEqual([
        'user -: Sum it up',
        'assistant final: It is 56088.',
      ])
    })

    test.each(['<|start|>python', '<|start|>python to=assistant<|channel|>analysis', '<|start|>user<|channel|>'])(
      'tokens sampled after an open header of the host are the message of a fresh turn: %s',
      (header) => {
        for (const sampled of [ANSWER, `<|start|>assistant${ANSWER}`]) {
          expect(parseAfter(header, sampled)).toEqual({
            messages: ['assistant final: It is 56088.'],
            repairs: ['dropped_header'],
            origins: ['model'],
          })
        }
      },
    )

    test.each([
      '<|start|>',
      '<|start|>assistant',
      '<|start|>assistant<|channel|>',
      '<|start|>assistant<|channel|>final',
      '<|start|>assistant<|channel|>final<|message|>',
      '<|start|>assistant<|channel|>final<|message|>It is ',
    ])('the model continues a message of the assistant that the host began: %s', (begun) => {
      const whole = `<|start|>assistant${ANSWER}`
      const sampled = whole.slice(begun.length)
      const { messages, repairs } = parseAfter(begun, sampled)
      expect(messages).toEqual([`assistant final: ${sampled.replace(/^.*<\|message\|>|<\|return\|>/g, '')}`])
      expect(repairs).toEqual([])
    })

    test("the first character of sampled text ends the host's open message, also if it may begin a marker", () => {
      const session = new Session()
      session.parser.pushText(RESULT, 'host')
      session.parser.pushText('', 'model')
      expect(session.terminators()).toEqual([])
      session.parser.pushText('<|cha', 'model')
      expect(session.terminators()).toEqual(['implicit'])
      session.parser.pushText('nnel|>final<|message|>Hi', 'model')
      expect(session.events.at(-1)).toEqual({ type: 'message_text', text: 'Hi', origin: 'model' })
      expect(session.repairs().map(({ code }) => code)).toEqual(['missing_end'])
    })

    test("nothing that the model samples is in the host's open message, whatever it is", () => {
      fc.assert(
        fc.property(tokenSoup(), fc.boolean(), (sampled, isText) => {
          const session = new Session(tools)
          session.push(RESULT, 'host')
          if (isText) session.parser.pushText(`x${sampled.join(' ')}`, 'model')
          else session.push([m.channel, ...sampled])
          session.parser.end()
          const end = session.events.findIndex(({ type }) => type === 'message_end')
          expect(joined(session.events.slice(0, end + 1))).toEqual([
            expect.objectContaining({ type: 'message_start', origin: 'host' }),
            { type: 'message_text', text: '56088', origin: 'host' },
            { type: 'repair', repair: { code: 'missing_end' } },
            { type: 'message_end', terminator: 'implicit', origin: 'host' },
          ])
        }),
        { numRuns: RUNS },
      )
    })
  })

  test("the host writes text into the model's open message, which is in no event, and the model continues after it", () => {
    const session = new Session()
    session.push('<|channel|>analysis<|message|>So it is 4.')
    expect(session.push(' Wait, let me check.', 'host')).toEqual([])
    session.push(' It is 5.<|end|>')
    expect(joined(session.events).slice(1)).toEqual([
      { type: 'message_text', text: 'So it is 4. It is 5.', origin: 'model' },
      { type: 'message_end', terminator: 'end', origin: 'model' },
    ])
    expect(session.repairs()).toEqual([])
  })

  test("the host writes a part of the model's header, and both are one header", () => {
    const session = new Session()
    session.push('<|channel|>commentary')
    session.push(' to=functions.f', 'host')
    session.push(' json<|message|>{}<|call|>')
    expect(session.events[0]).toMatchObject({
      header: { role: 'assistant', channel: 'commentary', recipient: 'functions.f', contentType: 'json' },
      origin: 'model',
    })
    expect(session.repairs()).toEqual([])
  })

  test("the host writes a result in the middle of the model's header, which is dropped", () => {
    const session = new Session()
    session.push('<|channel|>commentary to')
    session.push('<|start|>python to=assistant<|message|>1<|end|><|start|>assistant', 'host')
    session.push('<|channel|>final<|message|>Hi<|return|>')
    expect(session.repairs()).toEqual([{ code: 'dropped_header', text: 'commentary to' }])
    expect(session.terminators()).toEqual(['end', 'return'])
  })

  test('the host is not quoted if a header of its own is dropped', () => {
    const session = new Session()
    session.push('<|channel|>commentary to=functions.secret', 'host')
    session.push('<|end|>')
    for (const { text = '' } of session.repairs()) expect(text).not.toContain('secret')
  })
})

describe('a turn', () => {
  test('a turn begins after <|start|>assistant each time', () => {
    const session = new Session()
    session.push('<|channel|>commentary to=f<|message|>{}<|call|>')
    session.parser.beginTurn()
    session.push('<|channel|>final<|message|>Hi<|return|>')
    session.parser.end()
    expect(session.repairs()).toEqual([])
    expect(session.terminators()).toEqual(['call', 'return'])
  })

  test('a turn ends the message that is open', () => {
    const session = new Session()
    session.push('<|channel|>final<|message|>Hi')
    const before = session.events.length
    session.parser.beginTurn()
    expect(session.events.slice(before)).toEqual([{ type: 'message_end', terminator: 'turn', origin: 'model' }])
  })

  test('a turn drops the header that is open, and reports it', () => {
    const session = new Session()
    session.push('<|channel|>fin')
    session.parser.beginTurn()
    session.push('<|channel|>final<|message|>Hi<|return|>')
    expect(session.repairs().map(({ code }) => code)).toEqual(['truncated_header'])
  })

  test('a turn needs a <|start|> if nothing is implied', () => {
    expect(parseMessages(encodeHarmony('<|channel|>final<|message|>Hi<|end|>'), { tokenTable, role: null })).toEqual({
      messages: [{ role: 'assistant', channel: 'final', content: 'Hi' }],
      repairs: [expect.objectContaining({ code: 'missing_start' })],
    })
  })

  test('a turn is empty if nothing is implied and nothing is said', () => {
    expect(parseMessages([], { role: null })).toEqual({ messages: [], repairs: [] })
  })
})

describe('end() says where the model stood', () => {
  test.each([
    ['', 'between'],
    ['<|channel|>', 'header'],
    ['<|channel|>final', 'header'],
    ['<|channel|>final<|message|>', 'content'],
    ['<|channel|>final<|message|>Hi', 'content'],
    ['<|channel|>final<|message|>Hi<|return|>', 'between'],
    ['<|channel|>final<|message|>Hi<|return|><|start|>', 'header'],
    ['<|channel|>final<|message|>Hi<|return|><|start|>assistant', 'header'],
    ['<|channel|>final<|message|>Hi<|start|>', 'header'],
    ['I am sorry, but that is something I cannot do.', 'content'],
  ] as const)('end() says where the model stood: %s: %s', (text, position) => {
    const session = new Session()
    session.push(text)
    expect(session.parser.end()).toBe(position)
    expect(session.parser.position).toBe('between')
    expect(session.parser.end()).toBe('between')
  })

  test('end() says that the model stood between messages if only the host has begun the next one', () => {
    const session = new Session()
    session.push('<|channel|>commentary to=python<|message|>1<|call|>')
    session.push('<|start|>python to=assistant<|message|>1<|end|><|start|>assistant', 'host')
    expect(session.parser.end()).toBe('between')
    expect(session.repairs()).toEqual([])
  })

  test('end() says that the model stood in the text if some of it was held back for a marker', () => {
    const session = new Session()
    session.parser.pushText('<|channel|>final<|message|>a<|en', 'model')
    expect(session.parser.end()).toBe('content')
    expect(joined(session.events)).toContainEqual({ type: 'message_text', text: 'a<|en', origin: 'model' })
  })
})

describe('text without a header', () => {
  test('text without a header is reported once it is certain what it is', () => {
    const sentence = encodeText('I am sorry, but that is something which I can not and will not do for you.')
    const starts = (events: HarmonyEvent[]): unknown[] =>
      events.flatMap((event) => (event.type === 'message_start' ? [event.header.channel ?? 'none'] : []))
    const answer = new Session()
    expect(starts(answer.push(sentence))).toEqual([])
    expect(starts(answer.push([m.return]))).toEqual(['none'])
    const thought = new Session()
    expect(starts(thought.push([...sentence, m.end]))).toEqual([])
    expect(starts(thought.push('<|start|>assistant<|channel|>final'))).toEqual([])
    expect(starts(thought.push('<|message|>'))).toEqual(['analysis', 'final'])
  })

  test.each([
    ['ended by <|return|>', 'none', (session: Session) => session.push([m.return])],
    ['ended by <|endoftext|>', 'none', (session: Session) => session.push([m.endoftext])],
    ['whose end the engine swallowed', 'none', (session: Session) => session.parser.end()],
    ["before the host's next turn", 'none', (session: Session) => session.parser.beginTurn()],
    ["before a message of the host's", 'none', (session: Session) => session.push('<|start|>user', 'host')],
    ['that was cut off', 'analysis', (session: Session) => session.parser.end(true)],
    ['of a response that failed', 'analysis', (session: Session) => session.parser.settle?.()],
  ] as const)('text without a header %s has the channel %s', (_, channel, end) => {
    const session = new Session()
    session.push(encodeText('I am sorry, but that is something which I can not do.'))
    end(session)
    const header = { role: 'assistant', ...(channel !== 'none' && { channel }) }
    expect(session.events).toContainEqual({ type: 'message_start', header, origin: 'model' })
  })

  test('text without a header is reasoning from its first word if only a message with a channel can be the answer', () => {
    const session = new Session({ needsChannel: true })
    session.push(encodeText('I am sorry, but that is something which I can not do.'))
    const header = { role: 'assistant', channel: 'analysis' }
    expect(session.events).toContainEqual({ type: 'message_start', header, origin: 'model' })
  })

  test('text without a header after a channel is reported with its second word', () => {
    const session = new Session()
    expect(session.push('<|channel|>final The answer')).toEqual([])
    expect(session.push(' is').map(({ type }) => type)).toEqual(['repair', 'message_start', 'message_text'])
    expect(session.push(' fine')).toEqual([{ type: 'message_text', text: ' fine', origin: 'model' }])
  })

  test('text without a header is known from its first character if it is JSON', () => {
    const session = new Session()
    expect(session.push('{"').map(({ type }) => type)).toEqual(['repair'])
    expect(session.push('}<|return|>').map(({ type }) => type)).toEqual([
      ...['message_start', 'message_text', 'message_end'],
    ])
  })

  describe('of many tokens', () => {
    const [A = 0] = encodeText(' a')
    const many = (count: number): number[] => Array.from({ length: count }, () => A)
    const MAX = MAX_UNDECIDED_TOKENS
    const shown = (events: HarmonyEvent[]): unknown[] =>
      joined(events).flatMap((event): unknown[] => {
        if (event.type === 'message_start') return [event.header.channel ?? 'none']
        return event.type === 'message_text' ? [event.text.length] : event.type === 'repair' ? [event.repair] : []
      })
    const unheaded = { code: 'missing_message' }

    test('text without a header is held up to its limit', () => {
      const session = new Session()
      session.push(many(MAX))
      expect(shown(session.events)).toEqual([unheaded])
      session.push([m.return])
      expect(shown(session.events)).toEqual([unheaded, 'none', 2 * MAX])
    })

    test('text without a header beyond its limit is reasoning, and once more the answer if the turn ends with it', () => {
      const session = new Session()
      session.push(many(MAX + 1))
      const thought = [unheaded, { code: 'undecided_text' }, 'analysis']
      expect(shown(session.events)).toEqual([...thought, 2 * MAX + 2])
      session.push([...many(1), m.return])
      const again = { code: 'repeated_answer', subject: String(2 * MAX + 4) }
      expect(shown(session.events)).toEqual([...thought, 2 * MAX + 4, again, 'none', 2 * MAX + 4])
    })

    test('text without a header beyond its limit is reasoning alone if the turn goes on', () => {
      const session = new Session()
      session.push([...many(MAX + 1), m.end])
      session.push('<|start|>assistant<|channel|>final<|message|>x<|return|>')
      expect(shown(session.events)).toEqual([
        ...[unheaded, { code: 'undecided_text' }, 'analysis', 2 * MAX + 2, 'final', 1],
      ])
    })

    test('text without a header that is given as text counts four characters as a token', () => {
      const session = new Session()
      session.parser.pushText('a '.repeat(2 * MAX), 'model')
      expect(shown(session.events)).toEqual([unheaded])
      session.parser.pushText('abcd', 'model')
      expect(shown(session.events)).toContain('analysis')
    })
  })
})

describe('a snapshot', () => {
  const snapshotOf = (parser: HarmonyParser): ParserSnapshot => JSON.parse(JSON.stringify(parser.snapshot()))

  /** Runs a stream with a fresh parser, from a snapshot that was JSON, before every step. */
  function inSteps(steps: readonly ((parser: HarmonyParser) => void)[]): HarmonyEvent[] {
    const events: HarmonyEvent[] = []
    const sink = (event: HarmonyEvent): void => void events.push(event)
    let parser = createHarmonyParser(tools, sink)
    for (const step of steps) {
      step(parser)
      parser = createHarmonyParser(tools, sink, snapshotOf(parser))
    }
    parser.end()
    return events
  }

  function atOnce(steps: readonly ((parser: HarmonyParser) => void)[]): HarmonyEvent[] {
    const events: HarmonyEvent[] = []
    const parser = createHarmonyParser(tools, (event) => events.push(event))
    for (const step of steps) step(parser)
    parser.end()
    return events
  }

  const anyTokens = (): fc.Arbitrary<readonly number[]> =>
    fc.oneof(
      editedTranscript(),
      headerSoup(),
      tokenSoup(),
      malformedTranscript().map(({ tokens }) => tokens),
    )

  test('a snapshot continues at every token as if nothing had happened', () => {
    fc.assert(
      fc.property(anyTokens(), fc.array(fc.nat({ max: 4 }), { minLength: 1 }), (tokens, whose) => {
        // Mostly the model, here and there the host, and now and then a fresh turn.
        const steps = tokens.map((id, index) => (parser: HarmonyParser) => {
          const who = whose[index % whose.length]
          if (who === 4 && index % 5 === 0) parser.beginTurn()
          parser.push(id, who === 3 ? 'host' : 'model')
        })
        expect(inSteps(steps)).toEqual(atOnce(steps))
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })

  test('a snapshot continues inside a marker that is being spelled', () => {
    const steps = [...'<|channel|>final<|message|>a <|b|> 💖<|return|>'].map(
      (char) => (parser: HarmonyParser) => parser.pushText(char, 'model'),
    )
    expect(inSteps(steps)).toEqual(atOnce(steps))
  })

  test('a snapshot continues inside a character, and in a prefilled message', () => {
    const steps = [
      ...encodeHarmony('<|channel|>final<|message|>The').map(
        (id) => (parser: HarmonyParser) => parser.push(id, 'host'),
      ),
      ...encodeText('💖💖').map((id) => (parser: HarmonyParser) => parser.push(id, 'model')),
    ]
    expect(inSteps(steps)).toEqual(atOnce(steps))
  })

  test('a snapshot is not changed by what the parser does next', () => {
    const session = new Session()
    session.push('<|channel|>commentary to=functions.f')
    const snapshot = session.parser.snapshot()
    const before = JSON.stringify(snapshot)
    session.push(' json<|message|>{}<|call|>')
    expect(JSON.stringify(snapshot)).toBe(before)
    const second = new Session({}, snapshot)
    second.push(' code<|message|>')
    expect(JSON.stringify(snapshot)).toBe(before)
    expect(second.events[0]).toMatchObject({ header: { contentType: 'code' } })
  })
})

describe('text input', () => {
  /** A stream of ids as an engine without ids writes it. */
  const asText = (tokens: readonly number[]): string =>
    Buffer.concat(tokens.map((id) => Buffer.from(tokenBytes(id) ?? showToken(id)))).toString('utf8')

  test('text input needs no token table', () => {
    expect(parseMessages('<|channel|>final<|message|>Hi<|return|>')).toEqual({
      messages: [{ role: 'assistant', channel: 'final', content: 'Hi' }],
      repairs: [],
    })
  })

  test('text input takes what spells no special token for text', () => {
    expect(parseMessages('<|channel|>final<|message|>a <|b|> <|END|> <|return|>').messages[0]?.content).toBe(
      'a <|b|> <|END|> ',
    )
  })

  test('text input may change to ids and back', () => {
    const session = new Session()
    session.parser.pushText('<|channel|>final<|mess', 'model')
    session.parser.pushText('age|>a<|', 'model')
    session.push('b')
    session.parser.pushText('c<|end|>', 'model')
    expect(joined(session.events)).toEqual([
      { type: 'message_start', header: { role: 'assistant', channel: 'final' }, origin: 'model' },
      { type: 'message_text', text: 'a<|bc', origin: 'model' },
      { type: 'message_end', terminator: 'end', origin: 'model' },
    ])
  })

  test('text input gives what ids give, in headers of any words, at once and one character at a time', () => {
    fc.assert(
      fc.property(headerSoup(), fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (tokens, sizes) => {
        const text = asText(tokens)
        const byIds = run((parser) => tokens.forEach((id) => void parser.push(id, 'model')))
        expect(run((parser) => parser.pushText(text, 'model'))).toEqual(byIds)
        expect(run((parser) => text.split('').forEach((char) => void parser.pushText(char, 'model')))).toEqual(byIds)
        const pieces = cutText([text], sizes) as string[]
        expect(run((parser) => pieces.forEach((piece) => void parser.pushText(piece, 'model')))).toEqual(byIds)
      }),
      { numRuns: RUNS },
    )
  })

  const HEADS = [
    '<|channel|>final The answer is 42. ',
    '<|start|>robot ',
    '<|channel|>commentary to=functions.x ',
    '<|channel|>commentary to=functions.x {"a": ',
    'I am sorry. ',
    '',
  ]

  test.each(HEADS)('text input is read alike in one piece and in many if it is long: %s', (head) => {
    // Longer than a header, and within MAX_UNDECIDED_TOKENS, for which text counts otherwise than ids.
    const fillings = [
      ['x', 3000],
      ['y ', 1000],
      ['\n', 3000],
      ['{', 2000],
    ] as const
    for (const [filling, count] of fillings) expectAlike(head + filling.repeat(count))
  })

  test.each(HEADS)('text input is read alike in one piece and in many if there is a "<": %s', (head) => {
    expectAlike(`${head}a < b`)
  })

  function expectAlike(text: string): void {
    const whole = run((parser) => parser.pushText(text, 'model'))
    expect(run((parser) => text.split('').forEach((char) => void parser.pushText(char, 'model')))).toEqual(whole)
    expect(run((parser) => encodeHarmony(text).forEach((id) => void parser.push(id, 'model')))).toEqual(whole)
  }

  function run(feed: (parser: HarmonyParser) => void): HarmonyEvent[] {
    const session = new Session(tools)
    feed(session.parser)
    session.parser.end()
    return joined(session.events)
  }
})

describe('a stream without end', () => {
  const MANY = 4000

  test.each([
    ['of characters in the channel', '<|channel|>', '!', 'model'],
    ['of characters in the role', '<|start|>', '!', 'model'],
    ['of characters in the content type', '<|channel|>final<|constrain|>', 'x', 'model'],
    ['of recipients', '', ' to=functions.x', 'model'],
    ['of words of the host', '<|start|>', ' word', 'host'],
    ['of white space', '<|channel|>', '\n', 'model'],
    ['of channels', '', '<|channel|>', 'model'],
    ['of constrains', '', '<|constrain|>', 'model'],
    ['of channels and constrains', '', '<|channel|><|constrain|>', 'model'],
    ['of channels with a name', '', '<|channel|>final', 'model'],
    ['of starts', '', '<|start|>', 'model'],
    ['of roles', '', '<|start|>assistant', 'model'],
    ['of stop tokens', '', '<|end|>', 'model'],
    ['of reserved tokens', '', '<|reserved_200013|>', 'model'],
    ['of text', '', ' word', 'model'],
    ['of text in a message', '<|channel|>final<|message|>', ' word', 'model'],
    ['of JSON in a call', '<|channel|>commentary to=functions.x<|message|>', '{"a":', 'model'],
  ] as const)('a stream without end %s keeps a small state', (_, head, again, origin) => {
    const session = new Session(tools)
    session.push(head, origin)
    const tokens = encodeHarmony(again)
    let longest = 0
    for (let count = 0; count < MANY; count++) {
      session.push(tokens, origin)
      if (count % 100 === 99) longest = Math.max(longest, JSON.stringify(session.parser.snapshot()).length)
    }
    expect(longest).toBeLessThan(50_000)
  })

  test('the words of a stream without end are looked up once', () => {
    const lookups = (count: number): number => {
      let calls = 0
      const session = new Session({
        toolNamed: () => {
          calls += 1
          return undefined
        },
      })
      session.push(`<|channel|>commentary to=functions.x${' word'.repeat(count)}`)
      return calls
    }
    expect(lookups(2000)).toBe(lookups(1000))
    expect(lookups(1000)).toBeLessThan(1000)
  })

  test.each([
    ['one word', '<|channel|>', 'a', 1_000_000],
    ['one recipient', '<|channel|>commentary to=', 'a', 1_000_000],
    ['white space', '<|channel|>commentary to=functions.x', ' ', 1_000_000],
    ['one content type', '<|channel|>final<|constrain|>', 'a', 1_000_000],
    ['text that nearly spells a marker', '', '<|a', 300_000],
    ['starts', '', '<|start|>', 100_000],
    ['channels', '', '<|channel|>final', 25_000],
    ['headers', '', '<|channel|>commentary to=functions.x<|end|>', 10_000],
    ['headers as long as they may be', '', `<|channel|>to=x${' a'.repeat(500)}<|end|>`, 300],
    ['messages', '', '<|message|>a<|end|>', 30_000],
  ])('a stream without end in one push throws nothing: %s', (_, head, again, count) => {
    for (const origin of ['model', 'host'] as const) {
      const { parser } = new Session(tools)
      parser.pushText(head + again.repeat(count), origin)
      parser.end()
      expect(parser.position).toBe('between')
    }
  })

  test('a stream without end gives at most one text for each token', () => {
    const session = new Session()
    session.push('<|channel|>final<|message|>')
    const before = session.events.length
    session.push(' word'.repeat(MANY))
    expect(session.events.length - before).toBe(MANY)
  })

  test('a stream without end of one header becomes text, all of it', () => {
    const { messages, repairs } = parseMessages(encodeHarmony(`<|channel|>${'!'.repeat(MANY)}`), { tokenTable })
    expect(messages).toEqual([{ role: 'assistant', channel: 'analysis', content: '!'.repeat(MANY) }])
    expect(repairs.map(({ code }) => code)).toEqual(['header_too_long'])
  })

  test('the longest header that is real is well within the bound of a header', () => {
    const recipient = `mcp.${'a'.repeat(64)}.${'b'.repeat(64)}`
    expect(messagesOf(`<|channel|>commentary to=${recipient} <|constrain|>json<|message|>{}<|call|>`)[0]).toMatchObject(
      {
        recipient,
      },
    )
  })
})

describe('mistakes of the caller', () => {
  test('ids without a token table are an error of the caller', () => {
    const parser = createHarmonyParser({}, () => {})
    expect(() => parser.push(encodeText('Hi')[0] ?? 0, 'model')).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'token_table_missing' }),
    )
    expect(() => parseMessages(encodeText('Hi'))).toThrow(HarmonyResponsesError)
  })

  test('ids of markers alone need no token table', () => {
    expect(parseMessages([m.message, m.end])).toEqual({ messages: [{ role: 'assistant', content: '' }], repairs: [] })
  })
})

test('an unknown content type is constrained after its marker, even if <|message|> is missing', () => {
  const header = '<|channel|>commentary to=functions.x <|constrain|>yaml'
  for (const text of [`${header}<|message|>{"a":1}<|call|>`, `${header} {"a":1}<|call|>`]) {
    const { messages } = parseMessages(encodeHarmony(text), tools)
    expect(messages).toMatchObject([{ contentType: 'yaml', constrained: true, content: expect.stringContaining('{') }])
  }
})
