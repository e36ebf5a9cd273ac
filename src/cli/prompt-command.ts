import type { AttachmentPolicy } from '../endpoint/prompt/attachments.js'
import type { PolicyName } from '../index.js'
import { type Command, defineCommand } from './command.js'

export const prompt: Command = defineCommand({
  name: 'prompt',
  operand: { value: 'FILE' },
  summary: 'shows the prompt of a Responses request',
  help: [
    'FILE is the JSON body of a create request, with previous_response_id and item references resolved.',
    `Without --text and --tokens: every message with its author, recipient and channel, the item that it came from, its
tokens, and its text. <\\|end|> is text that spells a marker.

Exit codes: 0 rendered, 2 wrong usage, an unreadable file, or a request that cannot be rendered.`,
  ],
  options: {
    text: {
      takes: 'nothing',
      about:
        'prints the prompt as it is, control tokens as literal markers: for another program, since text that spells a marker is not escaped, and looks like one',
    },
    tokens: { takes: 'nothing', about: 'prints the token ids as one JSON array' },
    date: { takes: 'text', value: 'YYYY-MM-DD', about: 'the date that the model is told; without it today, in UTC' },
    images: {
      takes: 'word',
      about: 'images and files',
      words: {
        'refuse-last': "in the user's last message, they are an error; all others are [image] and [file NAME]",
        refuse: 'they are an error anywhere',
        placeholder: 'they are [image] and [file NAME] anywhere',
      } satisfies Readonly<Record<AttachmentPolicy, string>>,
    },
    policy: {
      takes: 'word',
      about: 'teaches tools by the names that the translator accepts under this [policy](hosted-tools.md#policies)',
      words: { openai: '', agents: '', vllm: '', 'functions-only': '' } satisfies Readonly<Record<PolicyName, string>>,
    },
    history: {
      takes: 'list',
      value: 'FILE',
      about:
        'a token fixture of an earlier response: messages that the request repeats are rendered with [the very same tokens](prompt.md#history-reuse-the-engines-cache)',
    },
  },
  async run(values, [file], io) {
    const { promptFile } = await import('./prompt-file.js')
    return promptFile(values, file, io)
  },
})
