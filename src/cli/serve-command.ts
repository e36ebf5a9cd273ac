import { type Command, defineCommand } from './command.js'
import type { ConfigValues } from './serve/config-file.js'
import type { ServeValues } from './serve/settings.js'

export const serve: Command = defineCommand({
  name: 'serve',
  operands: '',
  summary: 'serves the Responses API in front of an engine',
  help: `The engine (one of these):
  --replay [DIR]            answers without a model: recordings (token fixtures), else a script; default: the package's
  --script FILE             answers from a JSON file of turns: answers, calls, failures, hangs
  --model FILE              a GGUF file of a gpt-oss model, by llama.cpp (npm install node-llama-cpp)
  --vllm URL                vLLM 0.10.2 or later
  --sglang URL              SGLang
  --llama-server URL        llama.cpp's server; the key of any of these three is in HARMONY_ENGINE_API_KEY
  --skip-model-check        trusts a server that cannot prove that its model is gpt-oss
  --structured-outputs B    the grammar backend of vLLM or SGLang: xgrammar, guidance, other (default: asks it)
  --pass PATH               a path that the server of one of these three answers itself: /v1/embeddings,
                            /v1/completions, /v1/rerank, /tokenize; repeatable

  --config FILE             JSON that has these options by their names; the command line takes precedence
  --mcp LABEL=COMMAND|URL   an MCP server that requests may use by this label; repeatable
                            (npm install @modelcontextprotocol/client)
  --mcp-config FILE         more of them, in the format of Claude Desktop (JSON) or Codex (TOML)
  --offer LABEL             offers the tools of this server of --mcp or --mcp-config to every response, even if its
                            request does not, for clients of Chat Completions too; repeatable; or LABEL=COMMAND|URL
  --file-search DIR[=ID]    searches the text and Markdown files of a folder for requests whose file_search has the
                            vector store ID (default: vs_ and the folder's name); repeatable; with --offer file_search,
                            for every response
  --offered-calls hidden    hides calls of offered tools from clients of the Responses API; default: shown
  --instructions FILE       instructions that precede the client's own
  --approval request        calls of MCP tools need the approvals that a request asks for (default)
             always         ... all need one
             writes         ... all but calls of tools that their server declares read-only
             never          ... only calls for which a request demands one
  --host ADDRESS            the address to listen on (default 127.0.0.1); any other may be public, so it needs a key
  --port PORT               default 8000; 0 picks a free one
  --origin ORIGIN           allows the pages of a site, such as https://chat.example.com; repeatable
  --api-key KEY             the key that clients have to send, at least 16 characters; better in
                            HARMONY_RESPONSES_API_KEY
  --api-keys FILE           keys of several owners: lines of OWNER and the SHA-256 of the key; or in
                            HARMONY_RESPONSES_API_KEYS
  --no-key                  serves every client without a key, at any --host and through proxies
  --seal-keys FILE          keys that seal what clients keep for the server, one a line: the first seals, all open;
                            or in HARMONY_RESPONSES_SEAL_KEYS; without them, no seal opens after a restart
  --store FILE.db           stores responses in a SQLite database that processes may share: if one dies, another
                            completes its responses; seal keys are in FILE.db.keys; without it, nothing survives
  --durability process      an answer that was shown survives the end of the process (default)
               power        ... and a power failure
  --model-alias NAME        another name of the model besides gpt-oss; repeatable; all others are then refused
  --reasoning request       shows reasoning as a summary where a request asks for one (reasoning.summary), else as
                            reasoning text (default)
              raw           ... always as reasoning text
              summary       ... always as a summary, which every client shows
              both          ... both ways
              hidden        ... without its text
  --chat-reasoning FIELD    the field of reasoning in Chat Completions: reasoning_content (default), reasoning, or both
  --chat-calls hidden       Chat Completions hides the calls that the server runs (default)
               reasoning    ... names them in the reasoning
  --policy openai           how calls to undeclared tools are handled: openai (default), agents, vllm, functions-only
  --dialect openai          events in OpenAI's format (default)
            open-responses  ... in that of Open Responses
            vllm            ... in that of vLLM
  --images refuse-last      refuses images and files in the user's last message, and replaces all others by [image]
                            and [file NAME] (default)
           refuse           refuses them all
           placeholder      replaces them all
  --unknown skip            leaves unknown fields, items, tools and content of a request out, and reports it (default)
            refuse          refuses such a request
  --unsupported-constraints relax   drops what the engine cannot enforce of a strict schema, and reports it (default)
                            refuse  refuses such a request
  --context-size TOKENS     the model's context: of --model (default: as memory allows), or of a --vllm or --sglang that
                            does not name it
  --parallel N              concurrent responses; default 256, and with --model 1
  --limit NAME=VALUE        a limit of the server, such as responseSeconds=300; repeatable; docs/serve.md lists them
  --on-disconnect stop      ends a response whose client leaves (default)
                  finish    completes the response
                  SECONDS   waits this long for the client to return
  --delay MS                a delay before each token of --replay and --script
  --record DIR              writes a token fixture of each response, which contains the model's text
  --date YYYY-MM-DD|none    the date that the model is told; default: the day on which the conversation began
  --time-zone NAME          ... in this time zone, such as Europe/Rome; default: UTC
  --share-prefix-cache      lets owners share the engine's prefix cache: faster, and shows what others have asked
  --audit FILE              appends a line of JSON for each tool call: owner, tool, what allowed it, outcome
  --audit-arguments         ... including the call's arguments, which are content
  --log json                a line of JSON for each request, in place of the example requests, too; default: text
  --verbose                 draws the timeline of each response
  --help

HARMONY_RESPONSES_OPERATOR_KEY is your own key, which opens /metrics. Each variable with a key may be NAME_FILE instead, the
path of a file that has it. SIGHUP reads files of keys again, while it serves.

It prints example requests, and logs each request in a line on standard error. docs/serve.md has more.

Exit codes: 0 stopped by SIGINT or SIGTERM, 2 wrong usage, or it cannot listen; 130 stopped twice.
`,
  options: {
    config: { type: 'string' },
    replay: { type: 'boolean' },
    script: { type: 'string' },
    model: { type: 'string' },
    vllm: { type: 'string' },
    sglang: { type: 'string' },
    'llama-server': { type: 'string' },
    'skip-model-check': { type: 'boolean' },
    'structured-outputs': { type: 'string' },
    pass: { type: 'string', multiple: true },
    mcp: { type: 'string', multiple: true },
    'mcp-config': { type: 'string' },
    offer: { type: 'string', multiple: true },
    'file-search': { type: 'string', multiple: true },
    'offered-calls': { type: 'string' },
    instructions: { type: 'string' },
    approval: { type: 'string' },
    host: { type: 'string' },
    port: { type: 'string' },
    origin: { type: 'string', multiple: true },
    'api-key': { type: 'string' },
    'api-keys': { type: 'string' },
    'no-key': { type: 'boolean' },
    'seal-keys': { type: 'string' },
    store: { type: 'string' },
    durability: { type: 'string' },
    'model-alias': { type: 'string', multiple: true },
    reasoning: { type: 'string' },
    'chat-reasoning': { type: 'string' },
    'chat-calls': { type: 'string' },
    policy: { type: 'string' },
    dialect: { type: 'string' },
    images: { type: 'string' },
    unknown: { type: 'string' },
    'unsupported-constraints': { type: 'string' },
    'context-size': { type: 'string' },
    parallel: { type: 'string' },
    limit: { type: 'string', multiple: true },
    'on-disconnect': { type: 'string' },
    delay: { type: 'string' },
    record: { type: 'string' },
    date: { type: 'string' },
    'time-zone': { type: 'string' },
    'share-prefix-cache': { type: 'boolean' },
    audit: { type: 'string' },
    'audit-arguments': { type: 'boolean' },
    log: { type: 'string' },
    verbose: { type: 'boolean' },
  },
  async run(values, operands, io) {
    // Checked first, so that wrong usage is refused before the server is loaded.
    const { serveSettings } = await import('./serve/read-settings.js')
    const { config, ...typed } = values
    const given =
      config === undefined ? undefined : await (await import('./serve/config-file.js')).readConfig(config, io)
    const settings = serveSettings(...merged(given, typed, operands), io.env)
    const { serve } = await import('./serve/serve.js')
    return serve(settings, io)
  },
})

const ENGINES = ['replay', 'script', 'model', 'vllm', 'sglang', 'llama-server'] as const

/**
 * Merges a configuration with the command line, which takes precedence option by option: a typed `--mcp` replaces the
 * file's. A typed engine replaces the file's, since `serve` has only one.
 */
function merged(
  config: ConfigValues | undefined,
  typed: ServeValues,
  operands: readonly string[],
): [values: ServeValues, operands: readonly string[]] {
  if (config === undefined) return [typed, operands]
  const isTyped = ENGINES.some((name) => typed[name] !== undefined)
  const known = isTyped
    ? Object.fromEntries(Object.entries(config.values).filter(([name]) => !isEngine(name)))
    : config.values
  const given = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined))
  return [{ ...known, ...given }, isTyped ? operands : [...config.operands, ...operands]]
}

function isEngine(name: string): boolean {
  return (ENGINES as readonly string[]).includes(name)
}
