import { encodeHarmony, encodeText } from '../support/tokens.js'

/** A scripted output, what llama-server made of it, and the row of the table. */
export interface Case {
  /** What the model wrote, in the words of the table. */
  readonly wrote: string
  /** The name of the script in the captured data. */
  readonly script: string
  readonly tokens: readonly number[]
  /** What llama-server v0.5.0 answered, in the words of the table. */
  readonly llamaServer: string
  /** The tool that the request declares. */
  readonly tool?: { readonly type: string; readonly [field: string]: unknown }
  /** Where the engine's limit cut the output off. */
  readonly limit?: number
}

const WEATHER = { type: 'function', name: 'get_weather', parameters: { type: 'object' } }
const thought = (text: string): string => `<|channel|>analysis<|message|>${text}<|end|>`
const START = '<|start|>assistant'

/** Text in which every marker is spelled by ordinary tokens. */
const SPELLED =
  'A message ends with <|end|> and a turn with <|return|>, a call goes <|start|>assistant<|channel|>commentary ' +
  'to=functions.get_weather <|constrain|>json<|message|>{"location":"X"}<|call|> as text.'

/** llama-server answers a stream that it cannot parse with this, and with no other event. */
const BARE_500 = 'HTTP 200, then `{"error":{"code":500,…}}`: no message, no terminal event'

export const CASES: readonly Case[] = [
  {
    wrote: 'an answer that spells `<\\|end\\|>` in ordinary text',
    script: 'literal-markers',
    tokens: [
      ...encodeHarmony(`${thought('The user asks of markers.')}${START}<|channel|>final<|message|>`),
      ...encodeText(SPELLED),
      ...encodeHarmony('<|return|>'),
    ],
    llamaServer: '`completed`: message "A message ends with "',
  },
  {
    wrote: 'two function calls',
    script: 'two-calls',
    tokens: encodeHarmony(
      `${thought('Two calls are needed here.')}${START}<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"location":"Rome"}<|end|>` +
        `${START}<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"location":"Oslo"}<|call|>`,
    ),
    llamaServer: '`completed`: `get_weather({"location":"Rome"})`',
    tool: WEATHER,
  },
  {
    wrote: 'a call of the code interpreter',
    script: 'python',
    tokens: encodeHarmony(
      `${thought('Use python.')}${START}<|channel|>analysis to=python code<|message|>import math\nprint(math.sqrt(2))<|call|>`,
    ),
    llamaServer: '`completed`: reasoning alone',
    tool: { type: 'code_interpreter', container: { type: 'auto' } },
  },
  {
    wrote: 'a call of an MCP tool',
    script: 'mcp',
    tokens: encodeHarmony(
      `${thought('Use the tracker.')}${START}<|channel|>commentary to=tracker.create_issue <|constrain|>json<|message|>{"title":"crash"}<|call|>`,
    ),
    llamaServer: '`completed`: reasoning alone',
    tool: { type: 'mcp', server_label: 'tracker', require_approval: 'never' },
  },
  {
    wrote: 'an answer without its `<\\|message\\|>`',
    script: 'no-message-marker',
    tokens: encodeHarmony(`${thought('Easy.')}${START}<|channel|>final The number is 42.<|return|>`),
    llamaServer: BARE_500,
  },
  {
    wrote: 'more than `max_output_tokens` allows',
    script: 'reasoning-final',
    tokens: encodeHarmony(
      `${thought('A spider is an arachnid. It has eight legs.')}${START}<|channel|>final<|message|>A spider has **eight** legs.<|return|>`,
    ),
    llamaServer: '`completed`: reasoning alone',
    limit: 20,
  },
  {
    wrote: 'a web search',
    script: 'browser',
    tokens: encodeHarmony(
      `${thought('Search.')}${START}<|channel|>analysis to=browser.search code<|message|>{"query":"cat news","topn":3}<|call|>`,
    ),
    llamaServer: '`completed`: reasoning alone',
    tool: { type: 'web_search' },
  },
  {
    wrote: 'a call to a function without `functions.`',
    script: 'bare-recipient',
    tokens: encodeHarmony(
      `${thought('Bare.')}${START}<|channel|>commentary to=get_weather <|constrain|>json<|message|>{"location":"Nice"}<|call|>`,
    ),
    llamaServer: '`completed`: reasoning alone',
    tool: WEATHER,
  },
  {
    wrote: 'a call to an undeclared function',
    script: 'call-unknown-tool',
    tokens: encodeHarmony(
      `${thought('Rocket.')}${START}<|channel|>commentary to=functions.launch_rocket <|constrain|>json<|message|>{"target":"moon"}<|call|>`,
    ),
    llamaServer: 'reasoning, then nothing: no terminal event within 60 s',
    tool: WEATHER,
  },
  {
    wrote: 'a call whose arguments are cut short',
    script: 'call-bad-json',
    tokens: encodeHarmony(
      `${thought('Break it.')}${START}<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"location":"Ber<|call|>`,
    ),
    llamaServer: 'half a call, then nothing: no terminal event within 60 s',
    tool: WEATHER,
  },
  {
    wrote: 'reasoning without its `<\\|end\\|>`',
    script: 'no-end',
    tokens: encodeHarmony(
      `<|channel|>analysis<|message|>Thinking on${START}<|channel|>final<|message|>Forgot the end.<|return|>`,
    ),
    llamaServer: '`completed`: reasoning alone, with the answer and the markers in its text',
  },
  {
    wrote: 'an answer without its `<\\|start\\|>`',
    script: 'no-start',
    tokens: encodeHarmony(`${thought('Thinking.')}<|channel|>final<|message|>Forgot the start.<|return|>`),
    llamaServer: BARE_500,
  },
  {
    wrote: 'an answer in two channels',
    script: 'two-channels',
    tokens: encodeHarmony(
      `${thought('Hm.')}${START}<|channel|>analysis<|channel|>final<|message|>Both of them.<|return|>`,
    ),
    llamaServer: BARE_500,
  },
  {
    wrote: 'an answer without a channel',
    script: 'no-channel',
    tokens: encodeHarmony('<|message|>No channel at all here.<|return|>'),
    llamaServer: BARE_500,
  },
  {
    wrote: 'words between two messages',
    script: 'text-between',
    tokens: encodeHarmony(
      `${thought('Thinking.')}stray words${START}<|channel|>final<|message|>After stray words.<|return|>`,
    ),
    llamaServer: BARE_500,
  },
  {
    wrote: 'an answer with the content type `json`',
    script: 'final-json',
    tokens: encodeHarmony(
      `${thought('Json.')}${START}<|channel|>final <|constrain|>json<|message|>{"a":[1,2,3]}<|return|>`,
    ),
    llamaServer: BARE_500,
  },
  {
    wrote: 'an empty answer',
    script: 'empty-final',
    tokens: encodeHarmony(`${thought('Nothing.')}${START}<|channel|>final<|message|><|return|>`),
    llamaServer: '`completed`: reasoning alone, no message',
  },
]
