import type { Typed } from '../options/option.js'
import { ENGINES } from './engines/index.js'
import type { ServeOption } from './serve-option.js'

/* Literals alone: the types of the settings derive from them. `about` is Markdown with links from docs/. */

const OWN = {
  'skip-model-check': {
    takes: 'nothing',
    about: 'trusts a server that cannot prove that its model is gpt-oss',
    workers: { is: 'same' },
  },
  'structured-outputs': {
    takes: 'word',
    about: 'the [grammar backend](engines.md#grammar-backends) of the server, which is asked without it',
    words: {
      xgrammar: 'takes any schema, and ignores what it does not enforce',
      guidance: 'llguidance, which enforces our own grammars',
      other: 'takes schemas and regular expressions alone',
    },
    isOptional: true,
    workers: { is: 'same' },
  },
  'chat-server-model': {
    takes: 'text',
    value: 'NAME',
    about: 'the model of the server; without it the only one that it lists',
    workers: { is: 'same' },
  },
  'chat-server-preset': {
    takes: 'word',
    about: '[what is known about the server](chat-engine.md#presets)',
    words: {
      openai: '',
      vllm: '',
      ollama: '',
      'lm-studio': '',
      groq: '',
      openrouter: '',
      together: '',
      deepseek: '',
      mistral: '',
    },
    isOptional: true,
    workers: { is: 'same' },
  },
  'chat-server-config': {
    takes: 'text',
    value: 'FILE',
    about: '[what differs from it](chat-engine.md#options), as JSON',
    workers: { is: 'same', isRead: true },
  },
  pass: {
    takes: 'list',
    value: 'PATH',
    about: 'a path that the server [answers itself](#other-paths-of-the-engine-at-the-same-address)',
    words: ['/v1/embeddings', '/v1/completions', '/v1/rerank', '/tokenize'],
    workers: { is: 'same' },
  },
  'context-size': {
    takes: 'count',
    value: 'TOKENS',
    about: "the model's context; without it what memory allows, or what the server names",
    min: 2,
    workers: { is: 'same' },
  },
  delay: {
    takes: 'count',
    value: 'MS',
    about: 'a delay before each token',
    min: 0,
    // Less than `tokenSeconds`, which ends a model call that is silent for longer.
    max: 10_000,
    workers: { is: 'same' },
  },
  config: {
    takes: 'text',
    value: 'FILE',
    about: '[JSON that has these options](#a-configuration) by their names; the command line takes precedence',
    workers: { is: 'same', isRead: true },
  },
  mcp: {
    takes: 'list',
    value: 'LABEL=COMMAND|URL',
    about:
      'an MCP server that requests may use as `server_label`; quotes keep words of a command together; needs `npm install @modelcontextprotocol/client@2`',
    isPairs: true,
    workers: {
      is: 'each',
      about: 'starts the commands and connects to the URLs itself; a session stays with its worker',
    },
  },
  'mcp-config': {
    takes: 'text',
    value: 'FILE',
    about: 'more of them, in [the format](#a-file-of-mcp-servers) of Claude Desktop (JSON) or Codex (TOML)',
    workers: {
      is: 'each',
      about: 'starts the commands and connects to the URLs itself; a session stays with its worker',
      isRead: true,
    },
  },
  offer: {
    takes: 'list',
    value: 'LABEL[=COMMAND|URL]',
    about:
      'an MCP server whose tools [each response has](tools.md#tools-for-every-client), even if its request does not ask for them, in Chat Completions too; the label of one of `--mcp` or `--mcp-config`, or a new one',
    workers: {
      is: 'each',
      about: 'starts the commands and connects to the URLs itself; a session stays with its worker',
    },
  },
  'file-search': {
    takes: 'list',
    value: 'DIR[=ID]',
    about:
      'a folder whose text and Markdown files [are searched](#files-to-search) for requests whose `file_search` has the vector store ID, `vs_` and the name of the folder without it; with `--offer file_search`, for every response',
    workers: { is: 'each', about: 'reads the folder, and has its index in its own memory' },
  },
  search: {
    takes: 'text',
    value: 'searxng=URL|brave|exa|tavily',
    about:
      '[a browser](#web-search) for requests that declare `web_search`, by a search of yours or a service, whose key is in `BRAVE_API_KEY`, `EXA_API_KEY` or `TAVILY_API_KEY`; with `--offer web_search`, for every response; needs `npm install htmlparser2@12 undici@7 ipaddr.js@2`',
    workers: { is: 'each', about: 'has its own browser' },
  },
  'search-allow': {
    takes: 'list',
    value: 'HOST[:PORT]',
    about: 'a host of your own network whose pages the browser may open',
    workers: { is: 'same' },
  },
  'search-domain': {
    takes: 'list',
    value: 'DOMAIN',
    about: 'a domain whose pages and results are shown, with its subdomains, and no others; default: all',
    workers: { is: 'same' },
  },
  'search-robots': {
    takes: 'word',
    about: 'whether the browser opens only pages that the `robots.txt` of their site allows',
    words: { ignore: '', obey: '' },
    workers: { is: 'same' },
  },
  python: {
    takes: 'word',
    about:
      '[Python](#python) for requests that declare `code_interpreter`, within a boundary of this machine; with `--offer code_interpreter`, for every response. `serve` does not start where the boundary does not work',
    words: {
      auto: 'bubblewrap where it works, else Docker, else Podman',
      bwrap: 'bubblewrap, which runs /usr/bin/python3',
      docker: '',
      podman: '',
    },
    isOptional: true,
    workers: { is: 'refused', about: "a session of Python is one worker's, and the next response may be another's" },
  },
  'python-image': {
    takes: 'text',
    value: 'IMAGE',
    about: 'the image that Docker or Podman runs, which they must have; without it `python:3.13-slim`',
    needs: ['python'],
    workers: { is: 'same' },
  },
  'python-network': {
    takes: 'nothing',
    about: 'gives Python a network: with bubblewrap that of this machine, with all that listens on its loopback',
    needs: ['python'],
    workers: { is: 'same' },
  },
  'offered-calls': {
    takes: 'word',
    about: 'whether the Responses API shows calls of offered tools',
    words: { shown: '', hidden: '' },
    workers: { is: 'same' },
  },
  instructions: {
    takes: 'text',
    value: 'FILE',
    about: "what the model is told before the client's own instructions",
    workers: { is: 'same', isRead: true },
  },
  effort: {
    takes: 'word',
    about: 'the reasoning effort of requests that name none',
    words: { low: '', medium: '', high: '' },
    workers: { is: 'same' },
  },
  approval: {
    takes: 'word',
    about: '[which calls of MCP tools](tools.md#approval) need an approval',
    words: {
      request: 'those for which a request demands it',
      always: 'all',
      writes: 'all but those of tools that their server declares read-only, and those for which a request demands it',
      never: 'none, unless a request demands it',
    },
    workers: { is: 'same' },
  },
  host: {
    takes: 'text',
    value: 'ADDRESS',
    about:
      'the address to listen on; without it `127.0.0.1`. Others can reach any other address, so it needs a key or `--no-key`',
    workers: { is: 'one', about: 'the first process listens, and hands each connection to a worker, where it stays' },
  },
  port: {
    takes: 'count',
    value: 'PORT',
    about: 'the port to listen on; without it 8000; 0 picks one that is free',
    min: 0,
    max: 65_535,
    workers: { is: 'one', about: 'the first process listens, and hands each connection to a worker, where it stays' },
  },
  origin: {
    takes: 'list',
    value: 'ORIGIN',
    about: 'a site whose pages may use it, such as `https://chat.example.com`; pages of all others are refused',
    workers: { is: 'same' },
  },
  'api-key': {
    takes: 'text',
    value: 'KEY',
    about:
      'the key that clients have to send, at least 16 characters of ASCII, such as those of `openssl rand -hex 32`. Better in `HARMONY_RESPONSES_API_KEY` or [in a file](#keys-in-files): options are in the list of processes',
    workers: { is: 'same' },
  },
  'api-keys': {
    takes: 'text',
    value: 'FILE',
    about:
      '[keys of several owners](#keys): lines of OWNER and the SHA-256 of the key; or in `HARMONY_RESPONSES_API_KEYS`',
    workers: { is: 'same', isRead: true },
  },
  'no-key': {
    takes: 'nothing',
    about: 'serves every client without a key, at any `--host` and [through proxies](server.md#safe-by-default)',
    workers: { is: 'same' },
  },
  'seal-keys': {
    takes: 'text',
    value: 'FILE',
    about:
      '[keys that seal what clients keep](#seal-keys) for the server, one a line: the first seals, all open; or in `HARMONY_RESPONSES_SEAL_KEYS`. Without them and `--store`, no seal opens after a restart',
    workers: { is: 'same', isRead: true },
  },
  store: {
    takes: 'text',
    value: 'STORE',
    about:
      'keeps responses in a database that processes share: if one dies, another completes its responses. `FILE.db` is a [SQLite database](durability.md) on one machine, with its seal keys in FILE.db.keys; `postgres://...` is [Postgres](durability.md#postgres) and `redis://...` [Redis](durability.md#redis), for many machines, better in `HARMONY_RESPONSES_STORE`. Without it, nothing survives a restart',
    workers: { is: 'one', about: 'workers share nothing else, so it is required' },
  },
  durability: {
    takes: 'word',
    about: '[what an answer survives](durability.md#promises) once it is shown',
    words: { process: 'the end of the process', power: 'a power failure, too' },
    workers: { is: 'same' },
  },
  keep: {
    takes: 'count',
    value: 'DAYS',
    about:
      '[how long a conversation is kept](durability.md#retention-and-erasure) in the store after its last use; without it 30',
    max: 36_500,
    workers: { is: 'same' },
  },
  'keep-bytes': {
    takes: 'count',
    value: 'BYTES',
    about:
      'how large the conversations of one owner may be together, beyond which those that nobody has used for longest are deleted; without it 1 GiB',
    workers: { is: 'same' },
  },
  'model-alias': {
    takes: 'list',
    value: 'NAME',
    about: '[another name of the model](#models) besides gpt-oss; all others are then refused',
    workers: { is: 'same' },
  },
  reasoning: {
    takes: 'word',
    about: '[how reasoning is shown](hosted-tools.md#reasoning)',
    words: {
      request: 'as a summary where a request asks for one (reasoning.summary), else as reasoning text',
      raw: 'as reasoning text',
      summary: 'as a summary, which every client shows',
      both: 'both ways',
      hidden: 'without its text',
    },
    workers: { is: 'same' },
  },
  'chat-reasoning': {
    takes: 'word',
    about: 'the field of reasoning in [Chat Completions](chat-completions.md#the-answer)',
    words: { reasoning_content: '', reasoning: '', both: '' },
    workers: { is: 'same' },
  },
  'chat-calls': {
    takes: 'word',
    about: 'the calls that the server runs, in Chat Completions',
    words: { hidden: 'not shown', reasoning: 'named in the reasoning' },
    workers: { is: 'same' },
  },
  policy: {
    takes: 'word',
    about: '[what becomes of calls to undeclared tools](hosted-tools.md#policies)',
    words: {
      openai: 'a function call',
      agents: 'an MCP call that failed',
      vllm: 'an MCP call that waits for its result',
      'functions-only': 'a function call, as all others',
    },
    workers: { is: 'same' },
  },
  dialect: {
    takes: 'word',
    about: '[the format of events](dialects.md)',
    words: {
      openai: "OpenAI's",
      'open-responses': 'that of Open Responses, whose streams end with [DONE]',
      vllm: "vLLM's",
    },
    workers: { is: 'same' },
  },
  images: {
    takes: 'word',
    about: '[images and files](prompt.md#images-and-files)',
    words: {
      'refuse-last': "refuses those in the user's last message, and replaces all others by [image] and [file NAME]",
      refuse: 'refuses them all',
      placeholder: 'replaces them all',
    },
    workers: { is: 'same' },
  },
  unknown: {
    takes: 'word',
    about: '[fields, items, tools and content](request.md#unknown-parts) that nobody knows',
    words: { skip: 'leaves them out, and names each once in the log', refuse: 'answers 400, as OpenAI does' },
    workers: { is: 'same' },
  },
  'unsupported-constraints': {
    takes: 'word',
    about: '[what the engine cannot enforce](strict.md#what-an-engine-cannot-enforce) of a strict schema',
    words: { relax: 'drops it, and names it in the log', refuse: 'answers 400' },
    workers: { is: 'same' },
  },
  parallel: {
    takes: 'count',
    value: 'N',
    about: 'how many responses are made at once, while more wait; without it 256, and 1 for the calls of a `--model`',
    workers: { is: 'each', about: 'counts for itself: N workers have N times as much' },
  },
  workers: {
    takes: 'word',
    about: '[how many processes serve the port](#workers), on one `--store`; without it one',
    words: { auto: 'one for each core' },
    isOptional: true,
    or: { takes: 'count', value: 'N', about: 'so many, which start again when they crash', min: 1, max: 64 },
    workers: { is: 'same' },
  },
  limit: {
    takes: 'list',
    value: 'NAME=VALUE',
    about: '[a limit](#limits) of the server, such as `responseSeconds=300`',
    isPairs: true,
    workers: { is: 'each', about: 'counts for itself: N workers have N times as much' },
  },
  'engine-restarts': {
    takes: 'count',
    value: 'N',
    about:
      '[how often an engine that fails in the middle of a response](durability.md#engines-that-die) is asked again for the rest; without it 2; 0 fails the response at once',
    min: 0,
    max: 100,
    workers: { is: 'same' },
  },
  'on-disconnect': {
    takes: 'word',
    about: 'a response whose client leaves',
    words: { stop: 'ends', finish: 'is completed' },
    or: { takes: 'count', value: 'SECONDS', about: 'waits so long for the client, at most a day', min: 0, max: 86_400 },
    workers: { is: 'same' },
  },
  record: {
    takes: 'text',
    value: 'DIR',
    about:
      'writes each response as a [token fixture](testing.md), which `replay` and `--replay` play back. It has what the model says and what tools answered, not what was asked',
    workers: { is: 'one', about: 'a response is a file, which its worker writes' },
  },
  date: {
    takes: 'text',
    value: 'YYYY-MM-DD',
    about:
      'the date that the model is told, or `none`. Without it, a conversation has that of the day on which it began; a request that continues no stored or remembered response begins a new one',
    workers: { is: 'same' },
  },
  'time-zone': {
    takes: 'text',
    value: 'NAME',
    about: 'the time zone of that day, such as `Europe/Rome`; without it UTC',
    workers: { is: 'same' },
  },
  'share-prefix-cache': {
    takes: 'nothing',
    about:
      "lets owners share the engine's prefix cache. It is faster for prompts that they have in common, and shows by `cached_tokens` what others have asked: [each has its own](security.md#disclosure) without it",
    workers: { is: 'same' },
  },
  'no-page': { takes: 'nothing', about: 'serves no [page](page.md) for browsers at `/`', workers: { is: 'same' } },
  audit: {
    takes: 'text',
    value: 'FILE',
    about:
      'appends a line of JSON for [each call of a tool](#an-audit-of-tool-calls): owner, tool, what allowed it, outcome',
    workers: { is: 'one', about: 'each worker appends whole lines, each by one write' },
  },
  'audit-arguments': {
    takes: 'nothing',
    about: 'adds the arguments of the calls, which are content, to these lines',
    needs: ['audit'],
    workers: { is: 'same' },
  },
  log: {
    takes: 'word',
    about: '[what it writes](#what-it-writes) for each request',
    words: { text: 'a line', json: 'a line of JSON, and one in place of the example requests' },
    workers: { is: 'one', about: 'the first process writes the lines of all workers, line by line' },
  },
  verbose: {
    takes: 'nothing',
    about: 'draws the timeline of each response',
    workers: { is: 'refused', about: 'the timelines of several workers would mix' },
  },
} as const

type EngineOptions = { readonly [Name in keyof typeof ENGINES]: (typeof ENGINES)[Name]['option'] }

interface EngineRow {
  readonly option: ServeOption
  readonly options: readonly (keyof typeof OWN)[]
}

const engines = Object.entries<EngineRow>(ENGINES)

/** Adds which engines an option is for, unless it is for all. */
function withEngines([name, option]: [name: string, option: ServeOption]): [name: string, option: ServeOption] {
  const needs = engines.filter(([, { options }]) => options.some((each) => each === name)).map(([engine]) => engine)
  return [name, needs.length === 0 ? option : { ...option, needs }]
}

/** The options of `serve` by their names, in the order of its help. All but `config` can be in a configuration. */
// Cast: Object.fromEntries forgets which name has which value.
export const OPTIONS: EngineOptions & typeof OWN = Object.fromEntries([
  ...engines.map(([name, { option }]) => [name, option]),
  ...Object.entries<ServeOption>(OWN).map(withEngines),
]) as EngineOptions & typeof OWN

/** The values of `serve`'s options as typed, by name. */
export type ServeValues = Omit<Typed<typeof OPTIONS>, 'config'>
