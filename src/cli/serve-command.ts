import { type Command, defineCommand } from './command.js'

export const serve: Command = defineCommand({
  name: 'serve',
  operands: '',
  summary: 'serves the Responses API in front of an engine',
  help: `What answers (one of these):
  --replay [DIR]            recordings (token fixtures), else a script: no model; default: the package's own
  --model FILE              a GGUF file of a gpt-oss model, by llama.cpp (npm install node-llama-cpp)
  --vllm URL                vLLM 0.10.2 or later
  --sglang URL              SGLang
  --llama-server URL        llama.cpp's server

  --mcp LABEL=COMMAND|URL   an MCP server that requests may use by this label; repeatable
                            (npm install @modelcontextprotocol/client)
  --host ADDRESS            where to listen (default 127.0.0.1); others can reach any other, so it needs a key
  --port PORT               default 8000; 0 takes one that is free
  --api-key KEY             what clients have to send; better in HARMONY_RESPONSES_API_KEY
  --seal-keys FILE          keys of what clients keep for the server, one a line: the first seals, all open;
                            or in HARMONY_RESPONSES_SEAL_KEYS; without them a restart loses it
  --model-alias NAME        a name of the model beside gpt-oss; repeatable; other names are refused then
  --reasoning raw           shows reasoning as reasoning text (default)
              summary       ... as a summary, which every client shows
              both          ... both ways
              hidden        ... without its text
  --chat-reasoning FIELD    the field of Chat Completions that has it: reasoning_content (default), reasoning, or both
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
  --on-disconnect stop      ends a response whose client leaves (default)
                  finish    makes it to the end
                  SECONDS   waits so long for the client
  --verbose                 draws the timeline of each response
  --help

It prints what to paste to use it, and a line for each request on standard error. docs/serve.md has more.

Exit codes: 0 stopped by SIGINT or SIGTERM, 2 wrong usage, or it cannot listen; 130 stopped twice.
`,
  options: {
    replay: { type: 'boolean', default: false },
    model: { type: 'string' },
    vllm: { type: 'string' },
    sglang: { type: 'string' },
    'llama-server': { type: 'string' },
    mcp: { type: 'string', multiple: true, default: [] as string[] },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8000' },
    'api-key': { type: 'string' },
    'seal-keys': { type: 'string' },
    'model-alias': { type: 'string', multiple: true, default: [] as string[] },
    reasoning: { type: 'string', default: 'raw' },
    'chat-reasoning': { type: 'string', default: 'reasoning_content' },
    policy: { type: 'string', default: 'openai' },
    dialect: { type: 'string', default: 'openai' },
    images: { type: 'string', default: 'refuse-last' },
    'unsupported-constraints': { type: 'string', default: 'relax' },
    'context-size': { type: 'string' },
    parallel: { type: 'string' },
    'on-disconnect': { type: 'string', default: 'stop' },
    verbose: { type: 'boolean', default: false },
  },
  async run(values, operands, io) {
    // First, so that wrong usage is refused before a server is loaded.
    const { serveSettings } = await import('./serve/settings.js')
    const settings = serveSettings(values, operands, io.env)
    const { serve } = await import('./serve/serve.js')
    return serve(settings, io)
  },
})
