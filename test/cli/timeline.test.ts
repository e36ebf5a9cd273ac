import { describe, expect, test } from 'vitest'
import { printReplay, type TranslationOptions } from '../../src/cli/replay.js'
import { widthOf } from '../../src/cli/terminal-text.js'
import { parseTokenFixture, type TokenFixture } from '../../src/engines/sources/replay.js'
import { encodeHarmony } from '../support/tokens.js'

const fixture = (tokens: TokenFixture['tokens'], more: Partial<TokenFixture> = {}): TokenFixture =>
  parseTokenFixture({ version: 1, name: 'test', tokens, ...more })

const HELLO = fixture([[...encodeHarmony('<|channel|>final<|message|>Hi you<|return|>')]], { origin: 'made here' })

const CALL = fixture(
  [
    ...encodeHarmony('<|channel|>analysis to=python code<|message|>6*7<|call|>'),
    { host: encodeHarmony('<|start|>python to=assistant<|channel|>analysis<|message|>42<|end|><|start|>assistant') },
    ...encodeHarmony('<|channel|>final<|message|>It is 42.<|return|>'),
  ],
  { request: { tools: [{ type: 'code_interpreter' }], include: ['code_interpreter_call.outputs'] } },
)

async function timeline(of: TokenFixture, columns = 120, options: TranslationOptions = {}, hasColors = false) {
  const pieces: string[] = []
  for await (const piece of printReplay(of, 'timeline', options, { columns, hasColors })) pieces.push(piece)
  return pieces.join('')
}

/** Removes the ends of ids, which do not matter for the timeline. */
const withoutIds = (text: string): string => text.replace(/_….{4}/g, '_…')

/** The rows of the tokens, by their index. */
const rowsOf = (text: string): string[] => text.split('\n').filter((line) => /^ {2,3}\d+ {2}(?:model|host)/.test(line))

describe('a timeline', () => {
  test('a timeline shows tokens, Harmony and events side by side', async () => {
    expect(`\n${withoutIds(await timeline(HELLO))}`).toBe(`
test: made here
state: the parser's, before the token · #0: an output item · ← 3-5: the tokens of a delta · !: a diagnostic

   #  who       id  token           state    Harmony                           events
      start                                                                    created resp_…
                                                                               in_progress resp_…
   0  model 200005  <|channel|>     header
   1  model  17196  'final'         header
   2  model 200008  <|message|>     header   message_start assistant final     #0 output_item.added message final_answer
                                                                                 msg_…
                                                                               #0 content_part.added output_text
   3  model  12194  'Hi'            content  message_text                      #0 output_text.delta 'Hi'
   4  model    481  ' you'          content  message_text                      #0 output_text.delta ' you'
   5  model 200002  <|return|>      content  message_end return                #0 output_text.done 'Hi you'
                                                                               #0 content_part.done output_text
                                                                               #0 output_item.done message final_answer
                                                                                 completed

      end                                                                      completed resp_…

#0 message final_answer completed 'Hi you'
0 input tokens, 6 output tokens, 0 of them reasoning
10 events, 0 diagnostics
response completed resp_…
`)
  })

  test('a timeline shows tokens and events side by side on 80 columns', async () => {
    expect(`\n${withoutIds(await timeline(HELLO, 80))}`).toBe(`
test: made here
#0: an output item · ← 3-5: the tokens of a delta · !: a diagnostic

   #  who    token           events
      start                  created resp_…
                             in_progress resp_…
   0  model  <|channel|>
   1  model  'final'
   2  model  <|message|>     message_start assistant final
                             #0 output_item.added message final_answer msg_…
                             #0 content_part.added output_text
   3  model  'Hi'            #0 output_text.delta 'Hi'
   4  model  ' you'          #0 output_text.delta ' you'
   5  model  <|return|>      #0 output_text.done 'Hi you'
                             #0 content_part.done output_text
                             #0 output_item.done message final_answer completed

      end                    completed resp_…

#0 message final_answer completed 'Hi you'
0 input tokens, 6 output tokens, 0 of them reasoning
10 events, 0 diagnostics
response completed resp_…
`)
  })

  test('a timeline shows the parser’s events from 90 columns on', async () => {
    const lines = withoutIds(await timeline(HELLO, 100)).split('\n')
    const row = lines.findIndex((line) => line.includes('<|message|>'))
    expect(lines.slice(row, row + 4)).toEqual([
      '   2  model  <|message|>     message_start assistant      #0 output_item.added message final_answer',
      '                               final                        msg_…',
      '                                                          #0 content_part.added output_text',
      "   3  model  'Hi'            message_text                 #0 output_text.delta 'Hi'",
    ])
  })

  test.each([
    [
      80,
      [
        '  11  host   10 tokens       message_start tool:python to=assistant analysis',
        "                             message_text '42'",
        '                             #0 code_interpreter_call.completed',
        '                             #0 output_item.done code_interpreter_call completed',
        '',
        '  21  host   2 tokens        <|start|>assistant',
        '  23  model  <|channel|>',
      ],
    ],
    [
      100,
      [
        '  11  host   10 tokens       message_start tool:python    #0 code_interpreter_call.completed',
        '                               to=assistant analysis      #0 output_item.done code_interpreter_call',
        "                             message_text '42'              completed",
        '',
        '  21  host   2 tokens        <|start|>assistant',
        '  23  model  <|channel|>',
      ],
    ],
  ])("a timeline folds the host's tokens into one row on %i columns", async (columns, expected) => {
    const lines = (await timeline(CALL, columns)).split('\n')
    const row = lines.findIndex((line) => / {2}host /.test(line))
    expect(lines.slice(row, row + expected.length)).toEqual(expected)
  })

  test('a timeline keeps wide characters in their columns', async () => {
    const wide = fixture(encodeHarmony('<|channel|>final<|message|>日本語 🌅🌅 東京<|return|>'))
    for (const columns of [80, 100, 120, 200]) {
      const rows = rowsOf(await timeline(wide, columns)).filter((line) => line.includes('output_text.delta'))
      const starts = rows.map((row) => widthOf(row.slice(0, row.indexOf('#0 output_text.delta'))))
      expect(rows.length).toBeGreaterThan(2)
      expect(new Set(starts).size).toBe(1)
    }
  })

  test.each([60, 70, 80, 89, 90, 100, 109, 110, 120, 200])('a timeline fits into %i columns', async (columns) => {
    for (const line of (await timeline(CALL, columns)).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns)
  })

  test('a timeline has one row for each token, however they were captured', async () => {
    expect(rowsOf(await timeline(CALL))).toHaveLength(
      CALL.tokens.flatMap((chunk) =>
        typeof chunk === 'object' && 'host' in chunk ? [...(chunk.host as number[])] : [chunk],
      ).length,
    )
  })

  test('a timeline shows whose a token is', async () => {
    const rows = rowsOf(await timeline(CALL))
    expect(rows.find((row) => row.includes("'42'"))).toMatch(/ host +4689 /)
    expect(rows.find((row) => row.includes("' is'"))).toMatch(/ model +382 /)
  })

  test('a timeline shows the addressee of a message', async () => {
    expect(await timeline(CALL, 160)).toContain('message_start assistant to=python analysis code')
  })

  test('a timeline sums up what every call did', async () => {
    const text = await timeline(CALL)
    expect(text).toContain("\n#0 code_interpreter_call completed '6*7' -> '42'\n#1 message final_answer completed")
  })

  test('a timeline shows which tokens a character came from that was cut between them', async () => {
    const text = await timeline(fixture(encodeHarmony('<|channel|>final<|message|>🗾<|return|>')))
    expect(text).toMatch(/output_text\.delta '🗾' ← 3-5\n/)
  })

  test('a timeline shows diagnostics where they were reported and at the end', async () => {
    const text = await timeline(fixture(encodeHarmony('<|channel|>final<|message|>Hi<|constrain|><|return|>')), 160)
    const row = rowsOf(text).find((line) => line.includes('<|constrain|>'))
    expect(row).toMatch(/ ! stray_marker: a misplaced marker: dropped$/)
    expect(text).toContain('1 diagnostic: stray_marker\n')
  })

  test('a timeline shows text chunks as they came, without a count of their tokens', async () => {
    const text = await timeline(fixture(['<|channel|>final<|mess', 'age|>Hi']))
    expect(rowsOf(text)).toHaveLength(2)
    expect(text).toMatch(/^ +1 {2}model +text {2}'age\|>Hi' /m)
    expect(text).toContain('tokens not counted\n')
  })

  test('a timeline shows why the stream ended', async () => {
    const end = { reason: 'max_output_tokens', usage: { inputTokens: 9 } } as const
    const text = await timeline(fixture(encodeHarmony('<|channel|>final<|message|>Hi'), { end }))
    expect(text).toMatch(/^ +end max_output_tokens +message_end turn /m)
    expect(text).toContain('\n9 input tokens,')
    expect(text).toMatch(/\nresponse incomplete resp_….{4} max_output_tokens\n$/)
  })

  test('a timeline follows the options of the translation', async () => {
    const cut = fixture(encodeHarmony('<|channel|>commentary to=functions.f<|message|>{"q":'))
    expect(await timeline(cut, 120, { calls: 'live' })).toContain('output_item.added')
    expect(await timeline(cut, 120, { calls: 'whole' })).not.toContain('output_item.added')
  })

  test('a timeline escapes everything in the fixture that would move the cursor or change colours', async () => {
    const nasty = '\u001b[2J\u202e\u0007'
    const text = await timeline(
      fixture([`<|channel|>commentary to=functions.${nasty}<|message|>${nasty}<|call|>`], {
        name: nasty,
        origin: nasty,
      }),
    )
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  test('a timeline has colours only if the terminal has, and the same text with them', async () => {
    const painted = await timeline(HELLO, 120, {}, true)
    expect(painted).toContain('\u001b[')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours
    expect(painted.replace(/\u001b\[\d+m/g, '')).toBe(await timeline(HELLO))
  })
})
