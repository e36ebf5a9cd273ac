import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OutputItem } from '../../src/core/responses/items.js'
import { loadOfficial } from '../support/official-parser.js'
import { RUNS } from '../support/runs.js'
import { encodeHarmony } from '../support/tokens.js'
import { run } from './streams.js'

const official = await loadOfficial()

/** The parts of a header that a model may lose. */
interface Lost {
  readonly start: boolean
  readonly role: boolean
  /** The marker, the word, or both. */
  readonly channel: 'none' | 'marker' | 'word' | 'both'
  readonly recipient: boolean
  readonly message: boolean
  /** Whether the parts that are left stand side by side, without a blank. */
  readonly isGlued: boolean
}

interface Said {
  readonly channel: 'analysis' | 'commentary' | 'final'
  readonly isCall: boolean
  readonly text: string
  readonly lost: Lost
}

const word = fc.stringMatching(/^[A-Z][a-z]{2,8}$/)
const prose = fc.array(word, { minLength: 4, maxLength: 12 }).map((words) => words.join(' '))
const lost = fc.record({
  start: fc.boolean(),
  role: fc.boolean(),
  channel: fc.constantFrom<Lost['channel']>('none', 'none', 'marker', 'word', 'both'),
  recipient: fc.boolean(),
  message: fc.constantFrom(false, false, true),
  isGlued: fc.boolean(),
})
const thought = fc.record({ channel: fc.constant('analysis' as const), isCall: fc.boolean(), text: prose, lost })
const last = fc.record({
  channel: fc.constantFrom('analysis' as const, 'commentary' as const, 'final' as const),
  isCall: fc.constant(false),
  text: prose,
  lost,
})

/** Header and text of a message, as far as the model wrote its header. */
function written({ channel, isCall, text, lost }: Said, isFirst: boolean): string {
  const begins = lost.channel === 'marker' || lost.channel === 'both' ? '' : '<|channel|>'
  const name = hasChannelWord(lost) ? channel : ''
  const between = lost.isGlued ? '' : ' '
  const to = isCall && !lost.recipient ? ' to=python' : ''
  const start = isFirst || lost.start ? '' : '<|start|>'
  const role = isFirst || lost.role ? '' : 'assistant'
  const glue = begins === '' && name !== '' ? between : ''
  // A word that is glued to the channel is lost with it.
  return `${start}${role}${glue}${begins}${name}${to}${lost.message ? between : '<|message|>'}So ${text}`
}

function hasChannelWord({ channel }: Lost): boolean {
  return channel === 'none' || channel === 'marker'
}

/** Whether the header says the channel where a reader can find it: not glued to the text, or behind a marker. */
function saysChannel({ channel, message, isGlued }: Lost): boolean {
  return hasChannelWord({ channel } as Lost) && !message && !(channel === 'marker' && isGlued)
}

const answersOf = (output: readonly OutputItem[]): string[] =>
  output.flatMap((item) =>
    item.type === 'message' && item.phase === 'final_answer' ? [item.content.map(({ text }) => text).join('')] : [],
  )

/** The first words of texts, so that no two are alike. */
const ORDINALS = ['First', 'Second', 'Third']

const turns = fc.record({ before: fc.array(thought, { minLength: 1, maxLength: 3 }), end: last })

test('text after which the turn goes on is in no answer, whatever its header lacks: role, channel, recipient', () => {
  fc.assert(
    fc.property(turns, fc.constantFrom('<|return|>', '<|end|>'), (turn, terminator) => {
      const before = turn.before.map((said, index) => ({ ...said, text: `${ORDINALS[index]} ${said.text}` }))
      const end = { ...turn.end, text: `Last ${turn.end.text}` }
      const all = [...before, end].map((said, index) => written(said, index === 0))
      const ids = encodeHarmony(`${all.join('<|end|>')}${terminator}`)
      const answers = answersOf(run([ids], {}, 'stop').response.output)
      // More of the turn follows each of these, so that they are no answers, whatever the headers say.
      for (const { text } of before) for (const answer of answers) expect(answer).not.toContain(text)
      if (end.channel === 'analysis' && saysChannel(end.lost)) {
        for (const answer of answers) expect(answer).not.toContain(end.text)
      }
      // Free text behind <|channel|> is read as reasoning.
      const isFree = end.lost.channel === 'word' && end.lost.message
      if (end.channel === 'final' && !isFree) expect(answers.join('\n')).toContain(end.text)
      const { messages, accepted } = official.parse(ids, 'assistant')
      if (!accepted) return
      for (const { channel, recipient, content } of messages) {
        if (channel === 'analysis' && recipient === undefined) expect(answers).not.toContain(content)
        if (channel === 'final' && recipient === undefined) expect(answers).toContain(content)
      }
    }),
    { numRuns: RUNS * 5 },
  )
})
