import { type ClientSettings, claudeCode, codex, shellWord } from '../../cli/serve/client-lines.js'

/** Lines to copy, in the order of a dialog's tabs. */
export interface Code {
  readonly title: string
  /** Where it belongs. */
  readonly about: string
  readonly text: string
}

/** Returns a request as programs send it, and the lines by which clients use this server. */
export function requestCode(body: object, client: ClientSettings): Code[] {
  return [
    { title: 'curl', about: 'In a shell', text: curl(body, client) },
    { title: 'JavaScript', about: 'npm install openai', text: javascript(body, client) },
    { title: 'Python', about: 'pip install openai', text: python(body, client) },
    { title: 'Codex', about: '~/.codex/config.toml', text: codex(client).join('\n') },
    { title: 'Claude Code', about: 'In a shell', text: claudeCode(client).join('\n') },
    { title: 'Others', about: 'In the environment of a client of the OpenAI API', text: variables(client) },
  ]
}

function curl(body: object, { url, hasKey, keyVariable }: ClientSettings): string {
  const key = hasKey ? `\n  -H "authorization: Bearer $${keyVariable}" \\` : ''
  const json = shellWord(JSON.stringify(body, null, 2))
  return `curl -N ${url}/v1/responses \\${key}\n  -H 'content-type: application/json' \\\n  -d ${json}`
}

function javascript(body: object, { url, hasKey, keyVariable }: ClientSettings): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${url}/v1',
  apiKey: ${hasKey ? `process.env.${keyVariable}` : "'none'"},
})
const stream = await client.responses.create(${JSON.stringify(body, null, 2)})
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)
}`
}

function python(body: object, { url, hasKey, keyVariable }: ClientSettings): string {
  return `${hasKey ? 'import os\n' : ''}from openai import OpenAI

client = OpenAI(
    base_url="${url}/v1",
    api_key=${hasKey ? `os.environ["${keyVariable}"]` : '"none"'},
)
stream = client.responses.create(
${Object.entries(body)
  .map(([name, value]) => `    ${name}=${pythonOf(value, 4)},\n`)
  .join('')})
for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`
}

/** Writes a JSON value as Python does, at an indentation. */
function pythonOf(value: unknown, indent: number): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Array.isArray(value)
    ? value.map((each) => pythonOf(each, indent + 4))
    : Object.entries(value).flatMap(([name, each]) =>
        each === undefined ? [] : [`${JSON.stringify(name)}: ${pythonOf(each, indent + 4)}`],
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (entries.length === 0) return `${open}${close}`
  const pad = ' '.repeat(indent)
  return `${open}\n${entries.map((entry) => `${pad}    ${entry},\n`).join('')}${pad}${close}`
}

function variables({ url, hasKey, keyVariable }: ClientSettings): string {
  return `export OPENAI_BASE_URL=${url}/v1\nexport OPENAI_API_KEY=${hasKey ? `$${keyVariable}` : 'none'}`
}
