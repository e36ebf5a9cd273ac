import { type Command, defineCommand } from './command.js'

export const prompt: Command = defineCommand({
  name: 'prompt',
  operands: 'FILE',
  summary: 'shows the prompt of a Responses request',
  help: `FILE is the JSON body of a create request, with previous_response_id and item references resolved.

  --text                    prints the prompt as it is, control tokens as literal markers: for another program, since
                            text that spells a marker is not escaped, and looks like one
  --tokens                  prints the token ids as one JSON array
  --date YYYY-MM-DD         the date in the prompt (default: today, in UTC)
  --images refuse-last      images and files in the user's last message are an error; all others are [image] and
                            [file NAME] (default)
           refuse           they are an error anywhere
           placeholder      they are [image] and [file NAME] anywhere
  --policy openai           teaches tools as the translator accepts them under this policy; see replay
  --history FIXTURE         the tokens of an earlier response, as a token fixture: messages that the request repeats
                            are rendered with the same ids; repeatable
  --help

Without --text and --tokens: every message with its author, recipient and channel, the item that it came from, its
tokens, and its text. <\\|end|> is text that spells a marker.

Exit codes: 0 rendered, 2 wrong usage, an unreadable file, or a request that cannot be rendered.
`,
  options: {
    text: { type: 'boolean', default: false },
    tokens: { type: 'boolean', default: false },
    date: { type: 'string' },
    images: { type: 'string', default: 'refuse-last' },
    policy: { type: 'string' },
    history: { type: 'string', multiple: true, default: [] as string[] },
  },
  async run(values, operands, io) {
    const { promptFile } = await import('./prompt-file.js')
    return promptFile(values, operands, io)
  },
})
