import { type Command, defineCommand } from './command.js'
import type { ConfigValues } from './serve/config-file.js'
import type { ServeValues } from './serve/settings.js'

export const serve: Command = defineCommand({
  name: 'serve',
  operands: '',
  summary: 'serves the Responses API in front of an engine',
  help: `What answers (one of these):
  --replay [DIR]            recordings (token fixtures), else a script: no model; default: the package's own
  --script FILE             turns that you write, as JSON: answers, calls, failures, hangs
  --model FILE              a GGUF file of a gpt-oss model, by llama.cpp (npm install node-llama-cpp)
  --vllm URL                vLLM 0.10.2 or later
  --sglang URL              SGLang
  --llama-server URL        llama.cpp's server; the key of any of these three is in HARMONY_ENGINE_API_KEY
  --skip-model-check        trusts a server that cannot prove that its model is gpt-oss
  --structured-outputs B    the grammar backend of vLLM or SGLang: xgrammar, guidance, other (default: asks it)

  --config FILE             JSON that has these options by their names; the command line takes precedence
  --mcp LABEL=COMMAND|URL   an MCP server that requests may use by this label; repeatable
                            (npm install @modelcontextprotocol/client)
  --mcp-config FILE         more of them, in a file as Claude Desktop (JSON) or Codex (TOML) has it
  --offer LABEL             a server of --mcp or --mcp-config whose tools each response has, though its request does not
                            ask for them, for clients of Chat Completions too; repeatable; or LABEL=COMMAND|URL
  --offered-calls hidden    leaves their calls out of what the Responses API shows; default: shown
  --instructions FILE       what the model is told before the client's own instructions
  --approval request        calls of MCP tools need the approvals that a request asks for (default)
             always         ... all need one
             writes         ... all but those of tools that their server says only read
             never          ... those that a request asks for, and no others
  --host ADDRESS            where to listen (default 127.0.0.1); others can reach any other, so it needs a key
  --port PORT               default 8000; 0 takes one that is free
  --origin ORIGIN           a site whose pages may use it, such as https://chat.example.com; repeatable
  --api-key KEY             what clients have to send; better in HARMONY_RESPONSES_API_KEY
  --api-keys FILE           keys of several owners: lines of OWNER and the SHA-256 of the key
  --no-key                  serves every client without a key, at any --host and through proxies
  --seal-keys FILE          keys of what clients keep for the server, one a line: the first seals, all open;
                            or in HARMONY_RESPONSES_SEAL_KEYS; without them a restart loses it
  --store FILE.db           keeps responses in a SQLite database, which other processes may share: they go on with what
                            one that dies was making; seal keys are in FILE.db.keys; without it nothing survives
  --durability process      what an answer survives once it is shown: the end of the process (default)
               power        ... of the machine, too
  --model-alias NAME        a name of the model beside gpt-oss; repeatable; other names are refused then
  --reasoning raw           shows reasoning as reasoning text (default)
              summary       ... as a summary, which every client shows
              both          ... both ways
              hidden        ... without its text
  --chat-reasoning FIELD    the field of Chat Completions that has it: reasoning_content (default), reasoning, or both
  --chat-calls hidden       says nothing there of calls that the server runs (default)
               reasoning    ... names them in the reasoning
  --policy openai           what becomes of calls to undeclared tools: openai (default), agents, vllm, functions-only
  --dialect openai          words the events as OpenAI does (default)
            open-responses  ... as Open Responses does
            vllm            ... as vLLM does
  --images refuse-last      refuses images and files in the user's last message, and puts [image] and [file NAME] in
                            the places of all others (default)
           refuse           refuses them all
           placeholder      refuses none
  --unsupported-constraints relax   leaves out what the engine cannot hold of a strict schema, and says so (default)
                            refuse  refuses such a request
  --context-size TOKENS     of the model's context, for --model; default: as memory allows
  --parallel N              how many responses are made at once; default 256, and with --model 1
  --limit NAME=VALUE        a limit of the server, such as responseSeconds=300; repeatable; docs/serve.md lists them
  --on-disconnect stop      ends a response whose client leaves (default)
                  finish    completes the response
                  SECONDS   waits so long for the client
  --delay MS                before each token of --replay and --script
  --record DIR              writes a token fixture of each response; it has what the model says
  --audit FILE              adds a line of JSON for each call of a tool: who, which, allowed by what, how it ended
  --audit-arguments         ... with the arguments of the call, which are content
  --log json                a line of JSON for each request; default: text
  --verbose                 draws the timeline of each response
  --help

It prints what to paste to use it, and a line for each request on standard error. docs/serve.md has more.

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
    mcp: { type: 'string', multiple: true },
    'mcp-config': { type: 'string' },
    offer: { type: 'string', multiple: true },
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
    'unsupported-constraints': { type: 'string' },
    'context-size': { type: 'string' },
    parallel: { type: 'string' },
    limit: { type: 'string', multiple: true },
    'on-disconnect': { type: 'string' },
    delay: { type: 'string' },
    record: { type: 'string' },
    audit: { type: 'string' },
    'audit-arguments': { type: 'boolean' },
    log: { type: 'string' },
    verbose: { type: 'boolean' },
  },
  async run(values, operands, io) {
    // First, so that wrong usage is refused before a server is loaded.
    const { serveSettings } = await import('./serve/settings.js')
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
 * What a configuration says and what was typed, which takes precedence: whole options, so that a typed `--mcp` replaces
 * those of the file. An engine that was typed replaces the file's, of which `serve` has one alone.
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
